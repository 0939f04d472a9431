import type { Timed } from '../../http/trackedArchive.ts'
import type { Cage, Cages, Dataset } from '../../league/types.ts'
import { buildSchedule, type Scheduled } from '../../live/schedule.ts'
import { cagesValidUntil } from './view.ts'

/** View of the cages at a time, valid until one of them changes by itself. */
export const viewCages =
  <View>(cages: Cages, view: (now: number) => View) =>
  (now: number): Timed<View> => ({ value: view(now), validUntil: cagesValidUntil(cages, now) })

/** The numbers of all cages, ascending. */
export const cageNumbers = (cages: Cages): readonly number[] =>
  Object.values(cages)
    .map(({ number }) => number)
    .sort((a, b) => a - b)

/** Finds a cage by its decimal number without leading zeros. */
export const findCage = (cages: Cages, cageNumber: string): Cage | undefined =>
  /^[1-9]\d{0,3}$/.test(cageNumber) ? cages[`cage${Number(cageNumber)}`] : undefined

/** Schedule at a time, valid until a status changes. */
export const findSchedule = (
  { dataset, cages }: { readonly dataset: Dataset; readonly cages: Cages },
  now: number,
): Timed<readonly Scheduled[]> => {
  const value = buildSchedule(dataset, cages, now)
  return { value, validUntil: Math.min(...value.map(({ validUntil }) => validUntil)) }
}
