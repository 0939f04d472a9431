import { expectation, fightNames } from '../../api/fights/view.ts'
import type { Archive } from '../../data/archive/archive.ts'
import { type Expected, expectedAt } from '../../derived/live/expected.ts'
import { fightPlace } from './diffTournaments.ts'
import { fightRow } from './rows.ts'
import type { Change } from './schema.ts'

/** Smaller moves are not published, nor more than one a minute per fight. */
const minMoveSeconds = 120
const minWaitSeconds = 60

/** The expected start of a fight as last published, and the time of publication. */
interface Sent {
  readonly expected: Expected
  readonly time: number
}

/** Expected starts by tournament and game. */
export type SentStarts = ReadonlyMap<string, Sent>

/** True if a moved start is published: an earlier start only if it is earlier by its whole current range. */
const hasMoved = ({ at: before }: Expected, { at: after }: Expected): boolean => {
  if (!before || !after) return before !== after
  const by = after.start - before.start
  return Math.abs(by) > minMoveSeconds && (by > 0 || -by >= after.to - after.from)
}

const unsaid: Expected = { at: null, cage: null, ahead: 0, isPaused: false }

/** Merges the changes of a version with its moved expected starts: one change per fight. */
export const withExpected = (
  changes: readonly Change[],
  expected: readonly Change[],
): readonly Change[] => {
  const keyOf = (change: Change): string | undefined =>
    change.type === 'schedule.changed'
      ? JSON.stringify([change.tournamentID, change.gameID])
      : undefined
  const byKey = new Map(expected.map((change) => [keyOf(change), change]))
  const joined = changes.map((change) => {
    const key = keyOf(change)
    const moved = key === undefined ? undefined : byKey.get(key)
    if (change.type !== 'schedule.changed' || moved?.type !== 'schedule.changed') return change
    byKey.delete(key)
    return { ...change, before: { ...change.before, ...moved.before }, after: moved.after }
  })
  return [...joined, ...byKey.values()]
}

/** Expected starts as last published, without changes that were dropped before publication. */
export const withoutUnpublished = (
  sent: SentStarts,
  { before, after }: { readonly before: SentStarts; readonly after: SentStarts },
): SentStarts => {
  const kept = new Map(sent)
  for (const [key, each] of after) {
    const old = before.get(key)
    if (old === each) continue
    if (old) kept.set(key, old)
    else kept.delete(key)
  }
  return kept
}

/**
 * Changes of expected starts since the last publication, at a time in Unix seconds, and the starts that they publish.
 */
export const expectedChanges = (
  archive: Archive,
  sent: SentStarts,
  now: number,
): { readonly changes: readonly Change[]; readonly sent: SentStarts } => {
  const changes: Change[] = []
  const next = new Map<string, Sent>()
  for (const [fight, expected] of expectedAt(archive, now).fights) {
    const tournament = archive.dataset.tournamentsByID.get(fight.tournament.id)
    const key = JSON.stringify([fight.tournament.id, fight.id])
    const { expected: before = unsaid, time = Number.NEGATIVE_INFINITY } = sent.get(key) ?? {}
    // The clock of a replay goes back.
    const isSoon = time <= now && now - time < minWaitSeconds
    if (!tournament || isSoon || !hasMoved(before, expected)) {
      next.set(key, { expected: before, time })
      continue
    }
    next.set(key, { expected, time: now })
    changes.push({
      type: 'schedule.changed',
      ...fightPlace(fightNames(fight)),
      before: expectation(fight, before),
      after: { ...fightRow(tournament, fight), ...expectation(fight, expected) },
    })
  }
  return { changes, sent: next }
}
