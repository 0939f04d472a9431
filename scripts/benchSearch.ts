import uFuzzy from '@leeoniya/ufuzzy'
import Fuse from 'fuse.js'
import MiniSearch from 'minisearch'
import { buildTournament } from '../src/dataset/build.ts'
import { cleanName } from '../src/dataset/cleanName.ts'
import { type Bot, type Bots, buildBots, findBot } from '../src/derived/bots.ts'
import { buildSearch, searchBots } from '../src/derived/search.ts'
import { openPool } from '../src/source/connection.ts'
import { isPublic } from '../src/source/rows.ts'
import { emptyDatabase } from '../test/postgres.ts'
import { generateLeague, type Scale } from './league/league.ts'
import { createRandom, type Random } from './league/random.ts'

/** Results that are looked at. */
const depth = 10

/** Queries that are asked before any is measured. */
const warmUps = 1000

/** Fuse.js compares the query with every name: in a large league it is asked this often a row. */
const fuseQueries = 60

// Queries -------------------------------------------------------------------------------------

/** What somebody who looks for a bot may type. */
interface Query {
  readonly text: string
  /** What the text was made from. */
  readonly target: Bot
  /** Whether a result is what the text asks for. */
  readonly isTarget: (cleanName: string) => boolean
  /** How many bots the text is the beginning of, were there no typo in it. */
  readonly alike: number | null
}

/** A way to type the name of a bot, and what of it counts as found. */
interface Row {
  readonly name: string
  /** Null when there is no such text for the bot. */
  readonly ask: (bot: Bot, random: Random) => Asked | null
}

interface Asked {
  readonly text: string
  /** The beginning of the name that the text stands for. */
  readonly beginning?: string
  /** Any bot that has this word counts as found. */
  readonly word?: string
}

const letters = [...'abcdefghijklmnopqrstuvwxyz']

/** One wrong letter, one too many, one too few, or two neighbours swapped. */
const withTypo = (text: string, random: Random): string => {
  const chars = [...text]
  const at = random.int(0, chars.length - 1)
  const kind = random.int(0, 3)
  if (kind === 0) chars.splice(at, 1, random.pick(letters))
  else if (kind === 1) chars.splice(random.int(0, chars.length), 0, random.pick(letters))
  else if (kind === 2) chars.splice(at, 1)
  else chars.splice(Math.max(0, at - 1), 2, ...chars.slice(Math.max(0, at - 1), at + 1).reverse())
  return chars.join('')
}

/** The text with so many typos, which do not undo each other. */
const misspelt = (text: string, typos: number, random: Random): string => {
  const seen = new Set([text])
  let result = text
  while (seen.size <= typos) {
    const next = withTypo(result, random)
    if (seen.has(next)) continue
    seen.add(next)
    result = next
  }
  return result
}

const typed = ({ name }: Bot): string => name.toLowerCase()

const isLongEnough = ({ cleanName }: Bot): boolean => cleanName.length >= 4

/** The first 70 % of a name, not the whole of it. */
const beginningOf = (bot: Bot): string | null => {
  const chars = [...typed(bot)]
  const beginning = chars
    .slice(0, Math.ceil(chars.length * 0.7))
    .join('')
    .trimEnd()
  const clean = cleanName(beginning)
  return clean.length >= 3 && clean.length < bot.cleanName.length ? beginning : null
}

/** The words of a name, without the punctuation around them. */
const wordsOf = (bot: Bot): string[] =>
  typed(bot)
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter((word) => cleanName(word) !== '')

const changed = (bot: Bot, text: string): Asked | null =>
  text !== typed(bot) && cleanName(text) !== '' ? { text } : null

const digits = new Map([
  ['o', '0'],
  ['e', '3'],
  ['a', '4'],
  ['i', '1'],
])

/** One of the letters that look like digits is that digit. */
const withDigit = (text: string, random: Random): string => {
  const chars = [...text]
  const places = [...chars.keys()].filter((at) => digits.has(chars[at] ?? ''))
  if (places.length === 0) return text
  const at = random.pick(places)
  return chars.with(at, digits.get(chars[at] ?? '') ?? '').join('')
}

