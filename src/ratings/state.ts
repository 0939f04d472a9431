import { effects, estimates, firstEstimates, firstInformation, settingCount } from './settings.ts'

/** A strength in natural units: the logarithm of the odds against a bot of strength 0. */
export interface Strength {
  readonly mean: number
  readonly variance: number
}

/**
 * Places of a slot's floats: by setting the mean and variance of the strength, those of the form, and the covariance of
 * both, as results at one event tell only their sum; then these. `meanBeforeAt` has the mean before the day of its last
 * fight and before the day before that, NaN without a fight until then.
 */
export const formAt = 2 * settingCount
export const covarianceAt = 4 * settingCount
export const meanAt = 5 * settingCount
export const varianceAt = meanAt + 1
export const inheritedAt = meanAt + 2
export const teamStrengthAt = meanAt + 3
export const meanBeforeAt = meanAt + 4
export const floatStride = meanAt + 6
/** Places of a slot's integers: end of its last fight, number of its fights, two halves of its team. */
export const fightsAt = 1
export const teamAt = 2
export const intStride = 4

/**
 * Places in a row of what the whole league shares: end of the last fight that it follows from; the estimates and how
 * much is known of each; then for each of the {@link effects} its mean by setting and its variance by setting.
 */
export const estimatesAt = 1
export const informationAt = estimatesAt + estimates.length
export const effectsAt = informationAt + estimates.length
export const effectStride = 2 * settingCount
export const sharedStride = effectsAt + effects.length * effectStride

/** A start further before the end is a mistake. */
export const maxFightSeconds = 12 * 3600
/** A row is kept for each of these times in which a fight ended. */
const rowSeconds = 900
/** Rows for all fights that may be under way at one time, however many end meanwhile. */
export const sharedRows = maxFightSeconds / rowSeconds + 2

/** Values of the slots of a block, or of one slot. */
interface Values {
  readonly floats: Float32Array
  readonly ints: Uint32Array
}

/** Tables of the slots, in blocks that versions share until a slot in one changes. */
export interface SlotValues {
  readonly blocks: readonly Values[]
}

/** A power of two. */
export const blockSlots = 64
const noValues: Values = { floats: new Float32Array(), ints: new Uint32Array() }

/** Values of the block of a slot, empty for a new bot; {@link floatsAt} and {@link intsAt} are offsets in it. */
export const blockOf = ({ blocks }: SlotValues, slot: number): Values =>
  blocks[Math.floor(slot / blockSlots)] ?? noValues
export const floatsAt = (slot: number): number => (slot & (blockSlots - 1)) * floatStride
export const intsAt = (slot: number): number => (slot & (blockSlots - 1)) * intStride

/** A copy of tables, which shares their blocks until they change. */
export const copyBlocks = ({ blocks: before }: SlotValues) => {
  const blocks = [...before]
  const isOwn: boolean[] = []
  return {
    blocks,
    /** The block of a slot, to be changed. */
    change: (slot: number): Values => {
      const index = Math.floor(slot / blockSlots)
      const block = blocks[index]
      if (block && isOwn[index]) return block
      const copy = {
        floats: block?.floats.slice() ?? new Float32Array(blockSlots * floatStride),
        ints: block?.ints.slice() ?? new Uint32Array(blockSlots * intStride),
      }
      isOwn[index] = true
      blocks[index] = copy
      return copy
    },
  }
}

/** Position of a fight in the order of their ends. */
export interface Place {
  readonly finishUnix: number | null
  readonly startUnix: number | null
  readonly tournament: { readonly id: string }
  readonly round: number
  readonly id: string
}

/** State of the league: a ring of rows. */
interface Shared {
  readonly shared: Float64Array
  /** Number of the newest row. */
  readonly row: number
}

/** The state before the newest session, by what the session changed. */
interface Checkpoint extends Shared {
  readonly newest: Place | undefined
  readonly slots: ReadonlyMap<number, Values>
}

/** The state after some fights: never changed, and equal for equal fights in equal order, bit for bit. */
export interface FilterState extends SlotValues, Shared {
  readonly newest: Place | undefined
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
  newest: undefined,
  blocks: [],
  shared: sharedAtStart,
  row: 0,
  checkpoint: undefined,
}

