import { importApi } from '../../scripts/import/api/importApi.ts'
import { readLeague } from '../../scripts/import/csv/folder.ts'
import {
  confirmation,
  planImport,
  removesRows,
  writeImport,
} from '../../scripts/import/csv/plan.ts'
import { importSummary } from '../../scripts/import/csv/summary.ts'
import { classLimits, readWeight } from '../../scripts/import/csv/weights.ts'
import { causesOf, problemTable } from '../../scripts/import/problems.ts'
import { type Remote, RemoteError } from '../../scripts/import/remote/remote.ts'
import { createRun, type ImportRun, summaryOf } from '../../scripts/import/run.ts'
import { openSnapshotTarget } from '../../scripts/import/target/snapshotTarget.ts'
import type { Target } from '../../scripts/import/target/target.ts'
import { importTrueFinals } from '../../scripts/import/truefinals/importTrueFinals.ts'
import { createRandom, type Random } from '../../scripts/league/random.ts'
import { silentProgress } from '../../scripts/progress.ts'
import type { TournamentRows } from '../../src/data/source/rows.ts'
import { appOf, serviceOf } from '../fixtures.ts'
import { ofNoSource } from '../imports.ts'
import { archiveOfLeague, type PageLeague } from '../pageLeague.ts'
import { trueFinalsTournament } from '../trueFinals.ts'
import { drawFolder, editFolder, saveFolder } from './drawnFolder.ts'
import { shaken } from './shaken.ts'

/** A target in memory: it is never closed. */
const openMemory = (): Promise<Target> =>
  openSnapshotTarget('/nonexistent/league.cageside', { now: () => 0 })

/** All rows that a target has. */
const rowsOf = async (target: Target): Promise<unknown> => {
  const tournaments: unknown[] = []
  for (const id of (await target.sources()).keys()) tournaments.push(await target.read(id))
  let cages: unknown
  await target.updateCages((rows) => {
    cages = rows
    return rows
  })
  return { tournaments, cages }
}

const resultOf = ({ result }: ImportRun) => ({
  summary: summaryOf(result),
  problems: result.problems,
  games: [...result.games].map(([id, games]) => [id, [...games]]),
})

/** Values of a response of which a share is missing, or of another kind. */
const damaged = (value: unknown, random: Random, share: number): unknown => {
  if (Array.isArray(value)) return value.map((each) => damaged(each, random, share))
  if (typeof value !== 'object' || value === null)
    return random.chance(share) ? random.pick(['', null, -1, 0, '7', 'x', 1.5, true]) : value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      random.chance(share / 2) ? [] : [[name, damaged(each, random, share)]],
    ),
  )
}

const seedOf = (text: string): number => Number(BigInt(Bun.hash(text)) % 2n ** 31n)

/** A server whose responses are damaged, each alike whenever it is requested; a share is missing. */
const damagedRemote = (
  name: string,
  share: number,
  read: (path: string) => Promise<unknown>,
): Remote => ({
  base: `https://${name}.example`,
  requests: () => 0,
  get: async (path) => {
    const random = createRandom(seedOf(name + path))
    if (random.chance(share)) throw new RemoteError(path, 'answered 404', 404)
    const body = await read(path)
    if (body === undefined) throw new RemoteError(path, 'answered 404', 404)
    return damaged(body, random, share)
  },
})

const importFolder = (seed: number) => {
  const random = createRandom(seed)
  const dates = random.pick(['mdy', 'dmy', undefined])
  const values = { 'time-zone': random.pick(['UTC', 'America/New_York']), dates }
  const contents = saveFolder(drawFolder(random), random)
  const { league, cages, footage, problems, doubts, ignored } = readLeague(contents, values)
  const [causes, table] = [causesOf(problems), problemTable('Lines', problems)]
  return { league, cages, footage, problems, doubts, ignored, causes, table }
}

/** Takes the events of a target from their source, as if they were written by hand. */
const disown = async (target: Target): Promise<void> => {
  for (const id of (await target.sources()).keys())
    await target.update(
      id,
      (rows) => ({ ...rows, tournament: { ...Object(rows?.tournament), source: null } }),
      ofNoSource,
    )
}

/** Imports of a folder and its edits one after the other, beside events of another source or of none. */
const importEdits = async (seed: number) => {
  const random = createRandom(seed)
  const target = await openMemory()
  const steps: unknown[] = []
  let folder = drawFolder(random)
  for (const [source, prune] of [
    [random.pick(['other', 'mine']), true],
    ['mine', random.chance(0.5)],
    ['mine', random.chance(0.5)],
  ] as const) {
    const files = readLeague(saveFolder(folder, random), { dates: 'mdy' })
    const run = createRun({ target, prune, progress: silentProgress })
    const plan = await planImport(run, files, { source, prune })
    const { parts, taken, removed, hasOwn } = plan
    const said = importSummary(parts, removed)
    const asks = [removesRows(plan), confirmation(plan)]
    await writeImport(run, plan)
    steps.push({ parts, taken, hasOwn, said, asks, mistakes: files.problems, ...resultOf(run) })
    steps.push(await rowsOf(target))
    if (steps.length === 2 && random.chance(0.3)) await disown(target)
    folder = editFolder(folder, random)
  }
  return steps
}

