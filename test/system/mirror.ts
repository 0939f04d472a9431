import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { join } from 'node:path'
import { residentMB } from '../bench/machine.ts'
import { runNginx } from '../deployed.ts'
import { freePort } from '../freePort.ts'
import { type Running, runToEnd, startService, stopService, temporaryFolder } from '../process.ts'
import { until } from '../until.ts'

/** nginx and Python are packages of the system, so this file is not among those that `bun run test` finds. */
const nginxConfig = (port: number, upstreams: readonly number[]): string => `
access_log off;
upstream mirrors {
${upstreams.map((each) => `  server 127.0.0.1:${each} max_fails=1 fail_timeout=1s;`).join('\n')}
}
server {
  listen 127.0.0.1:${port};
  location / {
    proxy_pass http://mirrors;
    proxy_connect_timeout 1s;
    proxy_next_upstream error timeout http_502 http_503;
  }
}
`

let origin: Running
beforeAll(async () => {
  origin = await startService({ LOG_LEVEL: 'error' })
})
afterAll(async () => {
  expect(await stopService(origin)).toBe(0)
})

describe('two mirrors behind nginx', () => {
  test('killing and restarting one of two mirrors under load fails no request', async () => {
    const folder = await temporaryFolder()
    const ports = [freePort(), freePort()]
    const dataDirs = await Promise.all(ports.map(() => temporaryFolder()))
    const start = (at: number): Promise<Running> =>
      startService({
        PORT: String(ports[at]),
        DATA_DIR: dataDirs[at] ?? '',
        SNAPSHOT: `${origin.url}/snapshot`,
        REFRESH_MS: '1000',
        LOG_LEVEL: 'error',
      })
    const mirrors = await Promise.all(ports.map((_, at) => start(at)))
    const port = freePort()
    const nginx = await runNginx(folder, nginxConfig(port, ports))
    const base = `http://127.0.0.1:${port}`
    try {
      await until(() =>
        fetch(`${base}/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      let isOver = false
      const seen = new Map<string, number>()
      const load = Array.from({ length: 8 }, async (_, reader) => {
        const paths = ['/fights', '/cages', '/bots?limit=200', '/bulk/bots.csv.gz', '/snapshot']
        for (let at = reader; !isOver; at += 1) {
          const response = await fetch(`${base}${paths[at % paths.length]}`)
          await response.bytes()
          const key = `${response.status} ${response.headers.get('x-data-version')}`
          seen.set(key, (seen.get(key) ?? 0) + 1)
        }
      })
      await Bun.sleep(500)
      mirrors[0]?.process.kill('SIGKILL')
      await mirrors[0]?.process.exited
      await Bun.sleep(500)
      mirrors[0] = await start(0)
      await Bun.sleep(500)
      isOver = true
      await Promise.all(load)
      // The status and version are the same, whichever mirror answered.
      expect([...seen.keys()]).toEqual([expect.stringMatching(/^200 /)])
      expect([...seen.values()][0]).toBeGreaterThan(100)
    } finally {
      nginx.kill('SIGTERM')
      await nginx.exited
      for (const each of mirrors) await stopService(each)
    }
  })
})

describe('an origin with redirects', () => {
  test('an origin may redirect within itself, but neither to another one of this machine nor in circles', async () => {
    const folder = await temporaryFolder()
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const made = Bun.spawnSync([
      ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
      ...['-nodes', '-days', '1', '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
    ])
    expect(made.exitCode).toBe(0)
    const asked: string[] = []
    const answer = (request: Request): Response | Promise<Response> => {
      const { protocol, pathname } = new URL(request.url)
      asked.push(protocol + pathname)
      if (pathname === '/up/snapshot') return Response.redirect(`${secure.url.origin}/snapshot`)
      if (pathname === '/down/snapshot') return Response.redirect(`${origin.url}/snapshot`)
      if (pathname === '/circle/snapshot') return Response.redirect(request.url)
      if (pathname === '/within/snapshot') return Response.redirect(`${plain.url.origin}/snapshot`)
      return fetch(`${origin.url}${pathname}`, { headers: request.headers })
    }
    const listen = { port: 0, hostname: '127.0.0.1', fetch: answer }
    const plain = Bun.serve(listen)
    const secure = Bun.serve({ ...listen, tls: { key: Bun.file(key), cert: Bun.file(cert) } })
    const copy = async (address: string): Promise<string> => {
      const { PATH = '' } = process.env
      const { output, errors } = await runToEnd(
        [process.execPath, 'scripts/mirror.ts', address, '--out', join(folder, 'copy.cageside')],
        { env: { PATH, NODE_EXTRA_CA_CERTS: cert } },
      )
      return output + errors
    }
    try {
      for (const address of [`${plain.url.origin}/up`, `${secure.url.origin}/down`]) {
        expect(await copy(address)).toContain('not allowed')
      }
      expect(asked).not.toContain('https:/snapshot')
      expect(await copy(`${plain.url.origin}/within`)).toContain('tournaments are in')
      expect(await copy(`${secure.url.origin}/circle`)).toContain('too many redirects')
      expect(asked.filter((each) => each.includes('circle'))).toHaveLength(4)
    } finally {
      await plain.stop(true)
      await secure.stop(true)
    }
  })
})

describe('the files of /bulk', () => {
  test('the files of /bulk are readable in Python, CSV with its own reader', async () => {
    const folder = await temporaryFolder()
    const { files } = JSON.parse(await (await fetch(`${origin.url}/bulk`)).text())
    for (const { name } of files) {
      await Bun.write(join(folder, name), await fetch(`${origin.url}/bulk/${name}`))
    }
    const program = `
import csv, gzip, json, os, sys
for name in sorted(os.listdir(sys.argv[1])):
    with gzip.open(os.path.join(sys.argv[1], name), 'rt', encoding='utf-8', newline='') as lines:
        rows = list(csv.DictReader(lines)) if '.csv.' in name else [json.loads(line) for line in lines]
    print(name, len(rows))
`
    const { stdout, stderr } = Bun.spawnSync(['python3', '-c', program, folder])
    expect(stderr.toString()).toBe('')
    const expected = files.map(
      ({ name, rows }: { name: string; rows: number }) => `${name} ${rows}`,
    )
    expect(stdout.toString().trim().split('\n')).toEqual(expected.toSorted())
  })

  test('50 slow readers of /bulk do not take its size in memory', async () => {
    const { hostname, port } = new URL(origin.url)
    const path = '/snapshot'
    const { length } = await (await fetch(`${origin.url}${path}`)).bytes()
    const before = await residentMB(origin.process.pid)
    const openReader = () => {
      const socket = connect(Number(port), hostname)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
      const reader = { socket, begin: '', bytes: 0, isClosed: false }
      socket.on('data', (chunk) => {
        if (reader.bytes === 0) {
          socket.pause()
          reader.begin = chunk.toString('latin1', 0, 12)
        }
        reader.bytes += chunk.length
      })
      socket.on('close', () => {
        reader.isClosed = true
      })
      return reader
    }
    // Readers connect one after the other, because a busy machine refuses some of many at once; each is paused only
    // after its first byte, because an earlier pause would block it for ever.
    const readers: ReturnType<typeof openReader>[] = []
    await until(async () => {
      const reader = openReader()
      await until(() => reader.isClosed || reader.bytes > 0)
      if (reader.begin === 'HTTP/1.1 200') readers.push(reader)
      else reader.socket.destroy()
      return readers.length === 50
    })
    await Bun.sleep(1000)
    // Garbage of answers is freed within seconds, but not the buffers of readers. The system buffers most of the
    // sample, so this only bounds gross waste; the bench has a whole league.
    await until(async () => (await residentMB(origin.process.pid)) - before < 60)
    for (const { socket } of readers) socket.resume()
    await until(() => readers.every(({ bytes, isClosed }) => isClosed || bytes >= length))
    expect(Math.min(...readers.map(({ bytes }) => bytes))).toBeGreaterThanOrEqual(length)
    for (const { socket } of readers) socket.destroy()
  })
})
