import { cleanName } from '../../data/league/cleanName.ts'
import { foldText } from '../../data/league/foldText.ts'
import type { TournamentChange } from '../../data/league/merge.ts'
import { newestStillFirst } from '../../data/league/order.ts'
import { intersect, positionAfter } from '../../data/league/sortedList.ts'
import type { Still, Tournament } from '../../data/league/types.ts'
import { compareTexts } from '../../runtime/compareTexts.ts'
import type { Steps } from '../../runtime/timeSlice.ts'

/** The stills of one filter value. */
interface Posting {
  /** The value, folded for comparison. */
  readonly key: string
  /** Label as spelt at the newest still. */
  readonly label: string
  /** At least one still, newest first. */
  readonly stills: readonly Still[]
}

/** Postings sorted by key, each once. */
type Postings = readonly Posting[]

/** A tournament with stills. */
interface StillEvent {
  readonly tournamentID: string
  readonly foldedID: string
  readonly foldedName: string
  /** Stills, newest first. */
  readonly stills: readonly Still[]
}

/** Every still of the league, with an index for each filter. */
export interface Stills {
  readonly newestFirst: readonly Still[]
  readonly byID: ReadonlyMap<number, Still>
  readonly byToken: ReadonlyMap<string, Still>
  readonly heroes: readonly Still[]
  /** Keys are clean names. */
  readonly byBot: Postings
  /** Keys are folded texts, see `foldText`; so are the keys of sources. */
  readonly byTag: Postings
  readonly bySource: Postings
  /** The entries of `byTag` by number of stills, then by label. */
  readonly tagsByUse: Postings
  /** Stills by tournament id. */
  readonly events: readonly StillEvent[]
}

/** The labels of a still for one filter, and their keys. */
interface Facet {
  readonly labelsOf: (still: Still) => readonly string[]
  /** An empty key is not indexed. */
  readonly keyOf: (label: string) => string
}

const bots: Facet = {
  labelsOf: ({ bot }) => (bot ? [bot.name] : []),
  keyOf: cleanName,
}
const tags: Facet = { labelsOf: (still) => still.tags, keyOf: foldText }
const sources: Facet = { labelsOf: ({ source }) => [source], keyOf: foldText }

const mostUsedFirst = (a: Posting, b: Posting): number =>
  b.stills.length - a.stills.length || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0)
const findPosting = (postings: Postings, key: string): Posting | undefined => {
  const posting = postings[positionAfter(postings, (posting) => posting.key < key)]
  return posting?.key === key ? posting : undefined
}

/** Number of stills whose labels are read in one step: a millisecond. */
const stepStills = 2000

/** The stills of each filter value; `stills` are newest first. */
function* postingSteps(
  stills: readonly Still[],
  { labelsOf, keyOf }: Facet,
): Steps<readonly Posting[]> {
  const postings = new Map<string, { readonly label: string; readonly stills: Still[] }>()
  // Few labels belong to many stills.
  const byLabel = new Map<string, { readonly label: string; readonly stills: Still[] }>()
  const postingOf = (label: string) =>
    postings.getOrInsertComputed(keyOf(label), () => ({ label, stills: [] }))
  for (const [index, still] of stills.entries()) {
    if (index % stepStills === 0) yield
    for (const label of labelsOf(still)) {
      const own = byLabel.getOrInsertComputed(label, postingOf).stills
      // Two of its labels can have one key.
      if (own.at(-1) !== still) own.push(still)
    }
  }
  postings.delete('')
  return [...postings]
    .map(([key, posting]) => ({ key, ...posting }))
    .sort((a, b) => compareTexts(a.key, b.key))
}

const eventsOf = (tournaments: readonly Tournament[]): StillEvent[] =>
  tournaments
    .filter(({ stills }) => stills.length > 0)
    .map(({ info, stills }) => ({
      tournamentID: info.id,
      foldedID: foldText(info.id),
      foldedName: foldText(info.name),
      stills,
    }))
    .sort((a, b) => compareTexts(a.tournamentID, b.tournamentID))

export function* stillSteps(tournaments: readonly Tournament[]): Steps<Stills> {
  const newestFirst = tournaments.flatMap(({ stills }) => stills).sort(newestStillFirst)
  yield
  const byBot = yield* postingSteps(newestFirst, bots)
  const byTag = yield* postingSteps(newestFirst, tags)
  const bySource = yield* postingSteps(newestFirst, sources)
  return {
    newestFirst,
    byID: new Map(newestFirst.map((still) => [still.id, still])),
    byToken: new Map(newestFirst.map((still) => [still.token, still])),
    heroes: newestFirst.filter(({ isHero }) => isHero),
    byBot,
    byTag,
    tagsByUse: byTag.toSorted(mostUsedFirst),
    bySource,
    events: eventsOf(tournaments),
  }
}

/** True if each changed tournament has the same list of stills as before, and the same name. */
export const keepsStills = ({ removed, added }: TournamentChange): boolean => {
  const before = new Map(removed.map((tournament) => [tournament.info.id, tournament]))
  return (
    removed.length === added.length &&
    added.every(({ info, stills }) => {
      const known = before.get(info.id)
      return known?.stills === stills && known.info.name === info.name
    })
  )
}

/** The still with this number (decimal, without leading zeros) or public token. */
export const findStill = ({ byID, byToken }: Stills, idOrToken: string): Still | undefined => {
  const isNumber = /^[1-9]\d{0,15}$/.test(idOrToken)
  return (isNumber ? byID.get(Number(idOrToken)) : undefined) ?? byToken.get(idOrToken)
}

/** Filters; a still must match all defined ones. */
export interface StillFilter {
  /** A display or clean name. */
  readonly bot: string | undefined
  readonly tag: string | undefined
  readonly heroesOnly: boolean
  /** The id of a tournament, or a part of its name. */
  readonly event: string | undefined
  readonly source: string | undefined
}

const sum = (events: readonly StillEvent[]): number =>
  events.reduce((total, { stills }) => total + stills.length, 0)

/**
 * The stills that pass all filters, newest first. Walks the shortest list. An event that matches many tournaments is a
 * predicate on the other lists.
 */
export const filterStills = (
  stills: Stills,
  { bot, tag, heroesOnly, event, source }: StillFilter,
): readonly Still[] => {
  const find = (postings: Postings, { keyOf }: Facet, label: string | undefined) =>
    label === undefined ? [] : [findPosting(postings, keyOf(label))?.stills ?? []]
  const lists = [
    ...find(stills.byBot, bots, bot),
    ...find(stills.byTag, tags, tag),
    ...find(stills.bySource, sources, source),
    ...(heroesOnly ? [stills.heroes] : []),
  ]
  if (event === undefined) {
    return lists.length === 0 ? stills.newestFirst : intersect(lists, newestStillFirst)
  }
  const text = foldText(event)
  const events = stills.events.filter(
    ({ foldedID, foldedName }) => foldedID === text || foldedName.includes(text),
  )
  const shortest = Math.min(stills.newestFirst.length / 4, ...lists.map(({ length }) => length))
  if (sum(events) <= shortest) {
    const own = events.flatMap((each) => each.stills).sort(newestStillFirst)
    return intersect([...lists, own], newestStillFirst)
  }
  const ids = new Set(events.map(({ tournamentID }) => tournamentID))
  const candidates = lists.length === 0 ? stills.newestFirst : intersect(lists, newestStillFirst)
  return candidates.filter(({ tournamentID }) => ids.has(tournamentID))
}