const rows: readonly Row[] = [
  { name: 'exact name', ask: ({ name }) => ({ text: name }) },
  { name: 'clean name', ask: ({ cleanName }) => ({ text: cleanName }) },
  {
    name: 'one typo',
    ask: (bot, random) => (isLongEnough(bot) ? { text: misspelt(typed(bot), 1, random) } : null),
  },
  {
    name: 'two typos',
    ask: (bot, random) => (isLongEnough(bot) ? { text: misspelt(typed(bot), 2, random) } : null),
  },
  {
    name: '70 % prefix',
    ask: (bot) => {
      const beginning = beginningOf(bot)
      return beginning === null ? null : { text: beginning, beginning }
    },
  },
  {
    name: '70 % prefix, one typo',
    ask: (bot, random) => {
      const beginning = isLongEnough(bot) ? beginningOf(bot) : null
      return beginning === null ? null : { text: misspelt(beginning, 1, random), beginning }
    },
  },
  { name: 'missing spaces', ask: (bot) => changed(bot, typed(bot).replace(/\s+/g, '')) },
  {
    name: 'missing punctuation',
    ask: (bot) => changed(bot, typed(bot).replace(/[^\p{L}\p{N}\p{M}\s]+/gu, '')),
  },
  {
    name: 'one word of several',
    ask: (bot, random) => {
      const words = wordsOf(bot)
      const long = words.filter((word) => cleanName(word).length >= 2)
      if (words.length < 2 || long.length === 0) return null
      const text = random.pick(long)
      return { text, word: cleanName(text) }
    },
  },
  { name: 'digit for a letter', ask: (bot, random) => changed(bot, withDigit(typed(bot), random)) },
]

/** Which bots have a word, be it between spaces or between any punctuation. */
const indexWords = (bots: Bots): ReadonlyMap<string, ReadonlySet<string>> => {
  const index = new Map<string, Set<string>>()
  for (const bot of bots) {
    for (const part of [...wordsOf(bot), ...typed(bot).split(/[^\p{L}\p{N}\p{M}]+/u)]) {
      const word = cleanName(part)
      const names = index.get(word)
      if (names) names.add(bot.cleanName)
      else index.set(word, new Set([bot.cleanName]))
    }
  }
  return index
}

/**
 * Queries of each row, of bots drawn by chance. What happens to be the name of another bot asks for
 * that bot, and is left out.
 */
const drawQueries = (
  bots: Bots,
  random: Random,
  count: number,
): { readonly row: string; readonly queries: readonly Query[] }[] => {
  const words = indexWords(bots)
  return rows.map(({ name, ask }) => {
    const queries: Query[] = []
    for (const target of random.shuffle(bots)) {
      if (queries.length === count) break
      const asked = ask(target, random)
      if (!asked) continue
      const { text, beginning, word } = asked
      const other = findBot(bots, cleanName(text))
      if (word === undefined && other && other !== target) continue
      const start = beginning === undefined ? null : cleanName(beginning)
      queries.push({
        text,
        target,
        isTarget: (found) =>
          word === undefined
            ? found === target.cleanName
            : words.get(word)?.has(found) === true || found === word,
        alike: start === null ? null : bots.filter((bot) => bot.cleanName.startsWith(start)).length,
      })
    }
    return { row: name, queries }
  })
}

// Engines -------------------------------------------------------------------------------------

type Names = readonly string[]

interface Engine {
  readonly name: string
  /** The clean names found, best first. */
  readonly search: (text: string) => Names | Promise<Names>
  /** It is asked no more queries than this of each row. */
  readonly mostQueries?: number
  readonly close?: () => Promise<void>
}

const miniSearch = (bots: Bots): Engine => {
  const index = new MiniSearch<{ id: number; name: string; cleanName: string }>({
    fields: ['name', 'cleanName'],
    storeFields: ['cleanName'],
    searchOptions: { fuzzy: 0.25, prefix: true },
  })
  index.addAll(bots.map(({ name, cleanName }, id) => ({ id, name, cleanName })))
  return {
    name: 'MiniSearch',
    search: (text) =>
      index
        .search(text)
        .slice(0, depth)
        .map((result) => String(result.cleanName)),
  }
}

const microFuzzy = (bots: Bots): Engine => {
  const fuzzy = new uFuzzy({ intraMode: 1 })
  const haystack = bots.flatMap(({ name, cleanName }) => [name, cleanName])
  return {
    name: 'uFuzzy',
    search: (text) => {
      const [places, info, order] = fuzzy.search(haystack, text)
      const ranked = order && info ? order.map((at) => info.idx[at]) : (places ?? [])
      const names = new Set<string>()
      for (const place of ranked) {
        const bot = place === undefined ? undefined : bots[place >> 1]
        if (bot) names.add(bot.cleanName)
        if (names.size === depth) break
      }
      return [...names]
    },
  }
}

