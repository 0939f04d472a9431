import { isTable, type Standing, stagesOf, standingsOf } from './stages.ts'
import type { Bracket, Corner, Game } from './types.ts'

type Games = readonly Game[]
type Places = ReadonlyMap<string, number>

const cornersOf = (game: Game): readonly [Corner, Corner] => [game.red, game.blue]

const hasWinner = (game: Game): boolean => game.red.isWinner || game.blue.isWinner

/** True if a game is not done and can change the wins of both corners: neither has a bye. */
const isOpen = (game: Game): boolean =>
  game.state !== 'done' && cornersOf(game).every(({ player }) => player?.isBot !== false)

/** Ranks in the table that no open fight can change. */
const tablePlaces = (stage: Bracket): Places => {
  const standings = standingsOf(stage)
  const open = new Map<string, number>()
  for (const game of stage.games.filter(isOpen)) {
    for (const { player } of cornersOf(game)) {
      if (player) open.set(player.id, (open.get(player.id) ?? 0) + 1)
    }
  }
  /** Number of bots that can end with each number of wins, and true if one certainly does. */
  const reach = new Map<number, { count: number; isSure: boolean }>()
  const winsOf = ({ player, wins }: Standing): number[] =>
    Array.from({ length: (open.get(player.id) ?? 0) + 1 }, (_, more) => wins + more)
  for (const standing of standings) {
    for (const wins of winsOf(standing)) {
      const own = reach.getOrInsertComputed(wins, () => ({ count: 0, isSure: true }))
      own.count += 1
      own.isSure &&= !open.has(standing.player.id)
    }
  }
  const isSettled = (standing: Standing): boolean =>
    winsOf(standing).every((wins) => {
      const { count, isSure } = reach.get(wins) ?? { count: 0, isSure: true }
      return isSure || count === 1
    })
  return new Map(standings.filter(isSettled).map(({ player, rank }) => [player.id, rank]))
}

const isLost = (state: Corner['state']): boolean =>
  state === 'loser' || state === 'loser_by_default'

/** Winner and loser of a finished game by its corners; undefined if it is open or will be fought again. */
export const resultOf = <Seat>(
  { state, red, blue, isFight, tournament }: Game,
  [first, second]: readonly [Seat, Seat],
  nobody: Seat,
): { readonly winner: Seat; readonly loser: Seat } | undefined => {
  if (state !== 'done') return undefined
  if (red.isWinner) return { winner: first, loser: second }
  if (blue.isWinner) return { winner: second, loser: first }
  const isOver = isLost(red.state) && isLost(blue.state)
  return isOver || !isFight || !tournament.active ? { winner: nobody, loser: nobody } : undefined
}

/** Pairs of games for one place: the first, and the second meeting of the same bots. */
interface Meetings {
  /** Second grand finals by the id of the first; the first feeds both of their corners. */
  readonly seconds: ReadonlyMap<string, Game>
  /** Games that nobody won, by id, with the game of the same bracket that repeats them. */
  readonly refights: ReadonlyMap<string, Game>
}

export const findMeetings = (games: Games): Meetings => {
  const seconds = new Map<string, Game>()
  for (const game of games) {
    const { red, blue } = game
    if (red.prevGameID !== null && red.prevGameID === blue.prevGameID)
      seconds.set(red.prevGameID, game)
  }
  const refights = new Map<string, Game>()
  const isUndecided = (game: Game): boolean => game.state === 'done' && !hasWinner(game)
  const fights = games.filter(({ isFight }) => isFight)
  const undecided = fights.filter(isUndecided)
  // Most leagues have no repeated games.
  if (undecided.length === 0) return { seconds, refights }
  const keyOf = ({ bracketID, red, blue }: Game): string =>
    JSON.stringify([bracketID, ...[red, blue].map(({ player }) => player?.id).sort()])
  const meetings = new Map(
    fights.filter((game) => !isUndecided(game)).map((game) => [keyOf(game), game]),
  )
  const feeders = new Set(games.flatMap(cornersOf).map(({ prevGameID }) => prevGameID))
  for (const game of undecided) {
    const again = meetings.get(keyOf(game))
    const isSameRound = again?.round === game.round
    // Two bots can meet in a later round as well, which is another game than the one it follows from.
    const isLater = again !== undefined && again.round > game.round && !feeders.has(game.id)
    if (again && (isSameRound || isLater)) refights.set(game.id, again)
  }
  return { seconds, refights }
}

/** Second grand finals that nobody won; their winner is the winner of the first, who had lost no game. */
export const needlessOf = (games: Games, { seconds }: Meetings): ReadonlySet<Game> => {
  const beaten = new Set(
    games.filter(hasWinner).map(({ red, blue }) => (red.isWinner ? blue : red).player?.id),
  )
  return new Set(
    games.flatMap(({ id, red, blue }) => {
      const second = seconds.get(id)
      const champion = [red, blue].find(({ isWinner }) => isWinner)?.player
      return second && !hasWinner(second) && champion && !beaten.has(champion.id) ? [second] : []
    }),
  )
}

