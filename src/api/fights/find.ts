import type { Archive } from '../../archive.ts'
import type { Fight } from '../../dataset/types.ts'
import type { Exchange } from '../../http/exchange.ts'

const daySeconds = 86_400

/** The last completed fights, newest first. */
export const findRecentFights = ({ dataset }: Archive, limit: number): readonly Fight[] =>
  dataset.fights
    .values()
    .filter(({ isCompleted }) => isCompleted)
    .take(limit)
    .toArray()

/**
 * The completed fights that ended within the last 24 hours, newest first. The answer then holds until
 * the oldest of them leaves.
 */
export const findDayFights = ({
  archive,
  now,
  exchange,
}: {
  readonly archive: Archive
  readonly now: number
  readonly exchange: Exchange
}): readonly Fight[] => {
  const { fights } = archive.dataset
  const older = fights.findIndex(({ stopUnix }) => (stopUnix ?? 0) < now - daySeconds)
  const found = fights
    .slice(0, older < 0 ? undefined : older)
    .filter(({ isCompleted }) => isCompleted)
  const oldestStop = found.at(-1)?.stopUnix
  if (oldestStop) exchange.validUntil = oldestStop + daySeconds
  return found
}
