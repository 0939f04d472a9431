import type { Change, ChangeType } from './schema.ts'

/** A change in the feed, as text: thousands of them are kept. */
export interface Entry {
  readonly seq: number
  /** Its cursor. */
  readonly id: string
  readonly type: ChangeType
  readonly bots: readonly string[]
  /** Ids of the tournaments concerned. */
  readonly tournaments: readonly string[]
  /** The change in JSON. */
  readonly text: string
}

/** Place of a change in the feed. */
export interface Place {
  readonly epoch: string
  readonly seq: number
}

export const cursorOf = ({ epoch, seq }: Place): string => `${epoch}-${seq}`

/** Undefined for what is no cursor. */
export const readCursor = (text: string): Place | undefined => {
  const [, epoch = '', seq] = /^([0-9a-z]{8,16})-(\d{1,15})$/.exec(text) ?? []
  return seq === undefined ? undefined : { epoch, seq: Number(seq) }
}

/** Ids of the tournaments that a change concerns. */
const tournamentsOf = (change: Change): readonly string[] => {
  if (change.type !== 'cage.changed') return [change.tournamentID]
  const { match = null, queue = [] } = change.after ?? {}
  return [...(match ? [match] : []), ...queue].map(({ tournamentID }) => tournamentID)
}

/** A change at its place. `basePath` comes before its address. */
export const entryOf = (
  change: Change,
  { place, time, basePath }: { place: Place; time: number; basePath: string },
): Entry => {
  const id = cursorOf(place)
  const { type, url, ...rest } = change
  return {
    seq: place.seq,
    id,
    type,
    bots: change.bots,
    tournaments: tournamentsOf(change),
    text: JSON.stringify({ id, type, time, url: basePath + url, ...rest }),
  }
}

/** Which changes a reader wants; undefined is all. */
export interface Filter {
  readonly types: ReadonlySet<string> | undefined
  /** Clean name. */
  readonly bot: string | undefined
  readonly tournament: string | undefined
}

const removals: ReadonlySet<ChangeType> = new Set([
  'tournament.removed',
  'fight.removed',
  'recording.removed',
  'clip.removed',
  'still.removed',
] as const)

/** Whether a change removes something; such a change has ids alone. */
export const isRemoval = ({ type }: Pick<Change, 'type'>): boolean => removals.has(type)

/** Removals pass the filter for a bot whatever they were of. */
export const matches = ({ types, bot, tournament }: Filter, entry: Entry): boolean =>
  (types === undefined || types.has(entry.type)) &&
  (bot === undefined || entry.bots.includes(bot) || isRemoval(entry)) &&
  (tournament === undefined || entry.tournaments.includes(tournament))
