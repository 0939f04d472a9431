import type { Problem } from '../problems.ts'
import type { Game, Slot } from './links.ts'

/** Fights of one bot at one time, by its slots. */
export const doubleBookings = (
  games: readonly Game[],
  slots: readonly Slot[],
  lines: ReadonlyMap<string, string>,
): readonly Problem[] => {
  const timed = new Map(games.flatMap((game) => (game.stopTime ? [[game.id, game]] : [])))
  const busy = slots.flatMap(({ gameId, playerId }) => {
    const { startTime, stopTime } = timed.get(gameId) ?? {}
    const where = lines.get(gameId) ?? ''
    return playerId && startTime && stopTime ? [{ playerId, startTime, stopTime, where }] : []
  })
  return Map.groupBy(busy, ({ playerId }) => playerId)
    .values()
    .toArray()
    .flatMap((own) => {
      const sorted = own.sort((a, b) => a.startTime - b.startTime)
      return sorted.slice(1).flatMap(({ playerId, startTime, where }, index) => {
        const before = sorted[index]
        if (!before || before.stopTime <= startTime) return []
        const reason = `'${playerId}' still fights in ${before.where} then: write the right start`
        return [{ where, reason }]
      })
    })
}
