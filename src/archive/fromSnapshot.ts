import { setImmediate } from 'node:timers/promises'
import type { Tournament } from '../league/types.ts'
import type { Log } from '../log.ts'
import { checkCages } from '../source/check.ts'
import { packTournament, readSnapshot } from '../source/snapshot.ts'
import { type Archive, buildArchive, nothingLoaded, type OpenedService } from './archive.ts'
import type { ChangeSink } from './changeSink.ts'
import { countBadRows, loadTournament } from './load.ts'
import { combineDigests, shownCages, versionOf } from './version.ts'

/**
 * Serves one snapshot. Its clock starts at the capture time, so an event in progress then is in
 * progress at every start. `firstLoad` rejects with a `SnapshotError` for an invalid file.
 */
export const openSnapshot = (path: string, log: Log, changes?: ChangeSink): OpenedService => {
  const started = performance.now()
  let archive: Archive | undefined
  let status = nothingLoaded('snapshot')
  let capturedAt = Date.now() / 1000

  const load = async (): Promise<void> => {
    const snapshot = await readSnapshot(path)
    const bad = countBadRows()
    const tournaments = new Map<string, Tournament>()
    const digests: bigint[] = []
    for (const { rows, frame } of snapshot.entries) {
      const badBefore = bad.count()
      const loaded = loadTournament(rows(), bad.onBadRow)
      if (loaded) {
        tournaments.set(loaded.tournament.info.id, loaded.tournament)
        const isWhole = frame && bad.count() === badBefore
        digests.push(isWhole ? frame.digest : packTournament(loaded.rows).digest)
      }
      // Requests are answered 503 in between.
      await setImmediate()
    }
    const cages = shownCages(checkCages(snapshot.cages, bad.onBadRow), (id) => tournaments.has(id))
    const badRows = bad.count()
    if (badRows > 0) log('warn', 'rows left out', { badRows, examples: bad.examples })
    const { version, dataVersion } = versionOf(combineDigests(digests), cages)
    archive = buildArchive(version, [...tournaments.values()], cages, dataVersion)
    changes?.begin(undefined, archive)
    capturedAt = snapshot.capturedAt
    const ms = Math.round(performance.now() - started)
    status = {
      source: 'snapshot',
      follows: 'nothing',
      currentAt: capturedAt,
      lastRefresh: { at: capturedAt, ms, changedRows: 0, error: null },
      badRows,
    }
    log('info', 'loaded', { ms, tournaments: tournaments.size })
  }
  return {
    archive: () => archive,
    status: () => status,
    now: () => Math.floor(capturedAt + (performance.now() - started) / 1000),
    firstLoad: load(),
    stop: async () => undefined,
  }
}
