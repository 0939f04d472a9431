import type { Fight } from '../../data/league/types.ts'

/** Namespace of the identifiers, a UUID that never changes. */
const namespace = '8f0c2b52-63a5-4d1e-9a6f-5d3c1e7b9a40'

/**
 * UUID of a thing by its kind and ids: the same at every URL of the service and after every change, because readers of
 * feeds and calendars know an entry by it.
 */
export const stableID = (kind: string, ...ids: readonly string[]): string =>
  Bun.randomUUIDv5(JSON.stringify([kind, ...ids]), namespace)

/** UUID of a fight; a feed without outcomes has another one, so that a reader of both mixes no texts. */
export const fightID = ({ tournament, id }: Fight, showsOutcomes: boolean): string =>
  stableID('fight', tournament.id, id, ...(showsOutcomes ? [] : ['no spoilers']))
