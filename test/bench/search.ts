import type { Scale } from '../../scripts/league/league.ts'
import { createRandom } from '../../scripts/league/random.ts'
import { botSummary } from '../../src/api/bots/view.ts'
import { findBots } from '../../src/api/search/lookup.ts'
import { cleanTyped } from '../../src/api/search/routes.ts'
import { suggestion } from '../../src/api/search/view.ts'
import type { Archive } from '../../src/archive/archive.ts'
import { searchTournaments } from '../../src/search/tournamentSearch.ts'
import { depth, type Engine, openEngines } from './searchEngines.ts'
import { measureBuild, measureManyBots, measureUpdates } from './searchIndex.ts'
import { drawQueries } from './searchQueries.ts'
import type { Kind, Query } from './searchQuery.ts'
import { measureTyping } from './searchTyping.ts'
import { archiveOfScale } from './stage.ts'
import { median, percentage, rounded, summary } from './stats.ts'

/** Both endpoints, from the query text to the response values. */
const ownEngines = ({ botSearch, tournamentSearch, dataset }: Archive): Engine[] => [
  {
    name: '/autocomplete',
    search: (text) =>
      findBots(botSearch, cleanTyped(text), 8)
        .found.map(suggestion)
        .map((found) => found.cleanName),
  },
  {
    name: '/search',
    search: (text) => {
      const { found } = findBots(botSearch, text, depth)
      searchTournaments(tournamentSearch, dataset, text, 5)
      return found.map(({ bot }) => botSummary(bot).cleanName)
    },
  },
]

/** Whether the first results hold an expected key, or all of them with `needsAll`. */
const isAnswered = (
  { wanted, needsAll }: Query,
  keys: readonly string[],
  among: number,
): boolean =>
  needsAll
    ? wanted.every((key) => keys.slice(0, Math.max(among, wanted.length)).includes(key))
    : keys.slice(0, among).some((key) => wanted.includes(key))

/** Repetitions of a query, of which the median counts: pauses of the collector are not of the query. */
const repetitions = 3

interface Figures {
  readonly queries: number
  /** Percent; of gibberish, the share with any result. */
  readonly first: number
  readonly five: number
  readonly p50Ms: number
  readonly p99Ms: number
}

interface Miss {
  readonly kind: string
  readonly query: Query
  readonly keys: readonly string[]
}

const measure = async (engine: Engine, { name, queries, isGibberish }: Kind) => {
  const times: number[] = []
  const misses: Miss[] = []
  let [first, five] = [0, 0]
  for (const query of queries.slice(0, engine.maxQueries)) {
    let keys: readonly string[] = []
    const own: number[] = []
    for (let turn = 0; turn < (engine.isSlow ? 1 : repetitions); turn += 1) {
      const started = performance.now()
      const answer = engine.search(query.text)
      keys = answer instanceof Promise ? await answer : answer
      own.push(performance.now() - started)
    }
    times.push(median(own))
    const isFirst = isGibberish ? keys.length > 0 : isAnswered(query, keys, 1)
    if (isFirst) first += 1
    if (isAnswered(query, keys, 5)) five += 1
    if (isFirst === isGibberish) misses.push({ kind: name, query, keys: keys.slice(0, 5) })
  }
  const { median: p50, p99 } = summary(times)
  const figures: Figures = {
    queries: times.length,
    first: percentage(first, times.length),
    five: percentage(five, times.length),
    p50Ms: p50,
    p99Ms: p99,
  }
  return { figures, misses, times }
}

const mean = (values: readonly number[]): number =>
  rounded(values.reduce((sum, value) => sum + value, 0) / (values.length || 1))

/** Measures every kind with every engine; prints a table of the percentages first and among five. */
const measureKinds = async (kinds: readonly Kind[], engines: readonly Engine[]) => {
  const warmUp = createRandom(2).shuffle(kinds.flatMap(({ queries }) => queries.slice(0, 20)))
  for (const engine of engines) {
    for (const { text } of warmUp.slice(0, engine.maxQueries)) await engine.search(text)
  }
  const rows: Record<string, Record<string, Figures>> = {}
  const misses: Miss[] = []
  const times = new Map<string, number[]>()
  for (const kind of kinds) {
    if (kind.queries.length === 0) continue
    const row: Record<string, Figures> = {}
    for (const engine of engines) {
      const measured = await measure(engine, kind)
      row[engine.name] = measured.figures
      times.set(engine.name, [...(times.get(engine.name) ?? []), ...measured.times])
      if (engine === engines[0]) misses.push(...measured.misses)
    }
    rows[kind.name] = row
  }
  const counted = kinds.filter(({ name, isGibberish }) => !isGibberish && rows[name])
  const means = Object.fromEntries(
    engines.map(({ name }) => {
      const all = counted.flatMap((kind) => rows[kind.name]?.[name] ?? [])
      const [first, five] = [
        mean(all.map((each) => each.first)),
        mean(all.map((each) => each.five)),
      ]
      const { median: p50Ms, p99: p99Ms } = summary(times.get(name) ?? [])
      return [name, { first, five, p50Ms, p99Ms }]
    }),
  )
  const cells = (row: Readonly<Record<string, { first: number; five: number }>>) =>
    Object.fromEntries(
      Object.entries(row).map(([name, { first, five }]) => [name, `${first} ${five}`]),
    )
  const p99s = Object.entries(means).map(([name, { p99Ms }]) => [name, p99Ms])
  const slowest = engines.map(({ name }) => [
    name,
    Math.max(...Object.values(rows).map((row) => row[name]?.p99Ms ?? 0)),
  ])
  const lines = {
    ...Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, cells(row)])),
    mean: cells(means),
    'p99 of all queries, ms': Object.fromEntries(p99s),
    'p99 of the slowest kind, ms': Object.fromEntries(slowest),
  }
  console.error(Bun.inspect.table(lines))
  return { rows, means, misses }
}

/**
 * Searches for bots of a league as people type their names, with both endpoints of this service and
 * with other engines. `rounds` queries of each kind, 30 % of them from scale 10 on. Tables go to stderr;
 * with `misses`, so does each query that `/autocomplete` does not answer first.
 */
export const benchSearch = async (
  scale: Scale,
  rounds: number,
  { misses: withMisses }: { readonly misses: boolean },
) => {
  const isLarge = scale !== 'sample' && scale >= 10
  const count = isLarge ? Math.ceil(rounds * 0.3) : rounds
  const archive = archiveOfScale(scale)
  const { bots, tournamentSearch } = archive
  const index = await measureBuild(archive)
  console.error(`${bots.length} bots; index built in ${index.ms} ms\n`)

  const names = bots.map(({ cleanName: key, name }) => ({ key, name }))
  const others = await openEngines(names, isLarge)
  try {
    const league = [...tournamentSearch.leagueWords].join(' ')
    const kinds = drawQueries(bots, createRandom(1), count, league)
    const { rows, means, misses } = await measureKinds(kinds, [...ownEngines(archive), ...others])
    const typing = measureTyping(archive)
    const following = await measureUpdates(archive)
    const many = await measureManyBots(100_000, Math.ceil(rounds / 10))
    console.error('\n', typing, following, many)
    if (withMisses) {
      for (const { kind, query, keys } of misses) {
        console.error(`  ${kind}: "${query.text}" for ${query.source}: ${keys.join(', ') || '-'}`)
      }
    }
    return {
      bots: bots.length,
      index,
      means,
      rows,
      typing,
      following,
      many,
    }
  } finally {
    for (const engine of others) await engine.close?.()
  }
}
