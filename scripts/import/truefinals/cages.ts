import type { CageRow } from '../../../src/data/source/rows.ts'
import type { ImportedCage } from '../target/cages.ts'
import { type Loose, record, records, text, unixSeconds } from '../values.ts'
import { cageNumber } from './tournament.ts'

/** A location of one tournament as a cage. Tournaments of one event share cages. */
interface Location {
  readonly row: CageRow
  readonly queue: readonly { readonly tournamentId: string; readonly gameId: string }[]
}

const statuses = { active: 'active', called: 'assigned', done: 'completed' } as const

/** Last time of a game. */
const lastTime = (game: Loose): number =>
  Math.max(
    ...['activeSince', 'availableSince', 'calledSince', 'heldSince', 'endTime'].map(
      (name) => unixSeconds(game[name]) ?? 0,
    ),
  )

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(text) : [])

const readLocation = (
  location: Loose,
  tournamentId: string,
  games: ReadonlyMap<string, Loose>,
): Location | undefined => {
  const number = cageNumber(location)
  if (number === undefined) return undefined
  const gameId = [location.activeGameID, location.lastCompletedGameID]
    .map(text)
    .find((id) => games.has(id))
  const game = record(gameId === undefined ? undefined : games.get(gameId))
  const status = Object.entries(statuses).find(([state]) => state === game.state)?.[1] ?? 'idle'
  return {
    row: {
      number,
      status,
      tournamentId: gameId === undefined ? null : tournamentId,
      gameId: gameId ?? null,
      pausedSince: null,
      updateTime: gameId === undefined ? 0 : lastTime(game),
    },
    queue: [...texts(location.queue), ...texts(location.unavailableQueue)]
      .filter((id) => games.has(id) && id !== gameId)
      .map((id) => ({ tournamentId, gameId: id })),
  }
}

const ranks: readonly CageRow['status'][] = ['idle', 'completed', 'assigned', 'paused', 'active']

/** Order of the tournaments that share a cage, which shows the first: by progress, then the latest. */
const byProgress = ({ row: a }: Location, { row: b }: Location): number =>
  ranks.indexOf(b.status) - ranks.indexOf(a.status) || b.updateTime - a.updateTime

/** Cages of some tournaments; a location without a number is no cage. */
export const buildCages = (tournaments: readonly Loose[]): readonly ImportedCage[] => {
  const locations = tournaments.flatMap((tournament) => {
    const id = text(tournament.id)
    const games = new Map(
      records(tournament.games).flatMap((game) => (game.id ? [[text(game.id), game]] : [])),
    )
    return records(tournament.locations).flatMap(
      (location) => readLocation(location, id, games) ?? [],
    )
  })
  const byNumber = Map.groupBy(locations, ({ row }) => row.number)
  return [...byNumber].map(([number, shared]) => ({
    number,
    row: shared.toSorted(byProgress)[0]?.row,
    queue: shared
      .flatMap(({ queue }) => queue)
      .map((waiting, position) => ({ cage: number, position, ...waiting })),
  }))
}
