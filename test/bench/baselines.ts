import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { projectFolder } from '../process.ts'
import { cores, pin } from './machine.ts'

/** A server that answers beside Cageside, on the same core. */
export interface Baseline {
  readonly url: string
  readonly pid: number
  readonly end: () => Promise<void>
}

const startScript = async (script: string, args: readonly string[]): Promise<Baseline> => {
  const child = Bun.spawn([process.execPath, `test/bench/${script}`, ...args], {
    cwd: projectFolder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  const url = new TextDecoder().decode(value).match(/listening on (http:\S+)/)?.[1]
  if (!url) throw new Error(`${script} does not listen`)
  pin(child.pid, cores.server)
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await child.exited
  }
  return { url, pid: child.pid, end }
}

/** `Bun.serve` that sends this body and these headers, after `reading` what the service reads or at once. */
export const startBareServer = (
  bodyPath: string,
  headers: Readonly<Record<string, string>>,
  mode?: 'reading',
) => startScript('bareServer.ts', [bodyPath, JSON.stringify(headers), ...(mode ? [mode] : [])])

/** Elysia with a query of this database for each request. */
export const startSqlBaseline = (databaseUrl: string) =>
  startScript('sqlBaseline.ts', [databaseUrl])

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** nginx with one process that sends a file of the folder, or undefined where there is none. */
export const startNginx = async (
  folder: string,
  file: string,
  headers: Readonly<Record<string, string>>,
): Promise<Baseline | undefined> => {
  const program = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` })
  if (!program) return undefined
  const added = Object.entries(headers)
    .filter(([name]) => !['content-type', 'content-length', 'date', 'etag'].includes(name))
    .map(([name, value]) => `add_header ${name} ${quoted(value)};`)
  const socketPort = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = socketPort
  socketPort.stop(true)
  const config = join(folder, 'nginx.conf')
  await Bun.write(
    config,
    `worker_processes 1;
     daemon off;
     pid ${folder}/nginx.pid;
     error_log /dev/null;
     events { worker_connections 256; }
     http {
       access_log ${folder}/access.log combined buffer=64k flush=1s;
       client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
       uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
       sendfile on; tcp_nopush on; open_file_cache max=100;
       keepalive_requests 100000000;
       server {
         listen 127.0.0.1:${port};
         root ${folder};
         location / { default_type application/json; ${added.join(' ')} rewrite ^ /${file} break; }
       }
     }`,
  )
  // Its worker is another user where this is root.
  await chmod(folder, 0o755)
  const child = Bun.spawn([program, '-p', folder, '-c', config], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  const deadline = performance.now() + 5000
  while (!(await fetch(url).catch(() => undefined))?.ok) {
    if (performance.now() > deadline) throw new Error('nginx does not answer')
    await Bun.sleep(20)
  }
  pin(child.pid, cores.server)
  const workers = await Bun.file(`/proc/${child.pid}/task/${child.pid}/children`).text()
  for (const pid of workers.trim().split(' ')) pin(Number(pid), cores.server)
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await child.exited
  }
  return { url, pid: child.pid, end }
}
