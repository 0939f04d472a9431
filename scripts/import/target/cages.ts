import type { CageQueueRow, CageRow } from '../../../src/source/rows.ts'
import type { ImportRun } from '../run.ts'
import { addChanges } from './difference.ts'

/** A cage with its queue. */
export interface ImportedCage {
  /** Undefined if nothing is known of it. */
  readonly row: CageRow | undefined
  readonly number: number
  readonly queue: readonly CageQueueRow[]
}

/**
 * Writes the cages. A cage that is empty at the source stays as it is if a tournament of another source is in
 * it; so do waiting games of other sources.
 */
export const writeCages = async (
  { target, result }: ImportRun,
  imported: readonly ImportedCage[],
  isOfSource: (tournamentId: string) => boolean,
): Promise<void> => {
  const byNumber = new Map(imported.map((cage) => [cage.number, cage]))
  const changes = await target.updateCages(({ cages, cageQueue }) => {
    const isForeign = (row: { readonly tournamentId: string | null }): boolean =>
      row.tournamentId !== null && !isOfSource(row.tournamentId)
    const kept = cages.filter((row) => {
      const own = byNumber.get(row.number)
      if (!own || isForeign(row)) return !own?.row?.gameId
      return own.row === undefined && row.tournamentId === null
    })
    const keptNumbers = new Set(kept.map(({ number }) => number))
    const rows = imported.flatMap(({ number, row }) =>
      row && !keptNumbers.has(number) ? [row] : [],
    )
    const others = cageQueue.filter((row) => !byNumber.has(row.cage) || isForeign(row))
    const queues = imported.flatMap(({ number, queue }) => {
      const first =
        1 + Math.max(-1, ...others.filter(({ cage }) => cage === number).map((row) => row.position))
      return queue.map((row) => ({ ...row, position: first + row.position }))
    })
    return {
      cages: [...kept, ...rows].sort((a, b) => a.number - b.number),
      cageQueue: [...others, ...queues].sort((a, b) => a.cage - b.cage || a.position - b.position),
    }
  })
  result.changes = addChanges(result.changes, changes)
}
