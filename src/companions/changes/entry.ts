import { botPath, eventPath, fightPath } from '../../api/pagePaths.ts'
import { movedFrom } from './apply.ts'
import type { Change, ChangeType } from './schema.ts'

/** Fields that filters compare. */
interface EntryHead {
  readonly type: ChangeType
  readonly bots: readonly string[]
  /** Ids of the tournaments concerned. */
  readonly tournaments: readonly string[]
}

/** A change in the feed, kept as text to save memory. */
export interface Entry extends EntryHead {
  readonly seq: number
  /** Cursor of the change. */
  readonly id: string
  /** The change in JSON. */
  readonly text: string
}

/** Place of a change in the feed. */
export interface Place {
  readonly epoch: string
  readonly seq: number
}

export const cursorOf = ({ epoch, seq }: Place): string => `${epoch}-${seq}`

/** Reads a cursor; undefined for any other text. */
export const readCursor = (text: string): Place | undefined => {
  const [, epoch = '', seq] = /^([0-9a-z]{8,16})-(\d{1,15})$/.exec(text) ?? []
  return seq === undefined ? undefined : { epoch, seq: Number(seq) }
}

/** Ids of the tournaments that a change concerns, before and after. */
const tournamentsOf = (change: Change): readonly string[] => {
  if (change.type === 'cage.changed') return change.tournaments
  const origin = movedFrom(change)
  return origin === undefined ? [change.tournamentID] : [change.tournamentID, origin]
}

/** Path of the page about the changed thing; undefined if it is gone. */
const pageOf = (change: Change): string | undefined => {
  if (isRemoval(change)) return undefined
  switch (change.type) {
    case 'cage.changed':
      return '/live'
    case 'bot.renamed':
      return botPath(change.after.cleanName)
    case 'fight.called':
    case 'fight.started':
    case 'fight.ended':
    case 'fight.corrected':
    case 'schedule.changed':
    case 'recording.added':
    case 'recording.changed':
    case 'clip.added':
    case 'clip.changed':
      return fightPath({ tournament: { id: change.tournamentID }, id: change.gameID })
    default:
      return eventPath(change.tournamentID)
  }
}

/** Link prefix of a service, and whether it has pages. */
export interface Site {
  readonly linkPath: string
  readonly hasPages: boolean
}

/** A path with the version, so that caches keep it apart from other versions. */
export const versioned = (path: string, version: string): string =>
  `${path}?v=${encodeURIComponent(version)}`

export const headOf = (change: Change): EntryHead => ({
  type: change.type,
  bots: change.bots,
  tournaments: tournamentsOf(change),
})

/** A change at its place. */
export const entryOf = (
  change: Change,
  {
    place,
    time,
    version,
    site: { linkPath, hasPages },
  }: { place: Place; time: number; version: string; site: Site },
): Entry => {
  const id = cursorOf(place)
  const { type, url, ...rest } = change
  const page = hasPages ? pageOf(change) : undefined
  return {
    seq: place.seq,
    id,
    ...headOf(change),
    text: JSON.stringify({
      id,
      type,
      time,
      version,
      url: versioned(linkPath + url, version),
      ...(page !== undefined && { page: linkPath + page }),
      ...rest,
    }),
  }
}

/** The changes that a reader wants; undefined means all. */
export interface Filter {
  readonly types: ReadonlySet<string> | undefined
  /** Clean names in the form of {@link namesText}. */
  readonly bots: string | undefined
  readonly tournament: string | undefined
}

/** Clean names between commas: as a set, the 1,100 names of a long URL took 160 KB per reader. */
export const namesText = (names: readonly string[]): string =>
  Buffer.from(`,${[...new Set(names)].join(',')},`, 'latin1').toString('latin1')

export const everything: Filter = { types: undefined, bots: undefined, tournament: undefined }

const removals: ReadonlySet<ChangeType> = new Set([
  'tournament.removed',
  'fight.removed',
  'recording.removed',
  'clip.removed',
  'still.removed',
] as const)

/** True if a change removes something; such a change has only ids. */
export const isRemoval = ({ type }: Pick<Change, 'type'>): boolean => removals.has(type)

/** Changes that may concern any bot: removals have only ids, and a cage whose fight was removed has none. */
const concernsAnyBot = (entry: EntryHead): boolean =>
  isRemoval(entry) || (entry.type === 'cage.changed' && entry.bots.length === 0)

export const matches = ({ types, bots, tournament }: Filter, entry: EntryHead): boolean =>
  (types === undefined || types.has(entry.type)) &&
  (bots === undefined ||
    entry.bots.some((bot) => bots.includes(`,${bot},`)) ||
    concernsAnyBot(entry)) &&
  (tournament === undefined ||
    // The change of a cage names no tournament once its tournament is removed.
    entry.tournaments.length === 0 ||
    entry.tournaments.includes(tournament))
