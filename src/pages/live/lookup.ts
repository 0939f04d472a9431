import { viewCages } from '../../api/live/lookup.ts'
import { cageStates } from '../../api/live/view.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import type { Cage } from '../../league/types.ts'
import type { CageNow } from '../cages.ts'
import { isNamed } from '../outcomes.ts'
import type { Viewing } from '../site.ts'

/** A fight that may not be named is neither in the cage nor in its queue. */
const shownCage = (viewing: Viewing, { cage, state }: CageNow): CageNow => {
  const queue = cage.queue.filter((fight) => isNamed(viewing, fight))
  return cage.fight === null || isNamed(viewing, cage.fight)
    ? { cage: { ...cage, queue }, state }
    : { cage: { ...cage, status: 'idle', fight: null, queue }, state: { ...state, status: 'idle' } }
}

/** All cages at a time, by number. */
export const findCages = (archive: TrackedArchive, viewing: Viewing): readonly CageNow[] => {
  const { cages } = archive
  const states = archive.timed(viewCages(archive, (...at) => cageStates(cages, ...at)))
  return Object.values(cages)
    .flatMap((cage: Cage) => {
      const state = states[`cage${cage.number}`]
      return state ? [shownCage(viewing, { cage, state })] : []
    })
    .sort((a, b) => a.cage.number - b.cage.number)
}

/** The cages that the league has, and those that shown fights wait for; all if there are none. */
export const findOwnCages = (archive: TrackedArchive, viewing: Viewing): readonly CageNow[] => {
  const all = findCages(archive, viewing)
  const own = all.filter(({ cage }) => cage.isOwn || cage.queue.length > 0)
  return own.length > 0 ? own : all
}
