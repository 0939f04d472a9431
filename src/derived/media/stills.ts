import { cleanName } from '../../data/league/cleanName.ts'
import { foldText } from '../../data/league/foldText.ts'
import type { TournamentChange } from '../../data/league/merge.ts'
import { newestStillFirst } from '../../data/league/order.ts'
import {
  intersect,
  positionAfter,
  replaceInSteps,
  replaceSorted,
} from '../../data/league/sortedList.ts'
import type { Still, Tournament } from '../../data/league/types.ts'
import { compareTexts } from '../../runtime/compareTexts.ts'
import { atOnce, type Steps } from '../../runtime/timeSlice.ts'

/** The stills of one filter value. */
interface Posting {
  /** The value, folded for comparison. */
  readonly key: string
  /** The value as spelt at the newest still. */
  readonly label: string
  /** At least one, newest first. */
  readonly stills: readonly Still[]
}

/** By key, each once. */
type Postings = readonly Posting[]

/** A tournament with stills. */
interface StillEvent {
  readonly tournamentID: string
  readonly foldedID: string
  readonly foldedName: string
  /** Newest first. */
  readonly stills: readonly Still[]
}

/** Every still of the league, with an index for each filter. */
export interface Stills {
  readonly newestFirst: readonly Still[]
  readonly byID: readonly Still[]
  readonly byToken: readonly Still[]
  readonly heroes: readonly Still[]
  /** Keys are clean names. */
  readonly byBot: Postings
  /** Keys are folded texts, see `foldText`: so are those of the sources. */
  readonly byTag: Postings
  readonly bySource: Postings
  /** The entries of `byTag`, those with the most stills first, then by label. */
  readonly tagsByUse: Postings
  /** By tournament id. */
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

const byID = (a: Still, b: Still): number => a.id - b.id
const byToken = (a: Still, b: Still): number => compareTexts(a.token, b.token)
const byKey = (a: Posting, b: Posting): number => compareTexts(a.key, b.key)
const mostUsedFirst = (a: Posting, b: Posting): number =>
  b.stills.length - a.stills.length || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0)
const byTournament = (a: StillEvent, b: StillEvent): number =>
  compareTexts(a.tournamentID, b.tournamentID)

const findPosting = (postings: Postings, key: string): Posting | undefined => {
  const posting = postings[positionAfter(postings, (posting) => posting.key < key)]
  return posting?.key === key ? posting : undefined
}

/** Stills whose labels are read in one step: a millisecond. */
const maxStepStills = 2000

/** The entries that stills leave or join, before and after. */
function* changePostings(
  postings: Postings,
  removed: readonly Still[],
  added: readonly Still[],
  { labelsOf, keyOf }: Facet,
): Steps<{ readonly before: Postings; readonly after: Postings }> {
  const changes = new Map<string, { removed: Still[]; added: Still[] }>()
  // Few labels belong to many stills.
  const byLabel = new Map<string, ReturnType<typeof changeOf>>()
  const changeOf = (label: string) => {
    return changes.getOrInsertComputed(keyOf(label), () => ({ removed: [], added: [] }))
  }
  for (const [side, stills] of Object.entries({ removed, added })) {
    for (const [index, still] of stills.entries()) {
      if (index % maxStepStills === 0) yield
      for (const label of labelsOf(still)) {
        const change = byLabel.getOrInsertComputed(label, changeOf)
        const own = side === 'added' ? change.added : change.removed
        // Two of its labels can have one key.
        if (own.at(-1) !== still) own.push(still)
      }
    }
  }

  const before: Posting[] = []
  const after: Posting[] = []
  changes.delete('')
  // The number of labels of a still has no limit.
  const spellings = new Map<Still, ReadonlyMap<string, string>>()
  const spellingsOf = (still: Still): ReadonlyMap<string, string> =>
    new Map(
      labelsOf(still)
        .toReversed()
        .map((label) => [keyOf(label), label]),
    )
  for (const [key, change] of changes) {
    yield
    const known = findPosting(postings, key)
    if (known) before.push(known)
    const list = known?.stills ?? []
    const stills = replaceSorted(list, change.removed, change.added, newestStillFirst)
    const [newest] = stills
    if (!newest) continue
    const label = spellings.getOrInsertComputed(newest, spellingsOf).get(key) ?? key
    after.push({ key, label, stills })
  }
  return { before, after }
}

