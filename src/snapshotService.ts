import { setImmediate } from 'node:timers/promises'
import { type Archive, nothingLoaded, type OpenedService } from './archive.ts'
import { createLoader } from './load.ts'
import type { Log } from './log.ts'
import { readSnapshot } from './source/snapshot.ts'

/**
 * Serves one snapshot. Its clock starts at the capture time and runs, so that the event under way
 * then is under way now. `firstAttempt` rejects with a `SnapshotError` for what is no whole snapshot.
 */
export const openSnapshot = (path: string, log: Log): OpenedService => {
  const started = performance.now()
  let archive: Archive | undefined
  let status = nothingLoaded('snapshot')
  let capturedAt = Date.now() / 1000

  const load = async (): Promise<void> => {
    const snapshot = await readSnapshot(path)
    const loader = createLoader()
    for (const rows of snapshot.tournaments()) {
      loader.add(rows)
      // Whoever asks meanwhile hears at once that the data is still loading.
      await setImmediate()
    }
    const loaded = loader.finish(snapshot.digest.slice(0, 16))
    const { badRows, badRowExamples } = loaded
    if (badRows > 0) log('warn', 'rows left out', { badRows, badRowExamples })
    archive = loaded.archive
    capturedAt = snapshot.capturedAt
    const ms = Math.round(performance.now() - started)
    status = {
      source: 'snapshot',
      currentAt: capturedAt,
      lastRefresh: { at: capturedAt, ms, changedRows: 0, error: null },
      badRows,
    }
    log('info', 'loaded', { ms, tournaments: archive.dataset.tournaments.length })
  }
  return {
    archive: () => archive,
    status: () => status,
    now: () => Math.floor(capturedAt + (performance.now() - started) / 1000),
    firstAttempt: load(),
    stop: async () => undefined,
  }
}
