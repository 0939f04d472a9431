import { runNginx } from '../deployed.ts'
import { freePort } from '../freePort.ts'
import { projectFolder } from '../process.ts'
import { until } from '../until.ts'
import type { Server } from './loadGenerator.ts'
import { cores, pin, pinFamily } from './machine.ts'

/** A server to compare the service with, on the same core. */
type Baseline = Server & AsyncDisposable

const baselineOf = (child: Bun.Subprocess, url: string): Baseline => ({
  url,
  pid: child.pid,
  [Symbol.asyncDispose]: async () => {
    child.kill('SIGTERM')
    await child.exited
  },
})

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
  return baselineOf(child, url)
}

/** `Bun.serve` with this body and these headers; with `reading`, it reads what the service reads first. */
export const startBareServer = (
  bodyPath: string,
  headers: Readonly<Record<string, string>>,
  { status = 200, mode = 'sending' }: { status?: number; mode?: 'sending' | 'reading' } = {},
) => startScript('bareServer.ts', [bodyPath, JSON.stringify(headers), String(status), mode])

/** Elysia with one SQL query per request. */
export const startSqlBaseline = (databaseUrl: string) =>
  startScript('sqlBaseline.ts', [databaseUrl])

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** nginx with one worker that sends a file of the folder; undefined if it is not installed. */
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
  const port = freePort()
  const http = `
    access_log ${folder}/access.log combined buffer=64k flush=1s;
    sendfile on; tcp_nopush on; open_file_cache max=100;
    keepalive_requests 100000000;
    server {
      listen 127.0.0.1:${port};
      root ${folder};
      location / { default_type application/json; ${added.join(' ')} rewrite ^ /${file} break; }
    }`
  const child = await runNginx(folder, http, { program })
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(url).catch(() => undefined))?.ok === true, 5000)
  await pinFamily(child.pid, cores.server)
  return baselineOf(child, url)
}
