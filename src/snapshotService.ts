import type { ArchiveService } from './archive.ts'
import { createLoader } from './load.ts'
import type { Log } from './log.ts'
import { readSnapshot } from './source/snapshot.ts'

/**
 * Serves one snapshot. Its clock starts at the capture time and runs, so that the event under way
 * then is under way now. Throws a `SnapshotError` for a file that is no whole snapshot.
 */
export const serveSnapshot = async (path: string, log: Log): Promise<ArchiveService> => {
  const started = performance.now()
  const snapshot = await readSnapshot(path)
  const loader = createLoader()
  for (const rows of snapshot.tournaments()) loader.add(rows)
  const { archive, badRows, badRowExamples } = loader.finish(snapshot.digest.slice(0, 16))
  if (badRows > 0) log('warn', 'rows left out', { badRows, badRowExamples })
  const loadedAt = performance.now()
  const status = {
    source: 'snapshot',
    currentAt: snapshot.capturedAt,
    lastRefresh: {
      at: snapshot.capturedAt,
      ms: Math.round(loadedAt - started),
      changedRows: 0,
      error: null,
    },
    badRows,
  } as const
  return {
    archive: () => archive,
    status: () => status,
    now: () => Math.floor(snapshot.capturedAt + (performance.now() - started) / 1000),
  }
}
