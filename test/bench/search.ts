import { generateLeague, type Scale } from '../../scripts/league/league.ts'
import { createRandom } from '../../scripts/league/random.ts'
import { botSummary } from '../../src/api/bots/view.ts'
import { findBots } from '../../src/api/search/lookup.ts'
import { cleanTyped } from '../../src/api/search/routes.ts'
import { suggestion, tournamentSuggestion } from '../../src/api/search/view.ts'
import type { Archive } from '../../src/archive/archive.ts'
import { buildArchive } from '../../src/archive/archive.ts'
import { buildTournament } from '../../src/league/build.ts'
import { buildSearch } from '../../src/search/botIndex.ts'
import { searchTournaments } from '../../src/search/tournamentSearch.ts'
import { isPublic } from '../../src/source/visibility.ts'
import { depth, type Engine, openEngines } from './searchEngines.ts'
import { drawQueries } from './searchQueries.ts'
import { type Kind, type Query, roundTo, share } from './searchQuery.ts'
import { drawTournamentQueries } from './searchTournamentQueries.ts'
import { measureTyping } from './searchTyping.ts'
import { contextOf, measureUpdates } from './searchUpdates.ts'

/** Both endpoints, from the text to the values that are sent. */
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

/** Whether the results answer: one that is wanted, or all, among the first few. */
const isAnswered = (
  { wanted, needsAll }: Query,
  keys: readonly string[],
  among: number,
): boolean =>
  needsAll
    ? wanted.every((key) => keys.slice(0, Math.max(among, wanted.length)).includes(key))
    : keys.slice(0, among).some((key) => wanted.includes(key))

export interface Figures {
  readonly queries: number
  /** Percent; of gibberish, the share that is answered at all. */
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
    const started = performance.now()
    const answer = engine.search(query.text)
    const keys = answer instanceof Promise ? await answer : answer
    times.push(performance.now() - started)
    const isFirst = isGibberish ? keys.length > 0 : isAnswered(query, keys, 1)
    if (isFirst) first += 1
    if (isAnswered(query, keys, 5)) five += 1
    if (isFirst === isGibberish) misses.push({ kind: name, query, keys: keys.slice(0, 5) })
  }
  times.sort((a, b) => a - b)
  const time = (part: number) => roundTo(times[Math.floor(times.length * part)] ?? 0, 3)
  const figures: Figures = {
    queries: times.length,
    first: share(first, times.length),
    five: share(five, times.length),
    p50Ms: time(0.5),
    p99Ms: time(0.99),
  }
  return { figures, misses }
}

// Report ---------------------------------------------------------------------------------------

const line = (label: string, cells: readonly (string | number)[]): string =>
  label.padEnd(27) + cells.map((cell) => String(cell).padStart(13)).join('')

const reportKind = (kind: Kind, figures: ReadonlyMap<string, Figures>): void => {
  const cells = [...figures.values()].map(({ first, five }) =>
    kind.isGibberish ? `${first.toFixed(1)}` : `${first.toFixed(1)} ${five.toFixed(1)}`,
  )
  console.error(line(kind.name, cells))
}

const meanOf = (values: readonly number[]): number =>
  roundTo(values.reduce((sum, value) => sum + value, 0) / (values.length || 1), 1)

