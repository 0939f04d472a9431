import { hiddenCage } from '../../../src/data/source/rows.ts'
import type { ImportedCage } from '../target/cages.ts'
import {
  integer,
  type Loose,
  oneOf,
  record,
  records,
  text,
  textOrNull,
  unixSeconds,
} from '../values.ts'

const statuses = ['idle', 'assigned', 'active', 'paused', 'completed'] as const

/** Cages that every server shows, with or without a row. */
export const standardCages: ReadonlySet<number> = new Set([1, 2, 4, 5, 6])

/** State of a cage as `/cages` has it. */
export const readCage = (cage: Loose): ImportedCage | undefined => {
  const number = integer(cage.cageNumber) ?? integer(/\d+$/.exec(text(cage.cage))?.[0])
  if (number === null || number < 1 || number > 9999) return undefined
  const match = record(cage.match)
  const gameId = textOrNull(match.gameID)
  const updateTime = unixSeconds(cage.updatedTime)
  const fight = gameId !== null && {
    status: oneOf(cage.status, statuses) ?? 'idle',
    tournamentId: text(match.tournamentID),
    gameId,
    pausedSince: unixSeconds(cage.pausedSince),
  }
  const isUnknown = !fight && updateTime === null && standardCages.has(number)
  return {
    number,
    row: isUnknown ? undefined : { number, ...hiddenCage, ...fight, updateTime: updateTime ?? 0 },
    queue: records(cage.queue).map((waiting, position) => ({
      cage: number,
      position,
      tournamentId: text(waiting.tournamentID),
      gameId: text(waiting.gameID),
    })),
  }
}
