import { rm } from 'node:fs/promises'
import { emptyLeague } from '../../src/data/archive/loadedLeague.ts'
import { refreshLeague } from '../../src/data/following/refresh.ts'
import { shownStamps, stampDigests } from '../../src/data/source/changedRows.ts'
import { connect } from '../../src/data/source/connection.ts'
import { readTransaction } from '../../src/data/source/postgres.ts'
import { temporaryFolder } from '../process.ts'
import { mainThreadMs } from './machine.ts'
import { openDatabaseStage, startTimed } from './stage.ts'
import { type Extent, median, rounded, timed } from './stats.ts'

/** Period of comparing every tournament once. */
const compareAllMs = 180_000
const refreshMs = 2000

/** Time until the first answer. */
interface Start {
  readonly ms: number
  /** CPU time of the main thread: independent of other load on the machine. */
  readonly mainMs: number
}

const medians = (starts: readonly Start[]): Start => ({
  ms: median(starts.map(({ ms }) => ms)),
  mainMs: median(starts.map(({ mainMs }) => mainMs)),
})

/**
 * A service on a real Postgres: start without and with a last good archive, a refresh without changes, with and without
 * its share of the comparison, and the wait of a writer for the locks of a reader that loads everything in a loop.
 */
export const benchSource = async ({ scale, rounds }: Extent): Promise<object> => {
  await using stage = await openDatabaseStage(scale)
  const { database, admin: writer } = stage
  const source = connect(database.readerUrl, { deadlineMs: 60_000 })
  const dataDir = await temporaryFolder()
  try {
    const start = async (name: string): Promise<Start> => {
      const { service, ms } = await startTimed({
        DATABASE_URL: database.readerUrl,
        DATA_DIR: dataDir,
      })
      const mainMs = await mainThreadMs(service.pid)
      await service[Symbol.asyncDispose]()
      // An interrupted run of a large league has shown these values.
      console.error(`start ${name}: ${rounded(ms)} ms, ${rounded(mainMs)} ms of the main thread`)
      return { ms, mainMs }
    }
    const [without, withLastGood]: [Start[], Start[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      await rm(dataDir, { recursive: true, force: true })
      without.push(await start('without a file'))
      withLastGood.push(await start('with one'))
    }

    let { league } = await refreshLeague(source, emptyLeague)
    const ids = [...league.seen.keys()]
    const refresh = (compareShare: number) =>
      timed(async () => {
        league = (await refreshLeague(source, league, { compareShare })).league
      })
    const [plain, comparing, compareAll]: [number[], number[], number[]] = [[], [], []]
    for (let round = 0; round < rounds * 5; round += 1) {
      plain.push(await refresh(0))
      comparing.push(await refresh(refreshMs / compareAllMs))
      compareAll.push(
        await timed(() =>
          readTransaction(source, async (query) => {
            await shownStamps(query)
            await stampDigests(query, ids)
          }),
        ),
      )
    }

    const waits: number[] = []
    let loading = true
    const loads = (async () => {
      while (loading) await refreshLeague(source, emptyLeague)
    })()
    for (let round = 0; round < rounds * 10; round += 1) {
      await Bun.sleep(100)
      waits.push(
        await timed(() =>
          writer.begin(async (sql) => {
            await sql`LOCK TABLE cageside.recordings IN ACCESS EXCLUSIVE MODE`
            await sql`LOCK TABLE cageside.brackets IN ACCESS EXCLUSIVE MODE`
          }),
        ),
      )
    }
    loading = false
    await loads
    const comparedMs = median(compareAll)
    return {
      start: { withoutLastGood: medians(without), withLastGood: medians(withLastGood) },
      lookMs: { plain: median(plain), comparing: median(comparing) },
      // CPU time of the server and of this process together.
      compareAll: { ms: comparedMs, shareOfCore: rounded(comparedMs / compareAllMs) },
      writerWaitMs: { median: median(waits), max: rounded(Math.max(...waits)) },
    }
  } finally {
    await source.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}
