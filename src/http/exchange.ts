import { Elysia } from 'elysia'
import type { Archive } from '../archive/archive.ts'
import type { StoredAnswer } from './answers.ts'
import { caching } from './caching.ts'

/**
 * What answers are made from. A request has the moment at which it arrived, so that a refresh
 * meanwhile cannot mix two versions; requests of one second share theirs while nothing is refreshed.
 */
export interface Moment {
  readonly archive: Archive | undefined
  /** Unix seconds. */
  readonly now: number
  /** Seconds since the data was last known to be current. */
  readonly dataAge: number
}

/** A part of an archive that answers depend on, as data: thousands of them are kept. */
export interface Part {
  readonly find: (archive: Archive, key: string) => unknown
  readonly key: string
  /** What was found; another archive has the same part where the very same value is found. */
  readonly found: unknown
}

export const noParts: readonly Part[] = []

/** A body that goes on. */
export interface BodyStream {
  /** `ended` hears of the bytes once the reader or the service has ended it. */
  readonly open: (ended: (sentBytes: number) => void) => ReadableStream<Uint8Array>
  /** Gives up what was taken for it where it is never opened. */
  readonly leave: () => void
}

/** What belongs to one request and its answer. */
export interface Exchange {
  readonly moment: Moment
  /** When the request arrived, on the clock of `performance.now()`. */
  readonly startedMs: number
  readonly requestId: string
  /** The path in its one canonical spelling; undefined for one that cannot be decoded. */
  path: string | undefined
  /** Route template; undefined where no route matched. */
  route: string | undefined
  /** The query as the route read it, defaults left out: the same for every spelling of a request. */
  query: string
  /**
   * The beginning of the body that belongs to this request alone: it is no part of the stored answer, and
   * is put before it each time.
   */
  prefix: string
  /**
   * Until when this answer may be given again to the same question about the same archive, in Unix
   * seconds; 0 when it may not.
   */
  validUntil: number
  /**
   * Whether another archive is the same in all that the answer depends on: all but the cages unless the
   * handler says otherwise. It is kept with the answer, so it must not hold on to much.
   */
  holdsFor: (archive: Archive) => boolean
  /** The answer also holds for every archive that has all of these parts, if there are any. */
  parts: readonly Part[]
  /** Bytes of the body that is sent. */
  sentBytes: number
  /** The address that the request came from; undefined for the process's own. */
  readonly sender: string | undefined
  /** The body where it is a stream, which is sent as it is. */
  stream: BodyStream | undefined
  /** Settles with the bytes sent when the stream has ended; undefined where none was opened. */
  ended: Promise<number> | undefined
  /** How long the answer waited for something to happen, which is no time of answering. */
  waitedMs: number
  /** False where the answer must be made anew, and is not kept. */
  readonly mayBeStored: boolean
  /** The same answer from before, found while routing, which then goes no further. */
  stored: StoredAnswer | undefined
}

/** Thrown where an answer needs the archive and none is loaded yet. */
export class ArchiveNotLoaded extends Error {}

const exchanges = new WeakMap<Request, Exchange>()

export const beginExchange = (request: Request, exchange: Exchange): void => {
  exchanges.set(request, exchange)
}

/** The exchange of a request the shell let in. */
export const exchangeOf = (request: Request): Exchange => {
  const exchange = exchanges.get(request)
  if (!exchange) throw new Error('the request did not come through the shell')
  return exchange
}

/** Gives handlers the `exchange` of their request. */
export const exchange = new Elysia({ name: 'exchange' }).derive(
  { as: 'global' },
  ({ request, route }): { exchange: Exchange } => {
    const exchange = exchangeOf(request)
    exchange.route = route
    return { exchange }
  },
)

const dependOn = (
  exchange: Exchange,
  holdsFor: Exchange['holdsFor'],
  parts: Exchange['parts'] = noParts,
): void => {
  exchange.holdsFor = holdsFor
  exchange.parts = parts
}

const always = (): boolean => true

/** Answers that depend on nothing but the program hold for every archive. */
export const dependsOnNothing = (exchange: Exchange): void => {
  dependOn(exchange, always)
}

/** Makes the same function for the same version, as thousands of answers keep theirs. */
const sharing = (
  make: (version: string) => Exchange['holdsFor'],
): ((version: string) => Exchange['holdsFor']) => {
  let last: { readonly version: string; readonly holdsFor: Exchange['holdsFor'] } | undefined
  return (version) => {
    if (last?.version !== version) last = { version, holdsFor: make(version) }
    return last.holdsFor
  }
}
const hasVersion = sharing((version) => (archive) => archive.version === version)
const hasData = sharing((dataVersion) => (archive) => archive.dataVersion === dataVersion)

/** Answers that depend on the cages hold for one version alone. */
export const dependsOnCages = (exchange: Exchange, { version }: Archive): void => {
  dependOn(exchange, hasVersion(version))
}

/** Answers that depend on the data hold while all but the cages stays the same. */
export const dependsOnData = (exchange: Exchange, { dataVersion }: Archive): void => {
  dependOn(exchange, hasData(dataVersion))
}

/**
 * Answers that depend on what is found under some keys hold while the same is found there, and at any
 * rate while all but the cages stays the same.
 */
export const dependsOnParts = <Found>(
  exchange: Exchange,
  archive: Archive,
  keys: readonly string[],
  find: (archive: Archive, key: string) => Found,
): void => {
  const parts = keys.map((key) => ({ find, key, found: find(archive, key) }))
  dependOn(exchange, hasData(archive.dataVersion), parts)
}

/**
 * Gives handlers the `archive` of their request and the time; 503 until there is one. Their answers
 * are pure functions of both, so each is kept until anything but the cages changes, unless the handler
 * lowers `exchange.validUntil` or names what the answer depends on.
 */
export const archived = new Elysia({ name: 'archived' })
  .use(exchange)
  .derive({ as: 'scoped' }, ({ exchange, set }) => {
    const { archive, now } = exchange.moment
    if (!archive) throw new ArchiveNotLoaded()
    exchange.validUntil = Number.POSITIVE_INFINITY
    dependsOnData(exchange, archive)
    set.headers['cache-control'] = caching.archive
    return { archive, now }
  })