const weightsOf = () =>
  Object.entries(classLimits).flatMap(([country, limits]) =>
    Object.keys({ ...limits, ...classLimits.US }).map((name) => readWeight(`${name} (${country})`)),
  )

const importBrackets = async ({ tournaments, cages }: PageLeague, seed: number) => {
  const target = await openMemory()
  const ids = tournaments.map(({ tournament }) => tournament.id)
  const steps: unknown[] = []
  for (const share of [0, 0.01, 0.04]) {
    const remote = damagedRemote(`brackets-${seed}-${share}`, share, async (path) => {
      const [, id, isPlayers] = /^\/v1\/tournaments\/([^/]+)(\/players)?/.exec(path) ?? []
      const rows = tournaments.find(({ tournament }) => tournament.id === id)
      const whole = rows && trueFinalsTournament(rows, cages)
      return isPlayers ? whole?.players : whole
    })
    const run = createRun({ target, prune: share > 0, progress: silentProgress })
    const weights = new Map(ids.slice(0, 1).map((id) => [id, 12]))
    await importTrueFinals(run, { remote, tournamentIds: ids, weights })
    steps.push(resultOf(run), await rowsOf(target))
  }
  return steps
}

const importEndpoints = async (league: PageLeague, seed: number) => {
  const target = await openMemory()
  const app = appOf(serviceOf(archiveOfLeague(league), league.now))
  const steps: unknown[] = []
  for (const [share, legacy] of [
    [0, '/legacy'],
    [0.02, '/legacy'],
    [0.05, undefined],
  ] as const) {
    const remote = damagedRemote(`api-${seed}-${share}`, share, async (path) => {
      const response = await app(new Request(`http://localhost${path}`))
      return response.ok ? response.json() : undefined
    })
    const run = createRun({ target, prune: share > 0, progress: silentProgress })
    await importApi(run, { remote, legacy })
    steps.push(resultOf(run), await rowsOf(target))
  }
  return steps
}

/** After all times of the sources, and before the keys of rows. */
const isOfClock = (value: number): boolean => value > 1_780_000_000 && value < 2 ** 40

/** Without the times that an import saw. */
const withoutClock = (_: string, value: unknown): unknown => {
  if (typeof value === 'number') return isOfClock(value) ? 'seen' : value
  if (typeof value !== 'string') return value
  return value.replaceAll(/20\d\d-\d\d-\d\d [\d:]+/g, (time) =>
    time > '2026-03-20' ? 'seen' : time,
  )
}

export const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, each) => each)

const drawn: ReadonlySet<string> = new Set(['30ffa53072bfab19', 'cg_feb26_3lb_freestyle'])

/** Up to two pauses in each fight that has begun. */
export const pausesOf = ({ games }: TournamentRows) =>
  games.flatMap(({ id: gameId, startTime }, index) =>
    startTime === null
      ? []
      : numbers(index % 3).map((idx) => {
          const from = startTime + 20 * idx + 5
          return { gameId, idx, startTime: from, stopTime: index % 4 === 1 ? null : from + 9 }
        }),
  )

/** What imports of drawn sources write and report, as answers to paths. */
export const drawnImports = (league: PageLeague) => {
  /** An event under way and one with pauses, with odd rows. */
  const few: PageLeague = {
    ...league,
    tournaments: league.tournaments.flatMap((rows) =>
      drawn.has(rows.tournament.id) ? [{ ...rows, pauses: pausesOf(rows) }] : [],
    ),
  }
  const small = shaken(few, 3, 0.03)
  const sources: Readonly<Record<string, (seed: number) => unknown>> = {
    folder: importFolder,
    edits: importEdits,
    weights: weightsOf,
    brackets: (seed) => importBrackets(small, seed),
    endpoints: (seed) => importEndpoints(small, seed),
  }
  const app = async (request: Request): Promise<Response> => {
    const [, source = '', seed = ''] = new URL(request.url).pathname.split('/')
    const found: unknown = await sources[source]?.(Number(seed))
    return new Response(JSON.stringify(found, withoutClock, 1))
  }
  const counts = { folder: 60, edits: 20, weights: 1, brackets: 2, endpoints: 1 }
  const addresses = Object.entries(counts).map(
    ([source, count]) =>
      [`/${source}`, numbers(count).map((seed) => `/${source}/${seed}`)] as const,
  )
  return { name: 'imports', app, headers: {}, addresses: new Map(addresses) }
}
