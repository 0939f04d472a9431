import type { Timed } from '../../http/trackedArchive.ts'
import type { Dataset, Fight } from '../../league/types.ts'

const daySeconds = 86_400

/** The last completed fights, newest first. */
export const findRecentFights = (
  { dataset }: { readonly dataset: Pick<Dataset, 'fights'> },
  limit: number,
): readonly Fight[] =>
  dataset.fights
    .values()
    .filter(({ isCompleted }) => isCompleted)
    .take(limit)
    .toArray()

/**
 * Completed fights that finished within the last 24 hours (see `finishUnix`), newest first; valid
 * until the oldest of them expires.
 */
export const findDayFights = (dataset: Dataset, now: number): Timed<readonly Fight[]> => {
  const since = now - daySeconds
  const found: Fight[] = []
  for (const fight of dataset.fights) {
    if (fight.state === 'active') continue
    if ((fight.finishUnix ?? 0) < since) break
    if (fight.isCompleted) found.push(fight)
  }
  const oldest = found.at(-1)?.finishUnix ?? null
  return {
    value: found,
    validUntil: oldest === null ? Number.POSITIVE_INFINITY : oldest + daySeconds + 1,
  }
}