/**
 * The place of each game's loser by game id. Two games for one place can have it in either row, and a
 * second grand final is for the second. A loser's place cannot be the first: such a value is wrong.
 */
const loserPlaces = (games: Games, { seconds, refights }: Meetings): Places => {
  const places = new Map<string, number>()
  for (const { id, loserPlacement } of games) {
    if (loserPlacement !== null && loserPlacement > 1) places.set(id, loserPlacement)
  }
  for (const game of games) {
    const [second, refight] = [seconds.get(game.id), refights.get(game.id)]
    const again = second ?? refight
    if (!again) continue
    const place =
      places.get(again.id) ?? places.get(game.id) ?? (second && hasWinner(game) ? 2 : undefined)
    if (place === undefined) continue
    places.set(again.id, place)
    places.set(game.id, place)
  }
  return places
}

/**
 * Places by the last game of each player. Its loser takes the place the game is for, its winner the
 * place above: first in the final, third in the game for third place. The last game is the one that
 * feeds no other game of the same player, so a first grand final that is followed by a reset, or a
 * winners' game that drops its loser, decides nothing. An open game leaves the places of those open
 * that are in it or can still come to it, unless the other corner stays empty: that is a walkover.
 */
const elimination = (games: Games): Places => {
  const meetings = findMeetings(games)
  const needless = needlessOf(games, meetings)
  const lost = loserPlaces(games, meetings)
  const counted = games.filter((game) => !needless.has(game) && !meetings.refights.has(game.id))
  const decidedID = (id: string): string => meetings.refights.get(id)?.id ?? id
  const followers = new Map<string, Corner[]>()
  for (const game of games) {
    if (needless.has(game)) continue
    // Games that feed a repeated game feed its repetition: by its own links, or through the first.
    if (meetings.refights.has(game.id) && !meetings.seconds.has(game.id)) continue
    for (const corner of cornersOf(game)) {
      if (corner.prevGameID === null) continue
      const feederID = decidedID(corner.prevGameID)
      if (feederID !== decidedID(game.id))
        followers.getOrInsertComputed(feederID, () => []).push(corner)
    }
  }
  const sendsNobody = new Set(
    counted
      .filter(
        (game) => game.state === 'done' && cornersOf(game).every(({ state }) => isLost(state)),
      )
      .map(({ id }) => id),
  )
  const staysEmpty = ({ player, prevGameID }: Corner): boolean =>
    player ? player.isBye : prevGameID !== null && sendsNobody.has(prevGameID)
  const places = new Map<string, number>()
  const open = new Set<string>()
  for (const game of counted) {
    const { red, blue } = game
    const isDone = game.state === 'done'
    const wins = (own: Corner, other: Corner): boolean =>
      isDone ? own.isWinner : staysEmpty(other) && !staysEmpty(own)
    const winner = wins(red, blue) ? red : wins(blue, red) ? blue : undefined
    const place = lost.get(game.id)
    const next = followers.get(game.id) ?? []
    for (const corner of [red, blue]) {
      const { player } = corner
      if (!player?.isBot) continue
      if (!(isDone || winner)) open.add(player.id)
      // A double forfeit of the final leaves the first and second place empty.
      else if (!winner && place !== undefined && place % 2 === 0 && next.length === 0)
        open.add(player.id)
      else if (corner === winner) {
        const loser = (winner === red ? blue : red).player
        // Odd places are shared by losers of one round, whose winners go on.
        if (place === undefined || place % 2 === 1) continue
        if (next.every((each) => loser && each.player?.id === loser.id))
          places.set(player.id, place - 1)
      } else if (place !== undefined) {
        const hasNext = next.some((each) => each.player?.id === player.id)
        const takers = next.filter((each) => !each.player?.isBye)
        if (!hasNext && !(winner && takers.length > 1)) places.set(player.id, place)
      }
    }
  }
  for (const playerID of open) places.delete(playerID)
  return places
}

/**
 * Final places by player id, 1 is the winner; empty while the tournament is active. The eliminations of
 * several stages decide; groups without one give no places, nor do qualifying and exhibition games.
 */
export const buildPlacements = (active: boolean, brackets: readonly Bracket[]): Places => {
  if (active) return new Map()
  const stages = stagesOf(brackets)
  const knockout = stages.filter((stage) => !isTable(stage))
  if (knockout.length > 0) return elimination(knockout.flatMap(({ games }) => games))
  const [table, ...others] = stages
  return table && others.length === 0 ? tablePlaces(table) : new Map()
}
