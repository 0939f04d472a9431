import type { Fight } from '../../data/league/types.ts'

const daySeconds = 86_400
/** A moment further in the future is a wrong clock or a typing error. */
const maxAheadSeconds = 600

/** Fights completed in the 24 hours before `now`, from a newest-first list, and until when the result is valid. */
export const fightsOfLastDay = (
  fights: readonly Fight[],
  now: number,
): { readonly value: readonly Fight[]; readonly validUntil: number } => {
  const value: Fight[] = []
  let validUntil = Number.POSITIVE_INFINITY
  for (const fight of fights) {
    const { state, momentUnix, isCompleted } = fight
    if (state === 'active') continue
    if (state !== 'done' || momentUnix < now - daySeconds) break
    if (!isCompleted) continue
    const isAhead = momentUnix > now + maxAheadSeconds
    if (!isAhead) value.push(fight)
    validUntil = Math.min(
      validUntil,
      isAhead ? momentUnix - maxAheadSeconds : momentUnix + daySeconds + 1,
    )
  }
  return { value, validUntil }
}
