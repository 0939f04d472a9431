import type { Fight } from '../league/types.ts'

const daySeconds = 86_400
/** A moment further after now is a mistake of a clock or of a hand. */
const maxAheadSeconds = 600

/** The completed fights of the last 24 hours before `now`, of fights newest first, and until when they are those. */
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
