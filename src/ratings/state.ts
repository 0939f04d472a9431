import { effects, estimates, firstEstimates, firstInformation, settingCount } from './settings.ts'

/** A strength in natural units: the logarithm of the odds against a bot of strength 0. */
export interface Strength {
  readonly mean: number
  readonly variance: number
}

/**
 * Places of a slot's floats: means and variances by setting, then these. `previousMeanAt` is the
 * mean before its last fight, NaN before its second.
 */
export const meanAt = 2 * settingCount
export const varianceAt = meanAt + 1
export const eloAt = meanAt + 2
export const inheritedAt = meanAt + 3
export const teamStrengthAt = meanAt + 4
export const previousMeanAt = meanAt + 5
export const floatStride = meanAt + 6
/** Places of a slot's integers: end of its last fight, number of its fights, twice its wins, two halves of its team. */
export const fightsAt = 1
export const winsAt = 2
export const teamAt = 3
export const intStride = 5

/**
 * Places in a row of what the whole league shares: newest end of the fights that it follows from; the estimates and how
 * much is known of each; then for each of the {@link effects} its mean by setting and its variance by setting.
 */
export const estimatesAt = 1
export const informationAt = estimatesAt + estimates.length
export const effectsAt = informationAt + estimates.length
export const effectStride = 2 * settingCount
export const sharedStride = effectsAt + effects.length * effectStride
/** Rows that are kept: more fights than can be under way at one time. */
export const sharedRows = 32

type Forms = ReadonlyMap<number, Float32Array>

/** Values of slots, or of one. */
export interface SlotValues {
  readonly floats: Float32Array
  readonly ints: Uint32Array
}

/** Where a fight stands in the order of their ends. */
export interface Place {
  readonly finishUnix: number | null
  readonly startUnix: number | null
  readonly tournament: { readonly id: string }
  readonly round: number
  readonly id: string
}

/** The state before the newest session, by what the session changed. */
interface Checkpoint {
  readonly fights: number
  readonly newest: Place | undefined
  readonly slots: ReadonlyMap<number, SlotValues>
  readonly forms: Forms
  readonly shared: Float64Array
}

/** The state after some fights: never changed, and equal for equal fights in equal order, bit for bit. */
export interface FilterState extends SlotValues {
  readonly fights: number
  readonly newest: Place | undefined
  /** Means and variances of the form by setting, of slots that fought lately. */
  readonly forms: Forms
  /** Rows of shared estimates after the last fights; the newest is that of `fights`, modulo their number. */
  readonly shared: Float64Array
  readonly checkpoint: Checkpoint | undefined
}

const sharedAtStart = (() => {
  const rows = new Float64Array(sharedRows * sharedStride)
  rows[0] = Number.NEGATIVE_INFINITY
  rows.set(firstEstimates, estimatesAt)
  rows.fill(firstInformation, informationAt, effectsAt)
  for (const [index, { mean, variance }] of effects.entries()) {
    const at = effectsAt + index * effectStride
    rows.fill(mean, at, at + settingCount)
    rows.fill(variance, at + settingCount, at + effectStride)
  }
  return rows
})()

export const emptyState: FilterState = {
  fights: 0,
  newest: undefined,
  floats: new Float32Array(0),
  ints: new Uint32Array(0),
  forms: new Map(),
  shared: sharedAtStart,
  checkpoint: undefined,
}

/** The state before the newest session. */
export const rewind = ({ floats, ints, checkpoint }: FilterState): FilterState => {
  if (!checkpoint) return emptyState
  const { slots, ...before } = checkpoint
  const values = { floats: floats.slice(), ints: ints.slice() }
  for (const [slot, own] of slots) {
    values.floats.set(own.floats, slot * floatStride)
    values.ints.set(own.ints, slot * intStride)
  }
  return { ...before, ...values, checkpoint: undefined }
}

/** Completed fights of a slot. */
export const fightsOfSlot = ({ ints }: Pick<SlotValues, 'ints'>, slot: number): number =>
  ints[slot * intStride + fightsAt] ?? 0

/** End of the last fight of a slot; 0 without one. */
export const lastUnixOfSlot = ({ ints }: Pick<SlotValues, 'ints'>, slot: number): number =>
  ints[slot * intStride] ?? 0

/** Strength of a slot after its last fight, without form; undefined before its first. */
export const strengthOfSlot = (values: SlotValues, slot: number): Strength | undefined => {
  if (fightsOfSlot(values, slot) === 0) return undefined
  const first = slot * floatStride
  return {
    mean: values.floats[first + meanAt] ?? 0,
    variance: values.floats[first + varianceAt] ?? 0,
  }
}

/** First place of the newest row of shared estimates. */
export const newestShared = ({ fights }: Pick<FilterState, 'fights'>): number =>
  (fights % sharedRows) * sharedStride

/**
 * First place of the newest row that was known when a fight began: it follows from fights that had ended. Without a
 * time the newest one.
 */
export const sharedBefore = (
  { fights, shared }: Pick<FilterState, 'fights' | 'shared'>,
  startUnix: number | null,
): number => {
  const oldest = Math.max(0, fights - sharedRows + 1)
  let row = fights
  while (startUnix !== null && row > oldest) {
    const untilUnix = shared[(row % sharedRows) * sharedStride] ?? 0
    if (untilUnix <= startUnix) break
    row -= 1
  }
  return (row % sharedRows) * sharedStride
}

export const yearSeconds = 365.25 * 86_400

/** Estimated standard deviation of the strengths of new bots, of their change in a year, of the form at an event. */
export const estimateOf = (
  state: Pick<FilterState, 'fights' | 'shared'>,
  estimate: number,
): number => Math.exp(state.shared[newestShared(state) + estimatesAt + estimate] ?? 0)

/** What a bot gains over its first fights, as estimated. */
export const growthOf = (state: Pick<FilterState, 'fights' | 'shared'>): number => {
  const first = newestShared(state) + effectsAt
  const bySetting = state.shared.subarray(first, first + settingCount)
  return bySetting.reduce((sum, growth) => sum + growth, 0) / settingCount
}

/** Variance that a strength gains in some time, as estimated. */
export const driftVariance = (state: FilterState, seconds: number): number =>
  (estimateOf(state, 1) ** 2 * Math.max(0, seconds)) / yearSeconds
