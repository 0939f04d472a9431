import { viewCages } from '../../api/live/lookup.ts'
import type { CageState } from '../../api/live/schema.ts'
import { cageStates } from '../../api/live/view.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import type { Cage, Tournament } from '../../league/types.ts'

/** A cage, and its state at the time of the request. */
export interface CageNow {
  readonly cage: Cage
  readonly state: CageState
}

/** All cages at a time, by number, and the tournaments that their fights are of. */
export interface Live {
  readonly cages: readonly CageNow[]
  readonly tournaments: ReadonlyMap<string, Tournament>
}

export const findLive = (archive: TrackedArchive): Live => {
  const { cages, dataset } = archive
  const states = archive.timed(viewCages(cages, (now) => cageStates(cages, now)))
  return {
    cages: Object.values(cages)
      .flatMap((cage: Cage) => {
        const state = states[`cage${cage.number}`]
        return state ? [{ cage, state }] : []
      })
      .sort((a, b) => a.cage.number - b.cage.number),
    tournaments: dataset.tournamentsByID,
  }
}
