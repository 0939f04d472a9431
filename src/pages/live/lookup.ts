import { viewCages } from '../../api/live/lookup.ts'
import { cageStates } from '../../api/live/view.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import type { Cage, Tournament } from '../../league/types.ts'
import type { CageNow } from '../cages.ts'
import { isNamed } from '../outcomes.ts'
import type { Viewing } from '../site.ts'

/** All cages at a time, by number, and the tournaments that their fights are of. */
export interface Live {
  readonly cages: readonly CageNow[]
  readonly tournaments: ReadonlyMap<string, Tournament>
}

/** A fight that may not be named is neither in the cage nor in its queue. */
const shownCage = (viewing: Viewing, { cage, state }: CageNow): CageNow => {
  const queue = cage.queue.filter((fight) => isNamed(viewing, fight))
  return cage.fight === null || isNamed(viewing, cage.fight)
    ? { cage: { ...cage, queue }, state }
    : { cage: { ...cage, status: 'idle', fight: null, queue }, state: { ...state, status: 'idle' } }
}

export const findLive = (archive: TrackedArchive, viewing: Viewing): Live => {
  const { cages, dataset } = archive
  const states = archive.timed(viewCages(cages, (now) => cageStates(cages, now)))
  return {
    cages: Object.values(cages)
      .flatMap((cage: Cage) => {
        const state = states[`cage${cage.number}`]
        return state ? [shownCage(viewing, { cage, state })] : []
      })
      .sort((a, b) => a.cage.number - b.cage.number),
    tournaments: dataset.tournamentsByID,
  }
}
