import type { Bracket, Corner, Format, Game } from './types.ts'

const cornersOf = (game: Game): readonly Corner[] => [game.red, game.blue]

/** Places by number of wins; equal numbers share the better place. */
const roundRobin = (games: readonly Game[]): ReadonlyMap<string, number> => {
  const wins = new Map<string, number>()
  for (const game of games) {
    for (const { player, isWinner } of cornersOf(game)) {
      if (player?.isBot) wins.set(player.id, (wins.get(player.id) ?? 0) + (isWinner ? 1 : 0))
    }
  }
  const all = [...wins.values()]
  return new Map(
    [...wins].map(([playerID, own]) => [playerID, 1 + all.filter((other) => other > own).length]),
  )
}

/**
 * Places by the last game of each player. Its loser takes the place the game is for, its winner the
 * place above: first in the final, third in the game for third place. The last game is the one that
 * feeds no other game of the same player, so a first grand final that is followed by a reset, or a
 * winners' game that drops its loser, decides nothing.
 */
const elimination = (games: readonly Game[]): ReadonlyMap<string, number> => {
  const continues = new Set<string>()
  for (const game of games) {
    for (const { player, prevGameID } of cornersOf(game)) {
      if (player && prevGameID !== null) continues.add(`${prevGameID} ${player.id}`)
    }
  }
  const places = new Map<string, number>()
  for (const game of games) {
    // A loser's place cannot be the first: such a value is wrong.
    if (game.loserPlacement === null || game.loserPlacement < 2) continue
    for (const { player, isWinner } of cornersOf(game)) {
      if (!player?.isBot || continues.has(`${game.id} ${player.id}`)) continue
      places.set(player.id, game.loserPlacement - (isWinner ? 1 : 0))
    }
  }
  return places
}

/**
 * Whether a game is the second grand final that the first one made needless: both corners come from
 * one game, and its winner had lost no game before. It stays open for ever.
 */
const isNeedless = (game: Game, games: readonly Game[]): boolean => {
  const from = game.red.prevGameID
  if (game.state === 'done' || from === null || from !== game.blue.prevGameID) return false
  const final = games.find(({ id }) => id === from)
  const champion = final && cornersOf(final).find(({ isWinner }) => isWinner)?.player
  if (final?.state !== 'done' || !champion) return false
  return games
    .filter(({ state }) => state === 'done')
    .flatMap(cornersOf)
    .every(({ player, isWinner }) => player?.id !== champion.id || isWinner)
}

/**
 * Final places by player id, 1 is the winner; empty while a bracket game is open or the tournament
 * is active. Qualifying and exhibition games give no places.
 */
export const buildPlacements = (
  formatType: Format['type'],
  active: boolean,
  brackets: readonly Bracket[],
): ReadonlyMap<string, number> => {
  const all = brackets.filter(({ isExhibition }) => !isExhibition).flatMap(({ games }) => games)
  const games = all.filter((game) => !isNeedless(game, all))
  if (active || games.some(({ state }) => state !== 'done')) return new Map()
  return formatType === 'round_robin' ? roundRobin(games) : elimination(games)
}
