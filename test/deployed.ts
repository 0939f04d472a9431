import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './freePort.ts'
import { projectFolder, runToEnd, temporaryFolder } from './process.ts'

const deployed = join(projectFolder, 'scripts/deploy')
const textOf = (name: string): Promise<string> => Bun.file(join(deployed, name)).text()

export const run = async (...command: string[]): Promise<string> => {
  const { code, output, errors } = await runToEnd(command)
  if (code !== 0) throw new Error(`${command[0]}: ${output}${errors}`)
  return output
}

/** A self-signed certificate. */
const makeCertificate = async (folder: string): Promise<{ certificate: string; key: string }> => {
  const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  // RSA, which has ciphers without forward secrecy.
  const made = ['-newkey', 'rsa:2048', '-nodes']
  await run('openssl', 'req', '-x509', ...made, ...subject, '-keyout', key, '-out', certificate)
  await chmod(key, 0o644)
  return { certificate, key }
}

/** A proxy with a file of `scripts/deploy`. */
export interface RunningProxy {
  readonly url: string
  readonly process: Bun.Subprocess
  /** Path of the certificate, for a proxy with TLS. */
  readonly certificate?: string
}

/** Ports of two services. */
export type Upstreams = readonly [number, number]

export type Variant = 'root' | 'kept' | 'stripped'

interface NginxOptions {
  readonly variant?: Variant
  readonly isLimited?: boolean
  /** How both services share requests: the file for several machines, and changes of it. */
  readonly shared?: 'by address' | 'by client' | 'in turn'
  readonly hasCache?: boolean
  readonly hasTls?: boolean
  /** A network without limits. */
  readonly trusted?: string
  readonly connections?: number
  /** Settings before those in the files. */
  readonly http?: string
}

/** nginx with this `http` block, and other blocks before it, in the foreground. */
export const runNginx = async (
  folder: string,
  http: string,
  { before = '', program = 'nginx', connections = 2048 } = {},
): Promise<Bun.Subprocess> => {
  const config = join(folder, 'nginx.conf')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  await writeFile(
    config,
    `${before}
daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log crit;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections ${connections}; }
http {
${paths.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
${http}
}
`,
  )
  return Bun.spawn([program, '-c', config, '-e', join(folder, 'error.log')], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  })
}

/** nginx with the deployed files, except addresses, paths and the limits that the load would reach. */
export const startNginx = async (
  upstreams: Upstreams,
  {
    variant = 'root',
    isLimited = false,
    shared,
    hasCache = true,
    hasTls = true,
    trusted,
    connections,
    http = '',
  }: NginxOptions = {},
): Promise<RunningProxy> => {
  const folder = await temporaryFolder()
  const { certificate, key } = await makeCertificate(folder)
  const port = freePort()
  let site = (await textOf('nginx.conf'))
    .replaceAll(/^\s*listen \[::\].*$/gm, '')
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen 80', `listen 127.0.0.1:${freePort()}`)
    .replace(/ssl_certificate .*/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*/, `ssl_certificate_key ${key};`)
    .replaceAll('cageside.example', 'localhost')
    .replace('/var/cache/nginx/cageside', join(folder, 'cache'))
    .replace('/var/log/nginx/cageside.log', join(folder, 'site.log'))
  if (shared) {
    site = site.replace(/^upstream cageside \{[^}]*\}$/m, await textOf('nginx-upstreams.conf'))
    const sharing = { 'by address': '$&', 'by client': 'hash $cageside_client;', 'in turn': '' }
    site = site.replace('hash $cageside_shard consistent;', sharing[shared])
  }
  if (!hasCache) site = site.replace('proxy_cache $cageside_zone;', '')
  site = site
    .replace(/(127\.0\.0\.1|10\.0\.0\.11):3000/, `127.0.0.1:${upstreams[0]}`)
    .replace(/127\.0\.0\.1:3001|10\.0\.0\.12:3000/, `127.0.0.1:${upstreams[1]}`)
  if (!isLimited) site = site.replaceAll(/^\s*limit_(req|conn) .*$/gm, '')
  if (trusted) site = site.replace('#203.0.113.7/32 1;', `${trusted} 1;`)
  if (!hasTls) site = site.replace(/(listen 127\S+) ssl http2;/, '$1;')
  if (variant !== 'root') {
    site = site
      .replace(/ {4}location \/ \{\n {8}proxy_pass.*\n {4}\}/, '')
      .replace(`#${variant} `, '')
  }
  const child = await runNginx(folder, http + site, { ...(connections && { connections }) })
  const url = hasTls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`
  return { url, process: child, certificate }
}

/** Caddy with the deployed file, and a certificate instead of Let's Encrypt. */
export const startCaddy = async (
  upstreams: Upstreams,
  { variant = 'root' }: Pick<NginxOptions, 'variant'> = {},
): Promise<RunningProxy> => {
  const folder = await temporaryFolder()
  const { certificate, key } = await makeCertificate(folder)
  const port = freePort()
  const site = (await textOf('Caddyfile'))
    .replace(
      /^cageside\.example \{$/m,
      `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`,
    )
    .replace(/^\{$/m, '{\n\tadmin off\n\tauto_https disable_redirects')
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${upstreams[0]}`)
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${upstreams[1]}`)
    .replace(`#${variant} `, '')
  const config = join(folder, 'Caddyfile')
  await writeFile(config, site)
  const { PATH = '' } = process.env
  const child = Bun.spawn(['caddy', 'run', '--config', config, '--adapter', 'caddyfile'], {
    env: { PATH, HOME: folder },
    stdout: 'ignore',
    stderr: 'ignore',
  })
  return { url: `https://localhost:${port}`, process: child, certificate }
}