/** The state before the newest session. */
export const rewind = ({ blocks: newest, checkpoint }: FilterState): FilterState => {
  if (!checkpoint) return emptyState
  const { slots, ...before } = checkpoint
  const { blocks, change } = copyBlocks({ blocks: newest })
  for (const [slot, own] of slots) {
    const { floats, ints } = change(slot)
    floats.set(own.floats, floatsAt(slot))
    ints.set(own.ints, intsAt(slot))
  }
  return { ...before, blocks, checkpoint: undefined }
}

/** Completed fights of a slot. */
export const fightsOfSlot = (values: SlotValues, slot: number): number =>
  blockOf(values, slot).ints[intsAt(slot) + fightsAt] ?? 0

/** End of the last fight of a slot; 0 without one. */
export const lastUnixOfSlot = (values: SlotValues, slot: number): number =>
  blockOf(values, slot).ints[intsAt(slot)] ?? 0

/** Strength of a slot after its last fight, without form; undefined before its first. */
export const strengthOfSlot = (values: SlotValues, slot: number): Strength | undefined => {
  if (fightsOfSlot(values, slot) === 0) return undefined
  const { floats } = blockOf(values, slot)
  const first = floatsAt(slot)
  return {
    mean: floats[first + meanAt] ?? 0,
    variance: floats[first + varianceAt] ?? 0,
  }
}

const placeOfRow = (row: number): number => (row % sharedRows) * sharedStride

/** First place of the newest row. */
export const newestShared = ({ row }: Pick<Shared, 'row'>): number => placeOfRow(row)

/** Whether two moments are in one of the times that a row is kept for. */
export const isOneRow = (unix: number, other: number): boolean =>
  Math.floor(unix / rowSeconds) === Math.floor(other / rowSeconds)

/**
 * First place of the newest row that no fight changes which ends once one that began at `startUnix` has begun: that of
 * the time before. Without a time the newest one.
 */
export const sharedBefore = ({ row, shared }: Shared, startUnix: number | null): number => {
  if (startUnix === null) return placeOfRow(row)
  const fromUnix = Math.floor(startUnix / rowSeconds) * rowSeconds
  const oldest = Math.max(0, row - sharedRows + 1)
  let before = row
  while (before > oldest && (shared[placeOfRow(before)] ?? 0) >= fromUnix) before -= 1
  return placeOfRow(before)
}

const daySeconds = 86_400
const dayOf = (unix: number): number => Math.floor(unix / daySeconds)

/** Keeps the means of a slot before the days of its fights; to be called before its next fight is written. */
export const keepMeans = ({ floats, ints }: Values, slot: number, endUnix: number): void => {
  const first = floatsAt(slot)
  const days = dayOf(endUnix) - dayOf(ints[intsAt(slot)] ?? 0)
  const isNew = (ints[intsAt(slot) + fightsAt] ?? 0) === 0
  if (days === 0 && !isNew) return
  const mean = isNew ? Number.NaN : (floats[first + meanAt] ?? 0)
  floats[first + meanBeforeAt + 1] = days === 1 ? (floats[first + meanBeforeAt] ?? 0) : mean
  floats[first + meanBeforeAt] = mean
}

/**
 * Mean of a slot before the day of a moment, at most a day before its last fight: no fight that ends later on changes it.
 * Without a time that after its last fight. NaN if it had not fought.
 */
export const meanBefore = (values: SlotValues, slot: number, unix: number | null): number => {
  const { floats, ints } = blockOf(values, slot)
  const first = floatsAt(slot)
  const days = unix === null ? -1 : dayOf(ints[intsAt(slot)] ?? 0) - dayOf(unix)
  return floats[first + (days < 0 ? meanAt : meanBeforeAt + Math.min(1, days))] ?? 0
}

export const yearSeconds = 365.25 * 86_400

/** Estimated standard deviation of the strengths of new bots, of their change in a year, of the form at an event. */
export const estimateOf = (state: Shared, estimate: number): number =>
  Math.exp(state.shared[newestShared(state) + estimatesAt + estimate] ?? 0)

/** Estimated gain of a bot over its first fights. */
export const growthOf = (state: Shared): number => {
  const first = newestShared(state) + effectsAt
  const bySetting = state.shared.subarray(first, first + settingCount)
  return bySetting.reduce((sum, growth) => sum + growth, 0) / settingCount
}

/**
 * Variance that a strength gains in some time, as estimated: with two digits, so that most results change no rating of
 * bots that did not fight.
 */
export const driftVariance = (state: Shared, seconds: number): number =>
  (Number((estimateOf(state, 1) ** 2).toPrecision(2)) * Math.max(0, seconds)) / yearSeconds
