import { findMeetings, needlessOf, resultOf } from '../../data/league/placements.ts'
import { type Feed, feedsOf, inOrder } from '../../data/league/progression.ts'
import type { Cages, Corner, Dataset, Game, Player, Tournament } from '../../data/league/types.ts'
import { compareTexts } from '../../runtime/compareTexts.ts'
import { type Expectations, expectedAt, periodEnd } from './expected.ts'
import { minSamples, presentOf, quantile, repairOf } from './pace.ts'

/** Possible players of a corner: none if it stays empty, undefined if unknown or more than {@link maxComers}. */
type Comers = readonly Player[] | undefined
type Corners = readonly [Comers, Comers]

/** A game of a bracket, with the possibilities that the games before it leave. */
export interface Prospect {
  readonly comers: Corners
  /** Earliest possible start in Unix seconds; null if nothing can be said, and once it has begun. */
  readonly notBefore: number | null
}

/** Link from a game to one that its bots go to; the corners of a second grand final are not known. */
interface Way extends Omit<Feed, 'takes'> {
  readonly takes: Feed['takes'] | 'either'
}

export interface Rounds {
  /** Games that are not done. */
  readonly prospects: ReadonlyMap<Game, Prospect>
  /** Links from games that are fought; a repeated game has links only from the fight that counts. */
  readonly feeds: readonly Way[]
}

/** A game that may follow a fight of a bot, or that the bot waits in for an opponent. */
export interface NextGame extends Pick<Prospect, 'notBefore'> {
  readonly game: Game
  /** The game of the bot before it; null if the bot waits in this game. */
  readonly after: Way | null
  readonly opponents: Comers
  readonly opponentFeed: Way | undefined
}

export const maxComers = 8

const either = ([red, blue]: Corners): Comers => {
  const all = red && blue && [...new Set([...red, ...blue])]
  return all && all.length <= maxComers ? all : undefined
}

const isFought = (comers: readonly Comers[]): boolean => comers.every((each) => each?.length !== 0)

/** A second grand final; both of its corners come from the first, in any order. */
const isSecond = ({ red, blue }: Game): boolean =>
  red.prevGameID !== null && red.prevGameID === blue.prevGameID

/** Possible players and earliest start of each game. */
export const buildRounds = (
  { brackets }: Pick<Tournament, 'brackets'>,
  /** `length` of a fight and `repair` are in seconds. */
  times: { readonly now: number; readonly length: number; readonly repair: number },
  expected: Expectations,
): Rounds => {
  const games = brackets.flatMap((bracket) => bracket.games)
  const meetings = findMeetings(games)
  const { refights } = meetings
  const needless = needlessOf(games, meetings)
  const listed = feedsOf(games).map(
    (feed): Way => ({
      ...feed,
      takes: isSecond(feed.target) ? 'either' : feed.takes,
      source: refights.get(feed.source.id) ?? feed.source,
    }),
  )
  const feedsByTarget = Map.groupBy(listed, ({ target }) => target)
  const feedsTo = (game: Game): readonly Way[] => feedsByTarget.get(game) ?? []
  const feeds: Way[] = []
  /** Feed of the other corner of a game with a bye. */
  const passed = new Map<Game, Way>()
  /** `readyAt` is the time at which its bots can fight again; 0 if nothing can be said. */
  const outcomes = new Map<Game, Record<Way['takes'], Comers> & { readonly readyAt: number }>()
  const prospects = new Map<Game, Prospect>()
  const comersTo = ({ player }: Corner, feed: Way | undefined): Comers => {
    if (player?.isBot) return [player]
    return player?.isBye ? [] : feed && outcomes.get(feed.source)?.[feed.takes]
  }
  const endOf = (game: Game, from: number): number => {
    if (game.state === 'done') return Math.min(times.now, game.finishUnix ?? 0)
    const start = game.state === 'active' ? Math.min(times.now, game.startUnix ?? 0) : from
    return start && Math.max(times.now, start + times.length)
  }
  for (const game of inOrder(games, (each) => feedsTo(each).map(({ source }) => source))) {
    const own = feedsTo(game).map((feed) => {
      const before = feed.takes !== 'loser' ? passed.get(feed.source) : undefined
      return before ? { ...feed, source: before.source, takes: before.takes } : feed
    })
    feeds.push(...own)
    const [red, blue] = [0, 1].map((index) => own.find(({ corner }) => corner === index))
    const comers: Corners = [comersTo(game.red, red), comersTo(game.blue, blue)]
    const rest = own.find(({ corner }) => comers[corner]?.length !== 0)
    if (!isFought(comers) && rest) passed.set(game, rest)
    const start = game.isFight ? expected.get(game)?.at?.from : undefined
    const before = own.map(({ source }) => outcomes.get(source)?.readyAt ?? 0)
    const from = Math.max(0, start ?? 0, ...before)
    const end = endOf(game, from)
    const readyAt = isFought(comers) ? end && end + times.repair : from
    outcomes.set(game, {
      winner: either(comers),
      loser: isFought(comers) ? either(comers) : [],
      ...resultOf<Comers>(game, comers, []),
      either: either(comers),
      readyAt: readyAt > times.now ? readyAt : 0,
    })
    const isSaid = isFought(comers) && from > 0 && game.state === 'pending'
    // A second grand final stays empty if the winners' side won the first one.
    if (game.state !== 'done' && !needless.has(game))
      prospects.set(game, { comers, notBefore: isSaid ? from : null })
  }
  return { prospects, feeds }
}

