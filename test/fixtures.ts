import { expect } from 'bun:test'
import type { Companion } from '../src/api/companion.ts'
import type { LiveStreams } from '../src/api/streams/liveStreams.ts'
import { type App, createApp, openCompanions } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import {
  type Archive,
  type ArchiveService,
  noCages,
  type ServedRows,
} from '../src/data/archive/archive.ts'
import { loadTournament } from '../src/data/archive/load.ts'
import { combineDigests, versionOf } from '../src/data/archive/version.ts'
import type { CageRows, TournamentRows } from '../src/data/source/rows.ts'
import { compressTournament, packTournament } from '../src/data/source/snapshot.ts'
import type { PictureSizes } from '../src/derived/media/pictureSizes.ts'
import type { DataLicense } from '../src/http/dataLicense.ts'
import type { ClientLimits } from '../src/http/limiter.ts'
import type { Observer } from '../src/http/recordUsage.ts'
import { createUsage, type Usage } from '../src/http/usage/usage.ts'
import { createLog } from '../src/runtime/log.ts'
import { buildArchive } from './buildArchive.ts'
import { createContract } from './contract.ts'

/** The archive of some rows, built like the process does it, and deeply frozen. */
export const archiveOf = (...tournaments: readonly TournamentRows[]): Archive =>
  archiveWithCages({}, ...tournaments)

export const archiveWithCages = (
  cageRows: Partial<CageRows>,
  ...tournaments: readonly TournamentRows[]
): Archive => {
  const ignore = (): void => undefined
  const loaded = tournaments.flatMap((rows) => loadTournament(rows, ignore) ?? [])
  const cages = { ...noCages, ...cageRows }
  const built = loaded.map(({ tournament }) => tournament)
  const packed = loaded.map(({ rows }) => packTournament(rows))
  const { version, dataVersion } = versionOf(
    combineDigests(packed.map(({ digest }) => digest)),
    cages,
  )
  const archive = deepFreeze(buildArchive(version, built, cages, dataVersion))
  const frames = packed.map((each) => compressTournament(each, 'fast'))
  rowsOf.set(archive, { archive, cages, frames })
  return archive
}

/** Rows that an archive was built from. */
const rowsOf = new WeakMap<Archive, ServedRows>()

/** The same archive with ratings turned off. */
const withoutRatings = (archive: Archive | undefined): Archive | undefined => {
  if (!archive) return undefined
  const without: Archive = { ...archive, ratings: undefined }
  const rows = rowsOf.get(archive)
  if (rows) rowsOf.set(without, { ...rows, archive: without })
  return without
}

/** Makes any later change of a value throw; typed arrays cannot be frozen and are left. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (Object.isFrozen(value)) return value
  if (value instanceof Map) {
    for (const entry of value.values()) deepFreeze(entry)
    const refuse = (): never => {
      throw new TypeError('the archive is immutable')
    }
    Object.assign(value, { set: refuse, delete: refuse, clear: refuse })
  }
  Object.freeze(value)
  for (const child of Object.values(value)) deepFreeze(child)
  return value
}

/** A service over one archive, at a fixed time. */
export const serviceOf = (archive: Archive | undefined, now = 1_770_003_600): ArchiveService => ({
  archive: () => archive,
  rows: () => archive && rowsOf.get(archive),
  status: () => ({
    source: 'snapshot',
    follows: 'nothing',
    currentAt: archive ? now - 7 : null,
    lastRefresh: { at: null, ms: null, changedRows: 0, error: null },
    badRows: 0,
  }),
  now: () => now,
})

/** One stream that is broadcasting. */
const oneStream: LiveStreams = async () => [
  {
    path: 'cage-1/overhead',
    hlsUrl: 'https://live.example/cage-1/overhead/index.m3u8',
    readyUnix: 1_770_000_000,
    viewers: 3,
    tracks: ['H264', 'MPEG-4 Audio'],
  },
]

