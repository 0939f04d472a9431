import type { Problem } from '../problems.ts'
import type { Game, Slot } from './links.ts'

/** Fights of one bot at one time, by its slots; the first one per bot, with the number of others. */
export const doubleBookings = (
  games: readonly Game[],
  slots: readonly Slot[],
  lines: ReadonlyMap<string, string>,
): readonly Problem[] => {
  const timed = new Map(games.flatMap((game) => (game.stopTime ? [[game.id, game]] : [])))
  const byBot = new Map<string, Game[]>()
  for (const { gameId, playerId } of slots) {
    const game = timed.get(gameId)
    if (!playerId || !game) continue
    byBot.getOrInsertComputed(playerId, () => []).push(game)
  }
  return [...byBot].flatMap(([bot, own]) => {
    const sorted = own.sort((a, b) => Number(a.startTime) - Number(b.startTime))
    const doubled = sorted.flatMap((game, index) => {
      const before = sorted[index - 1]
      return before && Number(before.stopTime) > Number(game.startTime) ? [[before, game]] : []
    })
    const [before, game] = doubled[0] ?? []
    if (!before || !game) return []
    const more = doubled.length > 1 ? `, and so ${doubled.length - 1} more times` : ''
    const reason = `'${bot}' still fights in ${lines.get(before.id)} then${more}: write the right start`
    return [{ where: lines.get(game.id) ?? '', reason }]
  })
}
