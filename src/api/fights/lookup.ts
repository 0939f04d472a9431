import type { Archive } from '../../archive/archive.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { Fight } from '../../league/types.ts'

const daySeconds = 86_400

/** The last completed fights, newest first. */
export const findRecentFights = ({ dataset }: Archive, limit: number): readonly Fight[] =>
  dataset.fights
    .values()
    .filter(({ isCompleted }) => isCompleted)
    .take(limit)
    .toArray()

/**
 * Completed fights that finished within the last 24 hours (see `finishUnix`), newest first. The answer
 * then holds until the oldest of them leaves.
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
  const since = now - daySeconds
  const found: Fight[] = []
  for (const fight of archive.dataset.fights) {
    if (fight.state === 'active') continue
    if ((fight.finishUnix ?? 0) < since) break
    if (fight.isCompleted) found.push(fight)
  }
  const oldest = found.at(-1)?.finishUnix ?? null
  if (oldest !== null) exchange.validUntil = oldest + daySeconds
  return found
}
