import type { ChangeSink } from '../archive/changeSink.ts'
import type { LoadedLeague } from '../archive/loadedLeague.ts'
import type { LastGood } from './lastGood.ts'

const defaultSaveEveryMs = 60_000

/** The served league, and when it was last known to be current. */
export interface Served {
  readonly league: LoadedLeague
  /** Time on the monotonic clock; undefined before the first load. */
  readonly currentAt: number | undefined
  /** Unix seconds of that time; null before the first load. */
  readonly currentUnix: number | null
}

/** Saves the served league to disk after changes, one save at a time; refreshes do not wait for it. */
export const createSaving = ({
  lastGood,
  changes,
  served,
  onSaved,
  clockMs,
  saveEveryMs = defaultSaveEveryMs,
}: {
  /** Storage of the league; undefined if nothing is saved. */
  readonly lastGood: LastGood | undefined
  readonly changes: ChangeSink | undefined
  readonly served: () => Served
  readonly onSaved: (isSaved: boolean) => void
  readonly clockMs: () => number
  readonly saveEveryMs?: number | undefined
}) => {
  let isUnsaved = false
  let savedAt = Number.NEGATIVE_INFINITY
  let savedUntil: number | undefined
  let saving: Promise<void> = Promise.resolve()

  const save = async (): Promise<void> => {
    const { league, currentAt, currentUnix } = served()
    if (!lastGood || !isUnsaved || currentUnix === null) return
    isUnsaved = false
    savedAt = clockMs()
    if (league.archive && changes && !(await changes.beforeSave(league.archive.version))) {
      isUnsaved = true
      return save()
    }
    const isSaved = await lastGood.save(league, Math.max(0, currentUnix))
    if (isSaved) savedUntil = currentAt
    else isUnsaved = true
    onSaved(isSaved)
  }
  return {
    /**
     * Notes that the league has changed; with `isUrgent`, the saved one holds something that must not be served again.
     */
    changed: (isUrgent: boolean): void => {
      isUnsaved = true
      if (isUrgent) savedAt = Number.NEGATIVE_INFINITY
    },
    /** Notes that the league on disk was current at this time. */
    found: (currentAt: number): void => {
      savedUntil = currentAt
    },
    /** Saves unless nothing changed or the last save is recent. */
    saveIfDue: (): void => {
      if (isUnsaved && clockMs() - savedAt >= saveEveryMs) saving = saving.then(save)
    },
    /** Saves unsaved data, and the last time at which saved data was current. */
    finish: async (): Promise<void> => {
      await saving
      isUnsaved ||= served().currentAt !== savedUntil
      await save()
    },
  }
}
