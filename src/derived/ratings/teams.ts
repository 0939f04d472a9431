import { cleanName } from '../../data/league/cleanName.ts'
import type { RatingClass } from './bouts.ts'
import type { Origin } from './sides.ts'
import {
  blockOf,
  blockSlots,
  fightsAt,
  meanBefore,
  placeOfSlot,
  type SlotValues,
  teamAt,
} from './state.ts'

/** Key of a bot without a team. */
export const noTeam = 0
const halfBits = 2 ** 24
const hashMask = BigInt(2 ** 46 - 1)

const hashOf = (text: string): number => 1 + Number(Bun.hash.xxHash64(text) & hashMask)

const teamHashes = new Map<string, number>()
/** By team as written; bounded, because names come from outside. */
const teamHash = (team: string): number => {
  const known = teamHashes.get(team)
  if (known !== undefined) return known
  const name = cleanName(team)
  const hash = name === '' ? noTeam : hashOf(name)
  if (teamHashes.size < 10_000) teamHashes.set(team, hash)
  return hash
}

/** Key of a team in a class: 48 bits of hashes, so that tables hold it. */
export const teamKey = (ratingClass: RatingClass, team: string | null): number => {
  const ofTeam = team === null ? noTeam : teamHash(team)
  if (ofTeam === noTeam) return noTeam
  return ofTeam + (typeof ratingClass === 'number' ? ratingClass : hashOf(ratingClass))
}

const teamAtPlace = (block: Float32Array, place: number): number =>
  (block[place + teamAt] ?? 0) * halfBits + (block[place + teamAt + 1] ?? 0)

/** Whether the team of a slot is known. */
export const hasTeam = (block: Float32Array, place: number): boolean =>
  teamAtPlace(block, place) !== noTeam

/** Slots with a team as lists by a remainder of its key: the newest of each, and the one before each. */
interface TeamIndex {
  readonly newest: Int32Array
  readonly before: Int32Array
}

/** By list of blocks; made when a new bot with a team is first looked up, and anew when it has no room for all slots. */
const indexes = new WeakMap<SlotValues['blocks'], TeamIndex>()

/** From the low bits of the key: the remainder of an integer takes a tenth of the time. */
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
    const team = teamAtPlace(blockOf(values, slot), placeOfSlot(slot))
    if (team !== noTeam) link(index, slot, team)
  }
  indexes.set(blocks, index)
  return index
}

/** Enters the team of a slot: the first that is known. */
export const joinTeam = (values: SlotValues, slot: number, team: number): void => {
  if (team === noTeam) return
  const block = blockOf(values, slot)
  const at = placeOfSlot(slot) + teamAt
  block[at] = Math.floor(team / halfBits)
  block[at + 1] = team % halfBits
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
    const block = blockOf(values, slot)
    const place = placeOfSlot(slot)
    if (teamAtPlace(block, place) !== team || block[place + fightsAt] === 0) continue
    const mean = meanBefore(block, place, atUnix)
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