const fuse = (bots: Bots, isLarge: boolean): Engine => {
  const list = bots.map(({ name, cleanName }) => ({ name, cleanName }))
  const index = new Fuse(list, { keys: ['name', 'cleanName'] })
  return {
    name: 'Fuse.js',
    search: (text) => index.search(text, { limit: depth }).map(({ item }) => item.cleanName),
    ...(isLarge ? { mostQueries: fuseQueries } : {}),
  }
}

/** Postgres on this machine, asked for the names with the most trigrams in common. */
const trigrams = async (bots: Bots): Promise<Engine> => {
  const database = await emptyDatabase()
  const pool = openPool(database.url, { max: 1, connectSeconds: 10 })
  const close = async () => {
    await pool.end({ timeout: 1 })
    await database.drop()
  }
  try {
    await pool.unsafe('CREATE EXTENSION pg_trgm; CREATE TABLE bots (clean text NOT NULL)')
    await pool.unsafe(
      'INSERT INTO bots SELECT json_array_elements_text($1::text::json)',
      [JSON.stringify(bots.map(({ cleanName }) => cleanName))],
      { prepare: true },
    )
    await pool.unsafe('CREATE INDEX ON bots USING gist (clean gist_trgm_ops)')
    await pool.unsafe('VACUUM ANALYZE bots')
  } catch (error) {
    await close()
    throw error
  }
  return {
    name: 'pg_trgm',
    search: async (text) => {
      const found = await pool<{ clean: string }[]>`
        SELECT clean FROM bots ORDER BY clean <-> ${cleanName(text)} LIMIT ${depth}`
      return found.map(({ clean }) => clean)
    },
    close,
  }
}

// Measuring -----------------------------------------------------------------------------------

const roundTo = (value: number, digits: number): number => Number(value.toFixed(digits))
const share = (part: number, whole: number): number => roundTo((100 * part) / (whole || 1), 1)

/** Asks once. The place of the first target counts from 1; 0 when it is not among the results. */
const askOnce = async ({ search }: Engine, query: Query) => {
  const started = performance.now()
  const answer = search(query.text)
  const names = answer instanceof Promise ? await answer : answer
  const ms = performance.now() - started
  return { ms, names, place: names.findIndex(query.isTarget) + 1 }
}

const measure = async (engine: Engine, all: readonly Query[]) => {
  const queries = all.slice(0, engine.mostQueries)
  const times: number[] = []
  const misses: { query: Query; names: Names }[] = []
  let [first, five, reciprocals] = [0, 0, 0]
  for (const query of queries) {
    const { ms, names, place } = await askOnce(engine, query)
    times.push(ms)
    if (place === 1) first += 1
    if (place > 0) reciprocals += 1 / place
    if (place > 0 && place <= 5) five += 1
    else misses.push({ query, names: names.slice(0, 5) })
  }
  times.sort((a, b) => a - b)
  const time = (part: number) => roundTo(times[Math.floor(times.length * part)] ?? 0, 3)
  return {
    figures: {
      queries: queries.length,
      recallAt1: share(first, queries.length),
      recallAt5: share(five, queries.length),
      reciprocalRank: roundTo(reciprocals / (queries.length || 1), 3),
      p50Ms: time(0.5),
      p99Ms: time(0.99),
    },
    misses,
  }
}

type Figures = Awaited<ReturnType<typeof measure>>['figures']

/** Memory in use once what nobody refers to is gone. */
const settledMemory = async () => {
  Bun.gc(true)
  await Bun.sleep(500)
  Bun.gc(true)
  const { rss, heapUsed } = process.memoryUsage()
  return { rss, heapUsed }
}

const measureIndex = async (bots: Bots) => {
  const before = await settledMemory()
  const started = performance.now()
  const search = buildSearch(bots)
  const buildMs = roundTo(performance.now() - started, 1)
  const after = await settledMemory()
  return {
    search,
    index: {
      buildMs,
      heapMB: roundTo((after.heapUsed - before.heapUsed) / 2 ** 20, 1),
      residentMB: roundTo((after.rss - before.rss) / 2 ** 20, 1),
    },
  }
}

/**
 * What a search finds among its first 5 that takes the names with the same beginning in any order,
 * in percent; null where the text is not a beginning.
 */
const evenOddsAt5 = (queries: readonly Query[]): number | null => {
  const odds = queries.flatMap(({ alike }) => (alike === null ? [] : Math.min(1, 5 / alike)))
  const sum = odds.reduce((total, chance) => total + chance, 0)
  return odds.length === 0 ? null : share(sum, odds.length)
}

// Telling -------------------------------------------------------------------------------------

