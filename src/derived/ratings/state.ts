import type { PlaceInOrder } from '../../data/league/order.ts'
import { effects, estimates, firstEstimates, firstInformation, settingCount } from './settings.ts'

/** A strength in natural units: the logarithm of the odds against a bot of strength 0. */
export interface Strength {
  readonly mean: number
  readonly variance: number
}

/**
 * Places of a slot's values: by setting the mean and variance of the strength, those of the form, and the covariance of
 * both, as results at one event tell only their sum; then these. `originAt` has the strengths that it began with, in its
 * other class and in its team; `meanBeforeAt` the mean before the day of its last fight and before the day before that,
 * NaN without a fight until then; `endAt` the day and second at which its last fight ended. All integers are below 2²⁴.
 */
export const formAt = 2 * settingCount
export const covarianceAt = 4 * settingCount
export const meanAt = 5 * settingCount
export const varianceAt = meanAt + 1
export const originAt = meanAt + 2
export const meanBeforeAt = meanAt + 4
export const fightsAt = meanAt + 6
const endAt = meanAt + 7
/** Two halves of the key of its team. */
export const teamAt = meanAt + 9
/** Whether it has one setting, the first: 1, else 0. */
export const isSettledAt = meanAt + 11
export const slotStride = meanAt + 12

/**
 * Places in a row of what the whole league shares: end of the last fight that it follows from, number of fights so far,
 * number of settings; the estimates and how much is known of each; then for each of the {@link effects} its mean by
 * setting and its variance by setting.
 */
export const learnedAt = 1
export const settingsAt = 2
export const estimatesAt = 3
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

/** Values of the slots in blocks that versions share until a slot in one changes. */
export interface SlotValues {
  readonly blocks: readonly Float32Array[]
}

/** A power of two. */
export const blockSlots = 64
const newBlock = (): Float32Array => new Float32Array(blockSlots * slotStride)
const noValues = newBlock()

/** Values of the block of a slot, zeros for a new bot; {@link placeOfSlot} is the offset in it. */
export const blockOf = ({ blocks }: SlotValues, slot: number): Float32Array =>
  blocks[Math.floor(slot / blockSlots)] ?? noValues
export const placeOfSlot = (slot: number): number => (slot & (blockSlots - 1)) * slotStride

/** A copy of tables, which shares their blocks until they change. */
export const copyBlocks = ({ blocks: before }: SlotValues) => {
  const blocks = [...before]
  const isOwn: boolean[] = []
  return {
    blocks,
    /** The block of a slot, to be changed. */
    change: (slot: number): Float32Array => {
      const index = Math.floor(slot / blockSlots)
      const block = blocks[index]
      if (block && isOwn[index]) return block
      isOwn[index] = true
      blocks[index] = block?.slice() ?? newBlock()
      return blocks[index]
    },
  }
}

/** Place of a fight in the order of play; `playIndex` is its index in `boutsOf` its tournament. */
export type Place = PlaceInOrder

/** State of the league: a ring of rows. */
interface Shared {
  readonly shared: Float64Array
  /** Number of the newest row. */
  readonly row: number
}

/** The state before the newest session, by what the session changed. */
interface Checkpoint extends Shared {
  readonly newest: Place | undefined
  readonly slots: ReadonlyMap<number, Float32Array>
}

/** The state after some fights: never changed, and equal for equal fights in equal order, bit for bit. */
export interface FilterState extends SlotValues, Shared {
  readonly newest: Place | undefined
  readonly checkpoint: Checkpoint | undefined
}

const sharedAtStart = (() => {
  const rows = new Float64Array(sharedRows * sharedStride)
  rows[0] = Number.NEGATIVE_INFINITY
  rows[settingsAt] = settingCount
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
  for (const [slot, own] of slots) change(slot).set(own, placeOfSlot(slot))
  return { ...before, blocks, checkpoint: undefined }
}

/** Completed fights of a slot. */
export const fightsOfSlot = (values: SlotValues, slot: number): number =>
  blockOf(values, slot)[placeOfSlot(slot) + fightsAt] ?? 0

const daySeconds = 86_400

/** End of the last fight of a slot whose values are at a place; 0 without one. */
export const lastUnixAt = (block: Float32Array, place: number): number =>
  (block[place + endAt] ?? 0) * daySeconds + (block[place + endAt + 1] ?? 0)
export const lastUnixOfSlot = (values: SlotValues, slot: number): number =>
  lastUnixAt(blockOf(values, slot), placeOfSlot(slot))

/** Strength of a slot after its last fight, without form; undefined before its first. */
export const strengthOfSlot = (values: SlotValues, slot: number): Strength | undefined => {
  const block = blockOf(values, slot)
  const place = placeOfSlot(slot)
  if (block[place + fightsAt] === 0) return undefined
  return { mean: block[place + meanAt] ?? 0, variance: block[place + varianceAt] ?? 0 }
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

/** Enters the end of a fight of a slot, and keeps the means before the days of its fights; its strength is still that before. */
export const enterEnd = (block: Float32Array, place: number, endUnix: number): void => {
  const day = Math.floor(endUnix / daySeconds)
  const days = day - (block[place + endAt] ?? 0)
  const isNew = block[place + fightsAt] === 0
  if (days !== 0 || isNew) {
    const mean = isNew ? Number.NaN : (block[place + meanAt] ?? 0)
    block[place + meanBeforeAt + 1] = days === 1 ? (block[place + meanBeforeAt] ?? 0) : mean
    block[place + meanBeforeAt] = mean
  }
  block[place + endAt] = day
  block[place + endAt + 1] = endUnix - day * daySeconds
  block[place + fightsAt] = (block[place + fightsAt] ?? 0) + 1
}

/**
 * Mean of a slot before the day of a moment, at most a day before its last fight: no fight that ends later on changes it.
 * Without a time that after its last fight. NaN if it had not fought.
 */
export const meanBefore = (block: Float32Array, place: number, unix: number | null): number => {
  const days = unix === null ? -1 : (block[place + endAt] ?? 0) - Math.floor(unix / daySeconds)
  return block[place + (days < 0 ? meanAt : meanBeforeAt + Math.min(1, days))] ?? 0
}

/** {@link meanBefore} by slot. */
export const meanOfSlotBefore = (values: SlotValues, slot: number, unix: number | null): number =>
  meanBefore(blockOf(values, slot), placeOfSlot(slot), unix)

export const startOfDay = (unix: number): number => unix - (unix % daySeconds)

export const yearSeconds = 365.25 * daySeconds

/** Estimated standard deviation of the strengths of new bots, of their change in a year, of the form at an event. */
export const estimateOf = (state: Shared, estimate: number): number =>
  Math.exp(state.shared[newestShared(state) + estimatesAt + estimate] ?? 0)

/** Estimated gain of a bot over its first fights. */
export const growthOf = (state: Shared): number => {
  const row = newestShared(state)
  const first = row + effectsAt
  const bySetting = state.shared.subarray(first, first + (state.shared[row + settingsAt] ?? 1))
  return bySetting.reduce((sum, growth) => sum + growth, 0) / bySetting.length
}

/**
 * Variance that a strength gains in some time, as estimated: with two digits, so that most results change no rating of
 * bots that did not fight.
 */
export const driftVariance = (state: Shared, seconds: number): number =>
  (Number((estimateOf(state, 1) ** 2).toPrecision(2)) * Math.max(0, seconds)) / yearSeconds
