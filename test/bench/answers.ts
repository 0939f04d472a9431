import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CommandError } from '../../scripts/command.ts'
import type { Scale } from '../../scripts/league/league.ts'
import { openSnapshot } from '../../src/archive/fromSnapshot.ts'
import { bulkNames } from '../../src/bulk/tables.ts'
import { createLog } from '../../src/log.ts'
import { everyAddressOf, everyPageOf } from '../everyAddress.ts'
import { projectFolder, runToEnd, startService, stopService, temporaryFolder } from '../process.ts'

/** A request, without the address of the service. */
interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const get = (path: string, headers: Asked['headers'] = {}): Asked => ({
  method: 'GET',
  path,
  headers: { 'accept-encoding': 'identity', ...headers },
})

/** Each address is requested plainly, and in one of these forms, in turns. */
const forms: readonly ((path: string) => Asked)[] = [
  (path) => get(path, { 'accept-encoding': 'gzip' }),
  (path) => get(path, { 'accept-encoding': 'br' }),
  (path) => get(path, { 'accept-encoding': 'zstd' }),
  (path) => get(path, { accept: 'text/html' }),
  (path) => get(path, { 'if-none-match': '*' }),
  (path) => get(path, { range: 'bytes=5-20' }),
  (path) => get(path.replace(/[^/]*$/, 'unknown')),
  (path) => get(`${path}${path.includes('?') ? '&' : '?'}page=2&limit=3&spoilers=0&none=1`),
  (path) => ({ ...get(path), method: 'HEAD' }),
  (path) => ({ ...get(path), method: 'OPTIONS' }),
  (path) => ({ ...get(path), method: 'POST' }),
]

/** Addresses whose answers the same data makes the same in two processes, besides those of the routes. */
const files = ['/bulk', ...bulkNames.map((name) => `/bulk/${name}`), '/snapshot', '/openapi']

const requestsOf = async (snapshot: string): Promise<readonly Asked[]> => {
  const service = openSnapshot(snapshot, createLog('silent'))
  await service.firstLoad
  const archive = service.archive()
  await service.stop()
  if (!archive) throw new Error('nothing is loaded')
  const addresses = [...everyAddressOf(archive), ...everyPageOf(archive), ...files].filter(
    (path) => !path.startsWith('/legacy/randomClips'),
  )
  return addresses.flatMap((path, index) => {
    const at = index % forms.length
    return [get(path), ...forms.slice(at, at + 1).map((form) => form(path))]
  })
}

/** Headers that differ from answer to answer. */
const passing = new Set(['date', 'x-request-id'])

interface Answer {
  readonly head: string
  readonly body: Buffer
}

const ask = async (origin: string, { method, path, headers }: Asked): Promise<Answer> => {
  const response = await fetch(origin + path, {
    method,
    // Feeds have links to the host of the request.
    headers: { ...headers, host: 'cageside.test' },
    redirect: 'manual',
    decompress: false,
  })
  const lines = [...response.headers]
    .filter(([name]) => !passing.has(name))
    .map(([name, value]) => `${name}: ${value}`)
  const body = Buffer.from(await response.arrayBuffer())
  return { head: [response.status, ...lines.toSorted()].join('\n'), body }
}

/** Bytes of a body that are shown before and after the first one that differs. */
const shownBytes = 60

/** What differs between two answers, in one text; undefined where nothing does. */
const difference = (before: Answer, now: Answer): string | undefined => {
  if (before.head !== now.head) {
    const [old, own] = [before.head.split('\n'), now.head.split('\n')]
    const only = (lines: readonly string[], others: readonly string[]) =>
      lines.filter((line) => !others.includes(line)).join(' | ')
    return `head: ${only(old, own)} -> ${only(own, old)}`
  }
  if (before.body.equals(now.body)) return undefined
  const at = before.body.findIndex((byte, index) => byte !== now.body[index])
  const from = Math.max(0, (at < 0 ? before.body.length : at) - shownBytes)
  const part = ({ body }: Answer) => body.subarray(from, from + 2 * shownBytes).toString()
  return `body at byte ${from}: ${part(before)} -> ${part(now)}`
}

/** Starts the service of a checkout with clocks that stand still. */
const startOf = (folder: string, snapshot: string) =>
  startService({ SNAPSHOT: snapshot, LOG_LEVEL: 'error' }, [
    process.execPath,
    `--preload=${join(projectFolder, 'test/bench/fixedClock.ts')}`,
    join(folder, 'src/main.ts'),
  ])

const maxListed = 50
const connections = 8

/**
 * Sends the same requests to this checkout and to another one, both serving one file, and lists on stderr
 * the answers that differ in status, headers or body.
 */
export const compareAnswers = async (beside: string | undefined, scale: Scale) => {
  if (beside === undefined) throw new CommandError('answers needs --beside PATH')
  const other = resolve(beside)
  for (const needed of ['src/main.ts', 'node_modules']) {
    await access(join(other, needed)).catch(() => {
      throw new CommandError(`--beside needs a checkout with its packages: no ${needed} in it`)
    })
  }
  const snapshot = join(await temporaryFolder(), 'league.cageside')
  // Written by the other one: of two formats the older one is read by both.
  const command = ['scripts/generate.ts', '--scale', String(scale), '--out', snapshot]
  const { code, errors } = await runToEnd([process.execPath, ...command], { cwd: other })
  if (code !== 0) throw new CommandError(`--beside: ${errors.trim()}`)
  const requests = await requestsOf(snapshot)
  const services = await Promise.all([startOf(other, snapshot), startOf(projectFolder, snapshot)])
  const [before = '', now = ''] = services.map(({ url }) => url)
  const next = requests.values()
  let different = 0
  const compare = async (): Promise<void> => {
    for (const asked of next) {
      const found = difference(await ask(before, asked), await ask(now, asked))
      if (found === undefined) continue
      different += 1
      if (different <= maxListed) console.error(`${asked.method} ${asked.path}\n  ${found}`)
    }
  }
  try {
    // A file that is not ready yet is sent without the headers of a whole one.
    await Promise.all([before, now].map((origin) => ask(origin, get('/bulk'))))
    await Promise.all(Array.from({ length: connections }, compare))
  } finally {
    await Promise.all(services.map(stopService))
  }
  if (different > 0) throw new CommandError(`${different} of ${requests.length} answers differ`)
  return { requests: requests.length, different }
}