function* updatePostings(...input: Parameters<typeof changePostings>): Steps<Postings> {
  const { before, after } = yield* changePostings(...input)
  return yield* replaceInSteps(input[0], before, after, byKey)
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

/** The tournaments of a change whose lists of stills are not shared by both versions. */
export const withOtherStills = ({ removed, added }: TournamentChange): TournamentChange => {
  const before = new Set(removed.map((tournament) => tournament.stills))
  const after = new Set(added.map((tournament) => tournament.stills))
  return {
    removed: removed.filter(({ stills }) => !after.has(stills)),
    added: added.filter(({ stills }) => !before.has(stills)),
  }
}

function* updateSteps(
  stills: Stills,
  removed: readonly Tournament[],
  added: readonly Tournament[],
): Steps<Stills> {
  const gone = removed.flatMap((tournament) => tournament.stills)
  const come = added.flatMap((tournament) => tournament.stills)
  if (gone.length === 0 && come.length === 0) return stills
  const isHero = (still: Still): boolean => still.isHero
  const newestFirst = yield* replaceInSteps(stills.newestFirst, gone, come, newestStillFirst)
  const sortedByID = yield* replaceInSteps(stills.byID, gone, come, byID)
  const sortedByToken = yield* replaceInSteps(stills.byToken, gone, come, byToken)
  // In their order where all are new: lists of them need no sorting.
  const ordered = stills.newestFirst.length === 0 ? newestFirst : come
  const byBot = yield* updatePostings(stills.byBot, gone, ordered, bots)
  const tagChange = yield* changePostings(stills.byTag, gone, ordered, tags)
  const bySource = yield* updatePostings(stills.bySource, gone, ordered, sources)
  const { before, after } = tagChange
  const byTag = yield* replaceInSteps(stills.byTag, before, after, byKey)
  const tagsByUse = yield* replaceInSteps(stills.tagsByUse, before, after, mostUsedFirst)
  const heroes = [gone.filter(isHero), ordered.filter(isHero)] as const
  return {
    newestFirst,
    byID: sortedByID,
    byToken: sortedByToken,
    heroes: yield* replaceInSteps(stills.heroes, ...heroes, newestStillFirst),
    byBot,
    byTag,
    tagsByUse,
    bySource,
    events: replaceSorted(stills.events, eventsOf(removed), eventsOf(added), byTournament),
  }
}

/**
 * The stills after a change, equal to {@link buildStills} of all tournaments; rebuilds only the lists with
 * stills of the changed tournaments.
 */
export const updateStills = (...input: Parameters<typeof updateSteps>): Stills =>
  atOnce(updateSteps(...input))

const noStills: Stills = {
  newestFirst: [],
  byID: [],
  byToken: [],
  heroes: [],
  byBot: [],
  byTag: [],
  tagsByUse: [],
  bySource: [],
  events: [],
}

export const stillSteps = (tournaments: readonly Tournament[]): Steps<Stills> =>
  updateSteps(noStills, [], tournaments)

export const buildStills = (tournaments: readonly Tournament[]): Stills =>
  atOnce(stillSteps(tournaments))

/** The still with this number (decimal, without leading zeros) or public token. */
export const findStill = (stills: Stills, idOrToken: string): Still | undefined => {
  if (/^[1-9]\d{0,15}$/.test(idOrToken)) {
    const id = Number(idOrToken)
    const still = stills.byID[positionAfter(stills.byID, (still) => still.id < id)]
    if (still?.id === id) return still
  }
  const at = positionAfter(stills.byToken, (still) => still.token < idOrToken)
  const still = stills.byToken[at]
  return still?.token === idOrToken ? still : undefined
}

/** Filters; all that are defined must match. */
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
 * The stills that pass all filters, newest first. Walks the shortest list. An event that matches many
 * tournaments is a predicate on the other lists.
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
