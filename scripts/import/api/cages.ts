import type { CageRow } from '../../../src/source/rows.ts'
import type { ImportRun } from '../run.ts'
import { type ImportedCage, writeCages } from '../target/cages.ts'
import { integer, type Loose, record, records, text, unixSeconds } from '../values.ts'

const statuses: ReadonlySet<string> = new Set<CageRow['status']>([
  'idle',
  'assigned',
  'active',
  'paused',
  'completed',
])
const isStatus = (value: string): value is CageRow['status'] => statuses.has(value)

/** Cages that every server shows, with or without a row. */
export const standardCages: ReadonlySet<number> = new Set([1, 2, 4, 5, 6])

/** State of a cage; a game that was not imported counts as none. */
export const readCage = (
  cage: Loose,
  hasGame: (tournamentId: string, gameId: string) => boolean,
): ImportedCage | undefined => {
  const number = integer(cage.cageNumber) ?? integer(/\d+$/.exec(text(cage.cage))?.[0])
  if (number === null || number < 1 || number > 9999) return undefined
  const match = record(cage.match)
  const [tournamentId, gameId] = [text(match.tournamentID), text(match.gameID)]
  const isKnown = hasGame(tournamentId, gameId)
  const status = text(cage.status)
  const updateTime = unixSeconds(cage.updatedTime)
  const row: CageRow = {
    number,
    status: isKnown && isStatus(status) ? status : 'idle',
    tournamentId: isKnown ? tournamentId : null,
    gameId: isKnown ? gameId : null,
    pausedSince: isKnown ? unixSeconds(cage.pausedSince) : null,
    updateTime: updateTime ?? 0,
  }
  const queue = records(cage.queue)
    .map((waiting) => ({
      tournamentId: text(waiting.tournamentID),
      gameId: text(waiting.gameID),
    }))
    .filter((waiting) => hasGame(waiting.tournamentId, waiting.gameId))
    .map((waiting, position) => ({ cage: number, position, ...waiting }))
  const isUnknown = !isKnown && updateTime === null && standardCages.has(number)
  return { number, row: isUnknown ? undefined : row, queue }
}

/** Imports the states of `/cages`. */
export const importCages = async (
  run: ImportRun,
  cages: readonly Loose[],
  isOfSource: (tournamentId: string) => boolean,
): Promise<void> => {
  const hasGame = (tournamentId: string, gameId: string): boolean =>
    run.result.games.get(tournamentId)?.has(gameId) === true
  await writeCages(
    run,
    cages.flatMap((cage) => readCage(cage, hasGame) ?? []),
    isOfSource,
  )
}