const measureKinds = async (kinds: readonly Kind[], engines: readonly Engine[]) => {
  const warmUp = createRandom(2).shuffle(kinds.flatMap(({ queries }) => queries.slice(0, 20)))
  for (const engine of engines) {
    for (const { text } of warmUp.slice(0, engine.maxQueries)) await engine.search(text)
  }
  console.error(
    line(
      '',
      engines.map(({ name }) => name),
    ),
  )
  const rows = new Map<Kind, ReadonlyMap<string, Figures>>()
  const misses: Miss[] = []
  for (const kind of kinds) {
    if (kind.queries.length === 0) continue
    const figures = new Map<string, Figures>()
    for (const engine of engines) {
      const measured = await measure(engine, kind)
      figures.set(engine.name, measured.figures)
      if (engine === engines[0]) misses.push(...measured.misses)
    }
    reportKind(kind, figures)
    rows.set(kind, figures)
  }
  const counted = [...rows].filter(([{ isGibberish }]) => !isGibberish)
  const means = Object.fromEntries(
    engines.map(({ name }) => {
      const all = counted.flatMap(([, figures]) => figures.get(name) ?? [])
      const first = meanOf(all.map((figures) => figures.first))
      return [name, { first, five: meanOf(all.map(({ five }) => five)) }]
    }),
  )
  console.error(
    line(
      'mean',
      Object.values(means).map(({ first, five }) => `${first.toFixed(1)} ${five.toFixed(1)}`),
    ),
  )
  const p99 = (name: string) =>
    Math.max(...[...rows.values()].map((figures) => figures.get(name)?.p99Ms ?? 0))
  console.error(
    line(
      'p99 of the slowest kind, ms',
      engines.map(({ name }) => p99(name)),
    ),
  )
  const values = Object.fromEntries(
    [...rows].map(([{ name }, figures]) => [name, Object.fromEntries(figures)]),
  )
  return { rows: values, means, misses }
}

/**
 * Searches for bots of a league as people type their names, with both endpoints of this service and
 * with other engines: per kind of query the percentage that has the wanted bot first, and among the
 * first five. `rounds` queries of each kind, from scale 10 on three in ten of them. The table goes to
 * stderr; with `misses`, so does each query that `/autocomplete` does not answer first.
 */
export const benchSearch = async (
  scale: Scale,
  rounds: number,
  { misses: withMisses = false }: { readonly misses?: boolean } = {},
) => {
  const isLarge = scale === 10 || scale === 100
  const tournaments = [...generateLeague({ seed: 1, scale }).tournaments]
    .filter(({ tournament }) => isPublic(tournament))
    .map(buildTournament)
  const archive = buildArchive('bench', tournaments)
  return await benchArchive(
    archive,
    isLarge ? Math.ceil(rounds * 0.3) : rounds,
    isLarge,
    withMisses,
  )
}

/** The same for any archive. */
export const benchArchive = async (
  archive: Archive,
  count: number,
  isLarge: boolean,
  withMisses: boolean,
) => {
  const { bots, dataset, tournamentSearch } = archive
  const started = performance.now()
  buildSearch(bots, contextOf(archive))
  const buildMs = roundTo(performance.now() - started, 1)
  console.error(`${bots.length} bots; index built in ${buildMs} ms\n`)

  const names = bots.map(({ cleanName: key, name }) => ({ key, name }))
  const others = await openEngines(names, isLarge)
  const tournamentNames = dataset.tournaments.map(({ info: { id, name } }) => ({ key: id, name }))
  const otherTournaments = await openEngines(tournamentNames, isLarge)
  try {
    const league = [...tournamentSearch.leagueWords].join(' ')
    const kinds = drawQueries(bots, createRandom(1), count, league)
    const { rows, means, misses } = await measureKinds(kinds, [...ownEngines(archive), ...others])
    console.error('\nTournaments')
    const ofTournaments = await measureKinds(
      drawTournamentQueries(dataset.tournaments, createRandom(1), count),
      [
        {
          name: '/search',
          search: (text) =>
            searchTournaments(tournamentSearch, dataset, text, 5).map(
              ({ tournament }) => tournamentSuggestion({ tournament, score: 1 }).tournamentID,
            ),
        },
        ...otherTournaments,
      ],
    )
    const typing = measureTyping(archive)
    const following = await measureUpdates(archive)
    console.error('\n', typing, following)
    if (withMisses) {
      for (const { kind, query, keys } of [...misses, ...ofTournaments.misses]) {
        console.error(`  ${kind}: "${query.text}" for ${query.source}: ${keys.join(', ') || '-'}`)
      }
    }
    return {
      bots: bots.length,
      index: { buildMs },
      means,
      rows,
      tournaments: ofTournaments.rows,
      typing,
      following,
    }
  } finally {
    for (const engine of [...others, ...otherTournaments]) await engine.close?.()
  }
}
