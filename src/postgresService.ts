import { nothingLoaded, type OpenedService, type SourceStatus } from './archive.ts'
import { createLoader, type Loaded } from './load.ts'
import type { Log } from './log.ts'
import { connect, readAll, type Source } from './source/postgres.ts'

const longestDelayMs = 30_000

const load = async (source: Source): Promise<Loaded> => {
  const loader = createLoader()
  const head = await readAll(source, {}, loader.add)
  return loader.finish(Bun.hash(`${head.systemIdentifier} ${head.mark}`).toString(36))
}

/**
 * Serves what a Postgres holds. An attempt to load it that fails is repeated, with growing delays,
 * until there is an archive.
 */
export const openPostgres = (
  url: string,
  { refreshMs, log }: { refreshMs: number; log: Log },
): OpenedService => {
  const source = connect(url)
  const now = (): number => Math.floor(Date.now() / 1000)
  let loaded: Loaded | undefined
  let status = nothingLoaded('postgres')
  let failures = 0
  let timer: Timer | undefined

  const attempt = async (): Promise<void> => {
    const at = now()
    const started = performance.now()
    const finish = (error: string | null): SourceStatus['lastRefresh'] => ({
      at,
      ms: Math.round(performance.now() - started),
      changedRows: 0,
      error,
    })
    try {
      loaded = await load(source)
      const { badRows, badRowExamples } = loaded
      if (badRows > 0) log('warn', 'rows left out', { badRows, badRowExamples })
      status = { ...status, currentAt: at, lastRefresh: finish(null), badRows }
      log('info', 'loaded', { ms: status.lastRefresh.ms })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (failures === 0) log('error', 'loading failed', { reason })
      failures += 1
      status = { ...status, lastRefresh: finish(reason) }
      timer = setTimeout(attempt, Math.min(longestDelayMs, refreshMs * 2 ** failures))
    }
  }
  return {
    archive: () => loaded?.archive,
    status: () => status,
    now,
    firstAttempt: attempt(),
    stop: async () => {
      clearTimeout(timer)
      await source.close()
    },
  }
}