interface RunningVarnish extends RunningProxy {
  /** The proxy answers, and so did each service at its last probe: probes begin before its port is open. */
  readonly isReady: () => Promise<boolean>
}

/** Varnish with the deployed file, except addresses; without the user that Debian's package creates. */
export const startVarnish = async (upstreams: Upstreams): Promise<RunningVarnish> => {
  const folder = await temporaryFolder()
  const port = freePort()
  const config = join(folder, 'varnish.vcl')
  const text = (await textOf('varnish.vcl'))
    .replace('"3000"', `"${upstreams[0]}"`)
    .replace('"3001"', `"${upstreams[1]}"`)
  await writeFile(config, text)
  const listen = ['-a', `127.0.0.1:${port}`, '-s', 'malloc,100m', '-T', 'none']
  const work = join(folder, 'work')
  const child = Bun.spawn(['varnishd', '-F', '-j', 'none', '-n', work, '-f', config, ...listen], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const proxy = { url: `http://127.0.0.1:${port}`, process: child }
  return {
    ...proxy,
    isReady: async () => {
      // A number whose lowest bit is the last probe. Fails if Varnish takes more than 5 s to start.
      const { output } = await runToEnd(['varnishstat', '-n', work, '-1', '-f', 'VBE.*.happy'])
      const probes = [...output.matchAll(/happy\s+(\d+)/g)].map(([, bits]) => BigInt(bits ?? 0))
      const areProbed = probes.length === 2 && probes.every((bits) => bits % 2n === 1n)
      return areProbed && isUp(proxy, '/health')
    },
  }
}

export const endProxy = async (proxy: RunningProxy): Promise<void> => {
  proxy.process.kill('SIGTERM')
  await proxy.process.exited
}

const insecure = { tls: { rejectUnauthorized: false } } as const
/** Requests a URL of a proxy with a self-signed certificate. */
export const ask = (
  address: string,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(address, { ...insecure, headers, redirect: 'manual', signal: signal ?? null })

export const isUp = async (proxy: RunningProxy, path: string): Promise<boolean> =>
  (await ask(proxy.url + path).catch(() => undefined))?.ok === true

/** Sends requests without a pause until it is ended; returns the answers other than 200. */
export const startLoad = (address: string) => {
  let isOver = false
  let answered = 0
  const failures: string[] = []
  const work = async (worker: number): Promise<void> => {
    for (let n = 0; !isOver; n += 1) {
      // Half of the URLs are new, so that no cache has them.
      const path = n % 2 === 0 ? '/fights?limit=3' : `/fights?limit=2&page=${worker}${n}`
      const result = await ask(address + path).then(
        async (response) => {
          await response.text()
          return response.status === 200 ? '' : `${response.status}`
        },
        (error: Error) => error.message,
      )
      answered += 1
      if (result !== '') failures.push(`${path}: ${result}`)
      await Bun.sleep(2)
    }
  }
  const workers = [1, 2, 3, 4].map(work)
  return {
    answered: () => answered,
    end: async (): Promise<readonly string[]> => {
      isOver = true
      await Promise.all(workers)
      return failures
    },
  }
}
