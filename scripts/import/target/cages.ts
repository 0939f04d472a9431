import {
  type CageQueueRow,
  type CageRow,
  type CageRows,
  hiddenCage,
} from '../../../src/data/source/rows.ts'
import type { ImportRun } from '../run.ts'
import { unixNow } from '../values.ts'
import { addChanges } from './difference.ts'

/** A cage with its queue. */
export interface ImportedCage {
  /**
   * Row of the cage; undefined if nothing is known of it. Without a time it gets the time of the first import that has
   * it.
   */
  readonly row: (Omit<CageRow, 'updateTime'> & Partial<Pick<CageRow, 'updateTime'>>) | undefined
  readonly number: number
  readonly queue: readonly CageQueueRow[]
}

/** A cage as it can be written: a game that was not imported counts as none. */
const withGames =
  ({ games }: ImportRun['result']) =>
  ({ number, row, queue }: ImportedCage): ImportedCage => {
    const has = (tournamentId: string | null, gameId: string): boolean =>
      games.get(tournamentId ?? '')?.has(gameId) === true
    const isShown = !row?.gameId || has(row.tournamentId, row.gameId)
    const waiting = queue.filter(({ tournamentId, gameId }) => has(tournamentId, gameId))
    return {
      number,
      row: isShown ? row : { ...row, ...hiddenCage },
      queue: waiting.map((each, position) => ({ ...each, position })),
    }
  }

/** A row with the time of the present one if all other values are equal. */
const withTime = (
  { updateTime, ...row }: NonNullable<ImportedCage['row']>,
  present: CageRow | undefined,
): CageRow => {
  const isSame = present && Bun.deepEquals(row, { ...present, updateTime: undefined })
  return { ...row, updateTime: updateTime ?? (isSame ? present.updateTime : unixNow()) }
}

/** Empty cages in place of the source's present ones that are not among these. */
const removedCages = (
  listed: ReadonlyMap<number, unknown>,
  { cages, cageQueue }: CageRows,
  isOfSource: (tournamentId: string) => boolean,
): readonly ImportedCage[] => {
  const rows = [...cages, ...cageQueue.map((row) => ({ ...row, number: row.cage }))]
  const own = rows.filter(({ tournamentId }) => tournamentId !== null && isOfSource(tournamentId))
  const numbers = new Set(own.map(({ number }) => number))
  return [...numbers]
    .filter((number) => !listed.has(number))
    .map((number) => ({ number, row: undefined, queue: [] }))
}

/**
 * Writes the cages; `prune` empties other cages of the source. A cage that is empty at the source stays as it is if a
 * tournament of another source is in it; so do waiting games of other sources.
 */
export const writeCages = async (
  { target, result }: ImportRun,
  listed: readonly ImportedCage[],
  isOfSource: (tournamentId: string) => boolean,
  { prune = false }: { readonly prune?: boolean } = {},
): Promise<void> => {
  const changes = await target.updateCages((before) => {
    const { cages, cageQueue } = before
    const byNumber = new Map(listed.map(withGames(result)).map((cage) => [cage.number, cage]))
    if (prune) {
      for (const cage of removedCages(byNumber, before, isOfSource)) byNumber.set(cage.number, cage)
    }
    const imported = [...byNumber.values()]
    const isForeign = (row: { readonly tournamentId: string | null }): boolean =>
      row.tournamentId !== null && !isOfSource(row.tournamentId)
    const kept = cages.filter((row) => {
      const own = byNumber.get(row.number)
      if (!own || isForeign(row)) return !own?.row?.gameId
      return own.row === undefined && row.tournamentId === null
    })
    const keptNumbers = new Set(kept.map(({ number }) => number))
    const present = new Map(cages.map((row) => [row.number, row]))
    const rows = imported.flatMap(({ number, row }) =>
      row && !keptNumbers.has(number) ? [withTime(row, present.get(number))] : [],
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