/** The companions of a service without media, which begin with its archive; given ones replace them. */
const companionsOf = (
  source: Archive | ArchiveService | undefined,
  settings: { basePath: string; publicUrl: string | undefined; pages: boolean },
  given: readonly (Companion | undefined)[],
): readonly Companion[] => {
  const replaced = new Map(given.flatMap((each) => (each ? [[each.name, each]] : [])))
  const archive = source && 'now' in source ? source.archive() : source
  const config = { ...readConfig({ SNAPSHOT: '/nowhere/league.cageside' }), ...settings }
  const companions = openCompanions(config, createLog('silent')).map((companion) => {
    const own = replaced.get(companion.name)
    replaced.delete(companion.name)
    if (!own && archive) companion.sink?.begin(archive)
    return own ?? companion
  })
  return [...companions, ...replaced.values()]
}

export const appOf = (
  source: Archive | ArchiveService | undefined,
  {
    basePath = '',
    legacyBase = '/legacy',
    liveStreams = oneStream,
    pictureSizes = async () => undefined,
    usage = createUsage(),
    publicUrl,
    changes,
    trustedProxies = 0,
    streamBase,
    pages = true,
    ratings = true,
    timeZone = 'UTC',
    limits,
    dataLicense,
    localMedia,
    observers = [],
  }: {
    basePath?: string
    legacyBase?: string
    liveStreams?: LiveStreams
    pictureSizes?: PictureSizes
    usage?: Usage
    changes?: Companion
    publicUrl?: string | undefined
    trustedProxies?: number
    streamBase?: string
    pages?: boolean
    ratings?: boolean
    timeZone?: string
    limits?: ClientLimits
    dataLicense?: DataLicense | undefined
    localMedia?: Companion | undefined
    observers?: readonly Observer[]
  } = {},
): App =>
  createApp(
    source && 'now' in source ? source : serviceOf(ratings ? source : withoutRatings(source)),
    {
      basePath,
      legacyBase,
      liveStreams,
      pictureSizes,
      log: createLog('silent'),
      usage,
      companions: companionsOf(source, { basePath, publicUrl, pages }, [changes, localMedia]),
      publicUrl,
      trustedProxies,
      streamBase,
      ratings,
      timeZone,
      limits,
      dataLicense,
      observers,
    },
  )

const described: unknown = await (
  await appOf(undefined)(new Request('http://localhost/openapi'))
).json()
/** The OpenAPI document that every answer is compared with. */
export const contract = createContract(described)

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any
  readonly bytes: Uint8Array
}

/** Requirements on every answer. */
const checkShell = ({ status, headers }: Response): void => {
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
  expect(headers.get('vary')).toBe('Accept-Encoding')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('x-request-id')).toMatch(/^[\w-]{8,64}$/)
  expect(headers.get('x-data-version')).toMatch(/^[\w-]+$/)
  expect(headers.get('x-data-age')).toMatch(/^\d+$/)
  expect(headers.get('cache-control')).toBeTruthy()
  if (status >= 400) expect(headers.get('cache-control')).toBe('no-store')
  if (status === 200) expect(headers.get('etag')).toMatch(/^W\/"[\w-]{22}"$/)
}

/**
 * Sends a GET and checks the duties of every answer: headers, and a JSON body that fits the schema at /openapi exactly.
 */
export const get = async (
  app: App,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => {
  const response = await app(new Request(`http://localhost${path}`, { headers }))
  checkShell(response)
  const bytes = await response.bytes()
  const encoded = response.headers.has('content-encoding')
  const body =
    bytes.length > 0 && !encoded ? JSON.parse(new TextDecoder().decode(bytes)) : undefined
  if (body !== undefined) {
    expect(response.headers.get('content-type')).toMatch(/^application\/json\b/)
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
  }
  const { status } = response
  if (!encoded)
    expect(contract.problems(path, { status, headers: response.headers, body })).toEqual([])
  return { status, headers: response.headers, body, bytes }
}

/** The body of a GET with status 200. */
export const readBody = async (app: App, path: string): Promise<Answer['body']> => {
  const { status, body } = await get(app, path)
  expect({ path, status }).toEqual({ path, status: 200 })
  return body
}

/** Status, headers and text of a page or feed. */
export const readText = async (
  app: App,
  path: string,
  headers: Readonly<Record<string, string>> = {},
) => {
  const response = await app(new Request(`http://localhost${path}`, { headers }))
  return { status: response.status, headers: response.headers, text: await response.text() }
}
