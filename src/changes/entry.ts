import { mentions, tournamentKey } from './mentions.ts'
import type { Change, ChangeType } from './schema.ts'

/** A change in the feed, as text: thousands of them are kept. */
export interface Entry {
  readonly seq: number
  /** Its cursor. */
  readonly id: string
  readonly type: ChangeType
  readonly bots: readonly string[]
  /** Keys of what it mentions, see mentions.ts. */
  readonly mentions: readonly string[]
  /** The change in JSON. */
  readonly text: string
  /** The same without a part, for when the tournament of this key is removed. */
  readonly partial: { readonly without: string; readonly text: string } | undefined
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

/** Whether a change asks to read its tournament again. */
export const isReload = (change: Change): boolean =>
  change.type === 'tournament.added' || (change.type === 'tournament.changed' && change.reload)

/** A change at its place. `basePath` comes before its address. */
export const entryOf = (
  change: Change,
  { place, time, basePath }: { place: Place; time: number; basePath: string },
): Entry => {
  const id = cursorOf(place)
  const { type, url, ...rest } = change
  const textOf = (fields: object): string =>
    JSON.stringify({ id, type, time, url: basePath + url, ...fields })
  const origin = change.type === 'bot.renamed' ? change.before?.tournamentID : undefined
  return {
    seq: place.seq,
    id,
    type,
    bots: change.bots,
    mentions:
      change.type === 'tournament.removed' ? [`removed ${change.tournamentID}`] : mentions(change),
    text: textOf(rest),
    partial:
      origin === undefined
        ? undefined
        : { without: tournamentKey(origin), text: textOf({ ...rest, before: undefined }) },
  }
}

/** An entry without what was removed after it; undefined where nothing is left. */
export const entryWithout = (entry: Entry, removed: ReadonlySet<string>): Entry | undefined => {
  if (entry.mentions.some((key) => removed.has(key))) return undefined
  if (!entry.partial || !removed.has(entry.partial.without)) return entry
  return { ...entry, text: entry.partial.text, partial: undefined }
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

/** Removals have ids alone, and pass the filter for a bot whatever they were of. */
export const matches = ({ types, bot, tournament }: Filter, entry: Entry): boolean =>
  (types === undefined || types.has(entry.type)) &&
  (bot === undefined || entry.bots.includes(bot) || removals.has(entry.type)) &&
  (tournament === undefined ||
    entry.mentions.includes(tournamentKey(tournament)) ||
    entry.mentions[0] === `removed ${tournament}`)