const columns = [22, -12, 8, 8, 8, 7, 9, 9]

/** Cells in columns: of a negative width flush left, else flush right, but for the first. */
const line = (...cells: readonly (string | number)[]): string =>
  cells
    .map((cell, at) => {
      const width = columns[at] ?? 0
      return at === 0 || width < 0
        ? String(cell).padEnd(Math.abs(width))
        : String(cell).padStart(width)
    })
    .join(' ')
    .trimEnd()

const tellRow = (row: string, figures: ReadonlyMap<string, Figures>, odds: number | null): void => {
  let label = row
  for (const [engine, f] of figures) {
    const percents = [f.recallAt1.toFixed(1), f.recallAt5.toFixed(1)]
    const times = [f.p50Ms.toFixed(3), f.p99Ms.toFixed(3)]
    console.error(
      line(label, engine, f.queries, ...percents, f.reciprocalRank.toFixed(3), ...times),
    )
    label = ''
  }
  if (odds !== null) console.error(line('', '(even odds', '', '', `${odds.toFixed(1)})`))
  console.error('')
}

const tellMisses = (row: string, misses: readonly { query: Query; names: Names }[]): void => {
  for (const { query, names } of misses) {
    console.error(`  ${row}: "${query.text}" for ${query.target.name}: ${names.join(', ') || '-'}`)
  }
}

/**
 * Asks for bots of a league in ways that people do, of this project's search and of others, and says
 * how often each finds them and how long it takes. `rounds` queries a row, from scale 10 on three in
 * ten of them. The table goes to stderr; with `misses`, also each query that this project's search
 * does not answer among the first 5.
 */
export const benchSearch = async (
  scale: Scale,
  rounds: number,
  { misses: withMisses = false }: { readonly misses?: boolean } = {},
) => {
  const isLarge = scale === 10 || scale === 100
  const bots = buildBots(
    [...generateLeague({ seed: 1, scale }).tournaments]
      .filter(({ tournament }) => isPublic(tournament))
      .map(buildTournament),
  )
  const { search, index } = await measureIndex(bots)
  const engines: Engine[] = [
    {
      name: 'Cageside',
      search: (text) => searchBots(search, bots, text, depth).map(({ bot }) => bot.cleanName),
    },
    miniSearch(bots),
    microFuzzy(bots),
    fuse(bots, isLarge),
  ]
  const notAvailable: Record<string, string> = {}
  try {
    engines.push(await trigrams(bots))
  } catch (error) {
    notAvailable.pg_trgm = String(error).split('\n', 1)[0] ?? ''
  }

  try {
    const warmUp = createRandom(2).shuffle(
      drawQueries(bots, createRandom(2), warmUps / rows.length).flatMap(({ queries }) => queries),
    )
    for (const engine of engines) {
      for (const query of warmUp.slice(0, engine.mostQueries)) await askOnce(engine, query)
    }
    console.error(
      `${bots.length} bots; index built in ${index.buildMs} ms, ${index.heapMB} MB of heap, ` +
        `${index.residentMB} MB resident\n`,
    )
    const header = ['queries', 'first %', 'in 5 %', 'MRR', 'p50 ms', 'p99 ms']
    console.error(line('', 'engine', ...header))
    const results: Record<string, unknown> = {}
    const missed: { row: string; misses: { query: Query; names: Names }[] }[] = []
    const drawn = drawQueries(bots, createRandom(1), isLarge ? Math.ceil(rounds * 0.3) : rounds)
    for (const { row, queries } of drawn) {
      const figures = new Map<string, Figures>()
      for (const engine of engines) {
        const measured = await measure(engine, queries)
        figures.set(engine.name, measured.figures)
        if (engine === engines[0]) missed.push({ row, misses: measured.misses })
      }
      const odds = evenOddsAt5(queries)
      tellRow(row, figures, odds)
      results[row] = {
        ...(odds === null ? {} : { evenOddsAt5: odds }),
        ...Object.fromEntries(figures),
      }
    }
    for (const { name, mostQueries } of engines) {
      if (mostQueries !== undefined)
        console.error(`${name} was asked the first ${mostQueries} queries of each row: it is slow.`)
    }
    for (const [name, why] of Object.entries(notAvailable)) {
      console.error(`${name} is not available: ${why}`)
    }
    if (withMisses) {
      console.error('\nNot among the first 5 of Cageside:')
      for (const { row, misses } of missed) tellMisses(row, misses)
    }
    return { bots: bots.length, index, notAvailable, rows: results }
  } finally {
    for (const engine of engines) await engine.close?.()
  }
}