/** The last values by the cages of an archive, which no other archive has, and by tournament. */
const lastByCages = new WeakMap<Cages, Map<Tournament, { value: Rounds; validUntil: number }>>()

/** The rounds of a tournament at a time, and the Unix second from which they differ. */
export const roundsAt = (
  archive: { readonly dataset: Dataset; readonly cages: Cages },
  tournament: Tournament,
  now: number,
): { readonly value: Rounds; readonly validUntil: number } => {
  const validUntil = periodEnd(now)
  const kept = lastByCages.getOrInsertComputed(archive.cages, () => new Map())
  const last = kept.get(tournament)
  if (last?.validUntil === validUntil) return last
  const { past, day } = presentOf(archive.dataset.tournaments, validUntil)
  const { pace } = past
  const times = {
    now: validUntil,
    length: quantile(pace.durations, 0.1),
    repair: pace.rests.length < minSamples ? 0 : repairOf(pace, day.rests),
  }
  const rounds = buildRounds(tournament, times, expectedAt(archive, now).fights)
  kept.set(tournament, { value: rounds, validUntil })
  return { value: rounds, validUntil }
}

/** True if a player has lost a game on the way to one. */
const hasLost = ({ feeds }: Rounds, player: Player, to: Game): boolean => {
  const byTarget = Map.groupBy(feeds, ({ target }) => target)
  const before = inOrder([to], (game) => (byTarget.get(game) ?? []).map(({ source }) => source))
  return before.some(
    (game) => resultOf(game, [game.red.player, game.blue.player], null)?.loser === player,
  )
}

/** The games that a bot waits in for an opponent, and the games that may follow its fights. */
export const nextGames = (rounds: Rounds, cleanName: string): readonly NextGame[] => {
  const { prospects, feeds } = rounds
  const next = (game: Game, player: Player, corner: 0 | 1, way: Way | null) => {
    const { comers, notBefore } = prospects.get(game) ?? { comers: [[], []], notBefore: null }
    const isKept = comers[corner]?.every((each) => each !== player)
    if (game.isFight || !isFought(comers) || isKept) return []
    if (way && isSecond(game) && corner === 1) return []
    // A second grand final is fought unless the winner of the first one had no loss before.
    const lastOf = (): Way['takes'] => (hasLost(rounds, player, game) ? 'winner' : 'loser')
    const after = way && isSecond(game) ? { ...way, takes: lastOf() } : way
    const other = corner === 0 ? 1 : 0
    const opponents = comers[other]?.filter((each) => each !== player)
    const opponentFeed = feeds.find((each) => each.target === game && each.corner === other)
    return [{ game, after, opponents, opponentFeed, notBefore }]
  }
  return [...prospects].flatMap(([game, { comers }]) =>
    ([0, 1] as const).flatMap((corner) => {
      const [player, another] = comers[corner] ?? []
      if (player?.cleanName !== cleanName || another || !isFought(comers)) return []
      const later = feeds
        .filter(({ source }) => source === game)
        .sort((a, b) => compareTexts(b.takes, a.takes))
      return [
        ...next(game, player, corner, null),
        ...later.flatMap((feed) => next(feed.target, player, feed.corner, feed)),
      ]
    }),
  )
}
