import { createRandom } from '../../scripts/league/random.ts'
import { botSummary } from '../../src/api/bots/view.ts'
import { findBots } from '../../src/api/search/lookup.ts'
import { cleanTyped } from '../../src/api/search/routes.ts'
import { suggestion } from '../../src/api/search/view.ts'
import type { Archive } from '../../src/data/archive/archive.ts'
import { readText } from '../../src/derived/search/pairs.ts'
import { searchTournaments } from '../../src/derived/search/tournamentSearch.ts'
import { depth, type Engine, openEngines } from './searchEngines.ts'
import { measureBuild, measureManyBots, measureUpdates } from './searchIndex.ts'
import { drawQueries } from './searchQueries.ts'
import type { Kind, Query } from './searchQuery.ts'
import { measureTyping } from './searchTyping.ts'
import { archiveOfScale } from './stage.ts'
import { type Extent, median, percentage, type Row, rounded, rowsOf, summary } from './stats.ts'

/** Both endpoints, from the query text to the response values. */
const ownEngines = ({ botSearch, tournamentSearch, dataset }: Archive): Engine[] => [
  {
    name: '/autocomplete',
    search: (text) =>
      findBots(readText(botSearch, cleanTyped(text)), 8)
        .found.map(suggestion)
        .map((found) => found.cleanName),
  },
  {
    name: '/search',
    search: (text) => {
      const { found } = findBots(readText(botSearch, text), depth)
      searchTournaments(tournamentSearch, dataset, text, 5)
      return found.map(({ bot }) => botSummary(bot).cleanName)
    },
  },
]

/** True if the first results hold an expected key, or all of them with `needsAll`. */
const isAnswered = (
  { wanted, needsAll }: Query,
  keys: readonly string[],
  among: number,
): boolean =>
  needsAll
    ? wanted.every((key) => keys.slice(0, Math.max(among, wanted.length)).includes(key))
    : keys.slice(0, among).some((key) => wanted.includes(key))

/** Repetitions of a query; the median counts, without pauses of the collector. */
const repetitions = 3

/** Answers of an engine to the queries of a kind. */
interface Measured {
  readonly engine: string
  readonly kind: string
  readonly isGibberish: boolean
  /** Percentages; for gibberish, the share with any result. */
  readonly first: number
  readonly five: number
  readonly times: readonly number[]
  /** A line for each query whose bot is not first. */
  readonly misses: readonly string[]
}

const measure = async (engine: Engine, { name, queries, isGibberish }: Kind): Promise<Measured> => {
  const times: number[] = []
  const misses: string[] = []
  let [first, five] = [0, 0]
  for (const query of queries.slice(0, engine.maxQueries)) {
    let keys: readonly string[] = []
    const own: number[] = []
    for (let turn = 0; turn < (engine.maxQueries ? 1 : repetitions); turn += 1) {
      const started = performance.now()
      const answer = engine.search(query.text)
      keys = answer instanceof Promise ? await answer : answer
      own.push(performance.now() - started)
    }
    times.push(median(own))
    const isFirst = isGibberish ? keys.length > 0 : isAnswered(query, keys, 1)
    if (isFirst) first += 1
    if (isAnswered(query, keys, 5)) five += 1
    if (isFirst === isGibberish)
      misses.push(
        `${name}: "${query.text}" for ${query.source}: ${keys.slice(0, 5).join(', ') || '-'}`,
      )
  }
  return {
    engine: engine.name,
    kind: name,
    isGibberish,
    first: percentage(first, times.length),
    five: percentage(five, times.length),
    times,
    misses,
  }
}

const mean = (values: readonly number[]): number =>
  rounded(values.reduce((sum, value) => sum + value, 0) / (values.length || 1))

/** Measures every kind with every engine; prints a table of the percentages first and among five. */
const measureKinds = async (
  kinds: readonly Kind[],
  engines: readonly Engine[],
): Promise<readonly Measured[]> => {
  const warmUp = createRandom(2).shuffle(kinds.flatMap(({ queries }) => queries.slice(0, 20)))
  for (const engine of engines) {
    for (const { text } of warmUp.slice(0, engine.maxQueries)) await engine.search(text)
  }
  const all: Measured[] = []
  const table: Record<string, Record<string, string>> = {}
  for (const kind of kinds.filter(({ queries }) => queries.length > 0)) {
    const own: Measured[] = []
    for (const engine of engines) own.push(await measure(engine, kind))
    table[kind.name] = Object.fromEntries(
      own.map(({ engine, first, five }) => [engine, `${first} ${five}`]),
    )
    all.push(...own)
  }
  console.error(Bun.inspect.table(table))
  return all
}

