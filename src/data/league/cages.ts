import type { CageRow, CageRows } from '../source/rows.ts'
import type { Cage, Cages, Dataset, Fight } from './types.ts'

const fightOf = (
  { tournamentsByID }: Dataset,
  { tournamentId, gameId }: Pick<CageRow, 'tournamentId' | 'gameId'>,
): Fight | null => {
  if (tournamentId === null || gameId === null) return null
  const game = tournamentsByID.get(tournamentId)?.games.get(gameId)
  return game?.isFight ? game : null
}

/**
 * Start of the current pause of a fight under way: by the fight's open pause, else by the cage's row.
 */
const pausedSince = (row: CageRow, { pauses }: Fight): number | null => {
  const open = pauses.findLast(({ stopUnix }) => stopUnix === null)
  return open?.startUnix ?? (row.status === 'paused' ? (row.pausedSince ?? row.updateTime) : null)
}

type State = Pick<Cage, 'status' | 'fight' | 'pausedUnix'>

const idle: State = { status: 'idle', fight: null, pausedUnix: null }

/**
 * The cage's row decides which fight is in it and the fight decides its state, so that a cage never contradicts the
 * bracket, whichever is written first.
 */
const stateOf = (row: CageRow, fight: Fight | null): State => {
  if (!fight) return idle
  if (fight.state === 'done') {
    return { status: row.status === 'idle' ? 'idle' : 'completed', fight, pausedUnix: null }
  }
  if (fight.state === 'pending') {
    const isIn = row.status !== 'idle' && row.status !== 'completed'
    return isIn ? { status: 'assigned', fight, pausedUnix: null } : idle
  }
  const pausedUnix = pausedSince(row, fight)
  return { status: pausedUnix === null ? 'active' : 'paused', fight, pausedUnix }
}

/** Hides the changes of a cage whose game is not shown. */
const updatedAt = (row: CageRow | undefined, state: State | undefined): number | null =>
  row && (row.gameId === null || state?.fight) ? row.updateTime : null

/** Cages that exist without a row. */
const standardNumbers = [1, 2, 4, 5, 6] as const

/**
 * The cages by number. A cage whose game is not shown (not public, or no fight) is idle. A queue holds
 * the shown fights that have not begun and are in no cage.
 */
export const buildCages = (dataset: Dataset, { cages, cageQueue }: CageRows): Cages => {
  const rows = new Map(cages.map((row) => [row.number, row]))
  const states = new Map(cages.map((row) => [row.number, stateOf(row, fightOf(dataset, row))]))
  const inCages = new Set([...states.values()].map(({ fight }) => fight))
  const queues = Map.groupBy(
    cageQueue
      .filter(({ tournamentId }) => dataset.tournamentsByID.has(tournamentId))
      .toSorted((a, b) => a.position - b.position),
    ({ cage }) => cage,
  )
  const cage = (number: number): Cage => {
    const waiting = (queues.get(number) ?? []).flatMap((row) => {
      const fight = fightOf(dataset, row)
      return fight?.state === 'pending' && !inCages.has(fight) ? fight : []
    })
    const queued = new Set(waiting)
    return {
      number,
      isOwn: rows.has(number),
      ...(states.get(number) ?? idle),
      updateUnix: updatedAt(rows.get(number), states.get(number)),
      queue: [...queued],
      queued,
    }
  }
  const numbers = new Set([...standardNumbers, ...rows.keys(), ...queues.keys()])
  return {
    ...Object.fromEntries(
      [...numbers].sort((a, b) => a - b).map((number) => [`cage${number}`, cage(number)]),
    ),
    cage1: cage(1),
    cage2: cage(2),
    cage4: cage(4),
    cage5: cage(5),
    cage6: cage(6),
  }
}
