import { cleanName } from '../league/cleanName.ts'
import type { RatingClass } from './bouts.ts'
import type { Origin } from './sides.ts'
import {
  blockOf,
  blockSlots,
  fightsOfSlot,
  intsAt,
  meanBefore,
  type SlotValues,
  teamAt,
} from './state.ts'

/** Key of a bot without a team. */
export const noTeam = 0
const halfBits = 2 ** 32

/** Key of a team in a class: 53 bits of a hash, so that tables hold it. */
export const teamKey = (ratingClass: RatingClass, team: string | null): number => {
  const name = team === null ? '' : cleanName(team)
  return name === ''
    ? noTeam
    : Number(Bun.hash.xxHash64(`${ratingClass} ${name}`) & BigInt(Number.MAX_SAFE_INTEGER))
}

const teamOfSlot = (values: SlotValues, slot: number): number => {
  const { ints } = blockOf(values, slot)
  const at = intsAt(slot) + teamAt
  return (ints[at] ?? 0) * halfBits + (ints[at + 1] ?? 0)
}

/** Whether the team of a slot is known. */
export const hasTeam = (values: SlotValues, slot: number): boolean =>
  teamOfSlot(values, slot) !== noTeam

/** Slots with a team as lists by a remainder of its key: the newest of each, and the one before each. */
interface TeamIndex {
  readonly newest: Int32Array
  readonly before: Int32Array
}

/** By list of blocks; made when a new bot with a team is first looked up, and anew when it has no room for all slots. */
const indexes = new WeakMap<SlotValues['blocks'], TeamIndex>()

/** From the low half of the key: the remainder of an integer takes a tenth of the time. */
const listOf = (team: number, { newest }: TeamIndex): number => ((team | 0) >>> 1) % newest.length

const link = (index: TeamIndex, slot: number, team: number): void => {
  const list = listOf(team, index)
  index.before[slot] = index.newest[list] ?? -1
  index.newest[list] = slot
}

const indexOf = (values: SlotValues): TeamIndex => {
  const { blocks } = values
  const slots = blocks.length * blockSlots
  const known = indexes.get(blocks)
  if (known && known.before.length >= slots) return known
  const size = Math.ceil(slots * 1.25)
  const index = { newest: new Int32Array(size).fill(-1), before: new Int32Array(size) }
  for (let slot = 0; slot < slots; slot += 1) {
    const team = teamOfSlot(values, slot)
    if (team !== noTeam) link(index, slot, team)
  }
  indexes.set(blocks, index)
  return index
}

/** Enters the team of a slot: the first that is known. */
export const joinTeam = (values: SlotValues, slot: number, team: number): void => {
  if (team === noTeam || hasTeam(values, slot)) return
  const { ints } = blockOf(values, slot)
  const at = intsAt(slot) + teamAt
  ints[at] = Math.floor(team / halfBits)
  ints[at + 1] = team % halfBits
  const index = indexes.get(values.blocks)
  if (index) link(index, slot, team)
}

/**
 * Strength of the best bot of a team before the day on which a fight is met, or with null now: what ends in other cages
 * meanwhile changes no chance. 0 without one.
 */
const bestOfTeam = (values: SlotValues, team: number, atUnix: number | null): number => {
  const index = indexOf(values)
  let best = Number.NEGATIVE_INFINITY
  for (
    let slot = index.newest[listOf(team, index)] ?? -1;
    slot >= 0;
    slot = index.before[slot] ?? -1
  ) {
    if (teamOfSlot(values, slot) !== team || fightsOfSlot(values, slot) === 0) continue
    const mean = meanBefore(values, slot, atUnix)
    if (mean > best) best = mean
  }
  return best === Number.NEGATIVE_INFINITY ? 0 : best
}

/** A bot begins with its strength in another class; without one with that of the best of its team. */
export const originOf = (
  values: SlotValues,
  inherited: number,
  team: number,
  atUnix: number | null,
): Origin => ({
  inherited,
  team: inherited !== 0 || team === noTeam ? 0 : bestOfTeam(values, team, atUnix),
})
