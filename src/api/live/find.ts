import type { Archive } from '../../archive.ts'
import type { Cage, Cages } from '../../dataset/types.ts'
import { buildSchedule, type Scheduled } from '../../derived/schedule.ts'
import { dependsOnCages, type Exchange } from '../../http/exchange.ts'
import { cagesValidUntil } from './view.ts'

interface Asked {
  readonly archive: Archive
  readonly now: number
  readonly exchange: Exchange
}

const cageNames: ReadonlyMap<string, keyof Cages> = new Map([
  ['1', 'cage1'],
  ['2', 'cage2'],
  ['4', 'cage4'],
  ['5', 'cage5'],
  ['6', 'cage6'],
])

/** The cages. The answer then holds until one of them changes or looks different. */
export const findCages = ({ archive, now, exchange }: Asked): Cages => {
  dependsOnCages(exchange, archive)
  exchange.validUntil = cagesValidUntil(archive.cages, now)
  return archive.cages
}

/** The cage with this number, spelt as in an address. */
export const findCage = (cages: Cages, cageNumber: string): Cage | undefined => {
  const name = cageNames.get(cageNumber)
  return name && cages[name]
}

/** The schedule, by time. The answer then holds until one of its statuses is another. */
export const findSchedule = ({ archive, now, exchange }: Asked): readonly Scheduled[] => {
  dependsOnCages(exchange, archive)
  const schedule = buildSchedule(archive.dataset, archive.cages, now)
  exchange.validUntil = Math.min(...schedule.map(({ validUntil }) => validUntil))
  return schedule
}
