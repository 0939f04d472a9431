import type { Archive } from '../data/archive/archive.ts'
import type { Cages } from '../data/league/types.ts'

/** Everything that follows from the tournaments; cages change each second of an event. */
export type Data = Omit<Archive, 'version' | 'dataVersion' | 'cages'>

/** Finds a value by key. A function of a module, not a closure, because thousands of cached responses refer to it. */
type Find<Found> = (archive: Data, key: string) => Found

/** One read of an archive. It holds the read part weakly, so that no cached response keeps an old version. */
export interface Dependency {
  readonly find: (archive: Archive, key: string) => unknown
  readonly key: string
  readonly found: unknown
  /** True if the value was made for the call; `found` is then its text in JSON. */
  readonly isMade: boolean
}

/** A value that depends on the time, and the Unix second from which on it differs. */
export interface Timed<T> {
  readonly value: T
  readonly validUntil: number
}

/**
 * An archive that records every read. Handlers get this instead of the archive and the clock, so that a response
 * cannot depend on anything that is not recorded.
 */
export interface TrackedArchive extends Data {
  readonly cages: Cages
  /**
   * Looks up one value: a response then depends on it instead of on a whole part of the archive. The value is part of
   * the archive or a primitive, so that the same value in another archive means that nothing reachable from it changed.
   */
  readonly lookup: <Found>(find: Find<Found>, key?: string) => Found
  /** Like `lookup`, for a small value of plain data that is made for the call and compared by content. */
  readonly derive: <Found>(find: Find<Found>, key: string) => Found
  /** The only access to the time of the request, in Unix seconds. */
  readonly timed: <T>(at: (now: number) => Timed<T>) => T
}

/** Functions that look up one value of an archive, or derive a small one from it. */
export type Lookup = Pick<TrackedArchive, 'lookup'>
export type Derive = Pick<TrackedArchive, 'derive'>

/** Values that a response depends on. */
export interface Reads {
  readonly dependencies: readonly Dependency[]
  /** True if a change of only the cages may change the response. */
  readonly readsCages: boolean
  /** Unix second until which the response is valid. */
  readonly validUntil: number
}

/** Reads of a response that needs nothing of an archive. */
export const nothingRead: Reads = {
  dependencies: [],
  readsCages: false,
  validUntil: Number.POSITIVE_INFINITY,
}

/** Maximum number of dependencies; a response with more depends on the version of the archive instead. */
const maxDependencies = 32

const versionOf = ({ version }: Archive) => version

/** The parts of an archive, each replaced when anything in it changes and shared otherwise. */
const parts = {
  dataset: ({ dataset }: Archive) => dataset,
  bots: ({ bots }: Archive) => bots,
  ratings: ({ ratings }: Archive) => ratings,
  clips: ({ clips }: Archive) => clips,
  stills: ({ stills }: Archive) => stills,
  botSearch: ({ botSearch }: Archive) => botSearch,
  tournamentSearch: ({ tournamentSearch }: Archive) => tournamentSearch,
  cages: ({ cages }: Archive) => cages,
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** A collected value is in no archive, and a missing value is not a collected one. */
const isCurrent = ({ find, key, found, isMade }: Dependency, archive: Archive): boolean => {
  if (isMade) return found === JSON.stringify(find(archive, key))
  if (!(found instanceof WeakRef)) return found === find(archive, key)
  const value: unknown = found.deref()
  return value !== undefined && value === find(archive, key)
}

/** True if an archive has the identical value for each dependency. */
export const areCurrent = (
  dependencies: readonly Dependency[],
  archive: Archive | undefined,
): boolean => archive !== undefined && dependencies.every((each) => isCurrent(each, archive))

/** A class, so that a request makes three closures instead of fifteen: a tenth of the time of a 404. */
class Tracked implements TrackedArchive {
  readonly archive: Archive
  readonly now: number
  dependencies: Dependency[] = []
  readsCages = false
  validUntil = Number.POSITIVE_INFINITY

  constructor(archive: Archive, now: number) {
    this.archive = archive
    this.now = now
  }

  read<Found>(find: (archive: Archive, key: string) => Found, key = '', isMade = false): Found {
    const { archive, dependencies } = this
    const value = find(archive, key)
    const isKnown = dependencies.some((each) => each.find === find && each.key === key)
    if (dependencies[0]?.find === versionOf || isKnown) return value
    const part = isObject(value) ? new WeakRef(value) : value
    dependencies.push({ find, key, found: isMade ? JSON.stringify(value) : part, isMade })
    if (dependencies.length > maxDependencies) {
      this.dependencies = [{ find: versionOf, key: '', found: archive.version, isMade: false }]
    }
    return value
  }

  // Handlers destructure these three.
  readonly lookup: TrackedArchive['lookup'] = (find, key) => this.read(find, key)
  readonly derive: TrackedArchive['derive'] = (find, key) => this.read(find, key, true)
  readonly timed: TrackedArchive['timed'] = (at) => {
    const { value, validUntil } = at(this.now)
    this.validUntil = Math.min(this.validUntil, validUntil)
    return value
  }

  get dataset() {
    return this.read(parts.dataset)
  }
  get bots() {
    return this.read(parts.bots)
  }
  get ratings() {
    return this.read(parts.ratings)
  }
  get clips() {
    return this.read(parts.clips)
  }
  get stills() {
    return this.read(parts.stills)
  }
  get botSearch() {
    return this.read(parts.botSearch)
  }
  get tournamentSearch() {
    return this.read(parts.tournamentSearch)
  }
  get cages() {
    this.readsCages = true
    return this.read(parts.cages)
  }
}

export const trackReads = (
  archive: Archive,
  now: number,
): { readonly tracked: TrackedArchive; readonly reads: () => Reads } => {
  const tracked = new Tracked(archive, now)
  const reads = (): Reads => {
    const { dependencies, readsCages, validUntil } = tracked
    return { dependencies, readsCages, validUntil }
  }
  return { tracked, reads }
}