/** Rows of both endpoints, next to the other engines. */
const foundRows = (measured: readonly Measured[], row: ReturnType<typeof rowsOf>): Row[] => {
  const byEngine = Map.groupBy(measured, ({ engine }) => engine)
  const figure = (of: (own: readonly Measured[]) => number[]) =>
    Object.fromEntries([...byEngine].map(([engine, own]) => [engine, of(own)]))
  const meant = (own: readonly Measured[]) => own.filter(({ isGibberish }) => !isGibberish)
  const p99 = figure((own) => own.map(({ times }) => summary(times).p99))
  const first = figure((own) => [mean(meant(own).map((each) => each.first))])
  const five = figure((own) => [mean(meant(own).map((each) => each.five))])
  return ['/autocomplete', '/search'].flatMap((name) => {
    const others = (figures: Record<string, number[]>) =>
      Object.fromEntries(Object.entries(figures).filter(([engine]) => !engine.startsWith('/')))
    const slowest = p99[name] ?? []
    return [
      row(`${name}: p99 of each kind of text`, 'ms', slowest, {
        beside: others(p99),
        // The slowest kind counts.
        judged: Math.max(...slowest),
        atMost: { 1: 0.5, 10: 2 },
      }),
      row(`${name}: the bot meant is first, mean of all kinds`, '%', first[name] ?? [], {
        beside: others(first),
        atLeast: { 1: 93, 10: 93 },
      }),
      row(`${name}: the bot meant is among five, mean of all kinds`, '%', five[name] ?? [], {
        beside: others(five),
        atLeast: { 1: 98, 10: 98 },
      }),
    ]
  })
}

/**
 * Searches for bots of a league by names as people type them, with both endpoints of this service and with other
 * engines. `rounds` queries of each kind, 30 % of them from scale 10 on. With `misses`, stderr lists each query whose
 * bot `/autocomplete` does not answer first.
 */
export const benchSearch = async (
  { scale, rounds, isBrief }: Extent,
  { misses: withMisses }: { readonly misses: boolean },
): Promise<Row[]> => {
  const isLarge = scale !== 'sample' && scale >= 10
  const count = isLarge ? Math.ceil(rounds * 0.3) : rounds
  const archive = archiveOfScale(scale)
  const { bots, tournamentSearch } = archive
  const built = await measureBuild(archive)
  const names = bots.map(({ cleanName: key, name }) => ({ key, name }))
  const others = await openEngines(names)
  try {
    const league = [...tournamentSearch.leagueWords].join(' ')
    const kinds = drawQueries(bots, createRandom(1), count, league)
    const measured = await measureKinds(kinds, [...ownEngines(archive), ...others])
    if (withMisses) {
      const own = measured.filter(({ engine }) => engine === '/autocomplete')
      console.error(own.flatMap(({ misses }) => misses).join('\n'))
    }
    const typing = measureTyping(archive)
    const following = await measureUpdates(archive)
    const most = isBrief ? 2000 : 100_000
    const many = await measureManyBots(most, Math.ceil(rounds / 10))
    const row = rowsOf(scale)
    const whole = (atMost: number) => ({ atMost: { 1: atMost, 10: atMost } })
    return [
      ...foundRows(measured, row),
      row(
        'keys until a well-known bot is among eight',
        'keys',
        typing.keysToFirstEight,
        whole(1.4),
      ),
      row('keys until a well-known bot is first', 'keys', typing.keysToFirst, {
        beside: { 'in an order by fights alone': typing.keysToFirstByFights },
        ...whole(2.9),
      }),
      row(
        'shown, then gone while the right letters follow',
        '%',
        typing.shownThenGonePercent,
        whole(1),
      ),
      row(
        'bots without the letters in lists for 3 to 6',
        'of 8',
        typing.strangersPerList,
        whole(0.3),
      ),
      row('search after one changed fight', 'ms', following.oneFightMs, whole(1)),
      row('search after 45 bots left', 'ms', following.leavingMs, whole(10)),
      row('longest pause meanwhile', 'ms', following.leavingLongestPauseMs, whole(5)),
      row(`index of ${bots.length} bots`, 'ms', built.ms, {
        beside: { 'longest pause': built.longestPauseMs },
      }),
      ...Object.entries(many).map(([what, { ms, longestPauseMs }]) =>
        row(`${what} of ${most} bots`, 'ms', ms, {
          ...(longestPauseMs !== undefined && { beside: { 'longest pause': longestPauseMs } }),
        }),
      ),
    ]
  } finally {
    for (const engine of others) await engine.close?.()
  }
}
