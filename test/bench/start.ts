import { basename, join } from 'node:path'
import type { Scale } from '../../scripts/league/league.ts'
import {
  projectFolder,
  runToEnd,
  startCommand,
  startService,
  stopService,
  temporaryFolder,
} from '../process.ts'
import { connections, requireNoFailures, startLoadWorker } from './loadGenerator.ts'
import { cores, mainThreadMs, pin, residentMB, type Turns, watchTurns } from './machine.ts'
import { type Extent, inTurns, type Row, type RowOptions, rowsOf, summary } from './stats.ts'

/** A checkout of the project with its own snapshot of the league, in its own format. */
interface Rival {
  readonly name: string
  readonly folder: string
  readonly snapshotPath: string
}

const openRival = async (folder: string, scale: Scale): Promise<Rival> => {
  const snapshotPath = join(await temporaryFolder(), 'league.cageside')
  const options = ['--out', snapshotPath, '--seed', '1', '--scale', String(scale)]
  const command = [process.execPath, 'scripts/generate.ts', ...options]
  const { code, errors } = await runToEnd(command, { cwd: folder })
  if (code !== 0) throw new Error(`${folder}: ${errors}`)
  return { name: basename(folder), folder, snapshotPath }
}

/** Figures of one kind, by measured value. */
type Figures = Readonly<Record<string, number>>

/** Starts a rival like its `bun start` does. */
const start = async ({ folder, snapshotPath }: Rival, turns?: Turns) => {
  const settings = { SNAPSHOT: snapshotPath, LOG_LEVEL: 'error', ...turns?.settings }
  return startService(settings, await startCommand(folder, turns?.preload), folder)
}

/** Idle time after which memory counts as settled. */
const settleMsOf = ({ isBrief }: Extent): number => (isBrief ? 100 : 10_000)

const firstAnswer = 'start to first answer (ms)'
const residentAfterLoad = 'resident after mixed requests (MiB)'
/** Figures by measured value. */
const goals: Readonly<Record<string, RowOptions['atMost']>> = {
  [firstAnswer]: { 1: 1200, 10: 9000 },
  [residentAfterLoad]: { 1: 260, 10: 1100 },
}

const measureStart = async (rival: Rival): Promise<Figures> => {
  const began = performance.now()
  const running = await start(rival)
  await (await fetch(`${running.url}/tournaments`)).bytes()
  const ms = performance.now() - began
  const { pid } = running.process
  const figures = {
    [firstAnswer]: ms,
    'CPU time of the main thread until then (ms)': await mainThreadMs(pid),
    'resident when ready (MiB)': await residentMB(pid),
  }
  const answeredMs = async (path: string): Promise<number> => {
    await (await fetch(running.url + path)).bytes()
    return performance.now() - began
  }
  // Parts made beside the first requests, in order; version 2.0 has no ratings.
  const later = {
    'start to first answer with ratings (ms)': await answeredMs('/stats/ratings'),
    'start to first answer of a search (ms)': await answeredMs('/search?q=robot'),
  }
  await stopService(running)
  return { ...figures, ...later }
}

const measureTurns = async (rival: Rival, settleMs: number): Promise<Figures> => {
  const turns = await watchTurns()
  const running = await start(rival, turns)
  const readyMs = Date.now()
  await Bun.sleep(settleMs)
  const settled = await residentMB(running.process.pid)
  await stopService(running)
  return {
    'longest turn before ready (ms)': await turns.longest(0, readyMs),
    'longest turn after ready (ms)': await turns.longest(readyMs, readyMs + settleMs),
    [`resident ${settleMs / 1000} s later (MiB)`]: settled,
  }
}

const measureMemory = async (rival: Rival, extent: Extent): Promise<Figures> => {
  const requests = extent.isBrief ? 1000 : 1_000_000
  const running = await start(rival)
  const { pid } = running.process
  pin(pid, cores.server)
  await using worker = startLoadWorker()
  const task = { url: running.url, traffic: 'event', seed: 1, connections, requests } as const
  const { perSecond } = requireNoFailures(await worker.run(task))
  await Bun.sleep(settleMsOf(extent) / 5)
  const after = await residentMB(pid)
  await stopService(running)
  return { [residentAfterLoad]: after, 'requests a second': perSecond }
}

/** Medians of this checkout and of the other one, measured in turns, and their ratios. */
const compare = async (
  { scale, rounds }: Extent,
  beside: string | undefined,
  measure: (rival: Rival) => Promise<Figures>,
): Promise<Row[]> => {
  const folders = [projectFolder, ...(beside === undefined ? [] : [beside])]
  const rivals = await Promise.all(folders.map((folder) => openRival(folder, scale)))
  const [own = [], others] = Object.values(
    await inTurns(rounds, Object.fromEntries(rivals.map((each) => [each.folder, each])), measure),
  )
  const row = rowsOf(scale)
  return Object.keys(own[0] ?? {}).flatMap((what): Row[] => {
    const values = own.map((each) => each[what] ?? 0)
    const goal = goals[what]
    const atMost = goal === undefined ? {} : { atMost: goal }
    if (!others) return [row(what, '', values, atMost)]
    const other = others.map((each) => each[what] ?? 0)
    const ratio = summary(values).median / (summary(other).median || 1)
    return [
      row(what, '', values, { ...atMost, beside: { [rivals[1]?.name ?? '']: other } }),
      row('  ratio', 'times', ratio),
    ]
  })
}

/** Start from a snapshot: time to first answer, memory, longest turns of the event loop. */
export const startRows = (extent: Extent, beside?: string): Promise<Row[]> =>
  compare(extent, beside, async (rival) => ({
    ...(await measureStart(rival)),
    ...(await measureTurns(rival, settleMsOf(extent))),
  }))

/** Memory after mixed requests. */
export const memoryRows = (extent: Extent, beside?: string): Promise<Row[]> =>
  compare(extent, beside, (rival) => measureMemory(rival, extent))
