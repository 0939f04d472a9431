import type { Archive } from '../../archive/archive.ts'
import { dependsOnCages, type Exchange } from '../../http/exchange.ts'
import type { Cage, Cages } from '../../league/types.ts'
import { buildSchedule, type Scheduled } from '../../live/schedule.ts'
import { cagesValidUntil } from './view.ts'

interface Asked {
  readonly archive: Archive
  readonly now: number
  readonly exchange: Exchange
}

/** The cages. The answer then holds until one of them changes or looks different. */
export const findCages = ({ archive, now, exchange }: Asked): Cages => {
  dependsOnCages(exchange, archive)
  exchange.validUntil = cagesValidUntil(archive.cages, now)
  return archive.cages
}

/** The numbers of all cages, ascending. */
export const cageNumbers = (cages: Cages): readonly number[] =>
  Object.values(cages)
    .map(({ number }) => number)
    .sort((a, b) => a - b)

/** The cage with this number, as a decimal without leading zeros. */
export const findCage = (cages: Cages, cageNumber: string): Cage | undefined =>
  /^[1-9]\d{0,3}$/.test(cageNumber) ? cages[`cage${Number(cageNumber)}`] : undefined

/** The schedule, by time. The answer then holds until one of its statuses is another. */
export const findSchedule = ({ archive, now, exchange }: Asked): readonly Scheduled[] => {
  dependsOnCages(exchange, archive)
  const schedule = buildSchedule(archive.dataset, archive.cages, now)
  exchange.validUntil = Math.min(...schedule.map(({ validUntil }) => validUntil))
  return schedule
}
