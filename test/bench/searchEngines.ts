import uFuzzy from '@leeoniya/ufuzzy'
import { create, insertMultiple, search } from '@orama/orama'
import Fuse from 'fuse.js'
import fuzzysort from 'fuzzysort'
import MiniSearch from 'minisearch'
import { cleanName } from '../../src/league/cleanName.ts'
import { openPool } from '../../src/source/connection.ts'
import { emptyDatabase } from '../postgres.ts'

/** Something with a name to look for; `key` is what a search gives back. */
export interface Named {
  readonly key: string
  readonly name: string
}

type Keys = readonly string[]

export interface Engine {
  readonly name: string
  /** Keys found, best first. */
  readonly search: (text: string) => Keys | Promise<Keys>
  /** It is given no more queries than this of each kind: it compares every name. */
  readonly maxQueries?: number
  readonly close?: () => Promise<void>
}

/** Results that are looked at. */
export const depth = 10

/** Queries of each kind for engines that compare every name of a large league. */
const slowQueries = 40

const miniSearch = (names: readonly Named[]): Engine => {
  const index = new MiniSearch<{ id: number; name: string; clean: string; key: string }>({
    fields: ['name', 'clean'],
    storeFields: ['key'],
    searchOptions: { fuzzy: 0.25, prefix: true },
  })
  index.addAll(names.map(({ name, key }, id) => ({ id, name, key, clean: cleanName(name) })))
  return {
    name: 'MiniSearch',
    search: (text) =>
      index
        .search(text)
        .slice(0, depth)
        .map((result) => String(result.key)),
  }
}

const microFuzzy = (names: readonly Named[]): Engine => {
  const fuzzy = new uFuzzy({ intraMode: 1 })
  const haystack = names.flatMap(({ name }) => [name, cleanName(name)])
  return {
    name: 'uFuzzy',
    search: (text) => {
      // Words in any order, as far as it tries that.
      const [places, info, order] = fuzzy.search(haystack, text, 4)
      const ranked = order && info ? order.map((at) => info.idx[at]) : (places ?? [])
      const keys = new Set<string>()
      for (const place of ranked) {
        const found = place === undefined ? undefined : names[place >> 1]
        if (found) keys.add(found.key)
        if (keys.size === depth) break
      }
      return [...keys]
    },
  }
}

const fuse = (names: readonly Named[], isLarge: boolean): Engine => {
  const list = names.map(({ name, key }) => ({ name, key, clean: cleanName(name) }))
  const index = new Fuse(list, { keys: ['name', 'clean'] })
  return {
    name: 'Fuse.js',
    search: (text) => index.search(text, { limit: depth }).map(({ item }) => item.key),
    ...(isLarge && { maxQueries: slowQueries }),
  }
}

const fuzzySort = (names: readonly Named[]): Engine => {
  const list = names.map(({ name, key }) => ({ name, key, clean: cleanName(name) }))
  return {
    name: 'fuzzysort',
    search: (text) =>
      fuzzysort.go(text, list, { keys: ['name', 'clean'], limit: depth }).map(({ obj }) => obj.key),
  }
}

const orama = (names: readonly Named[]): Engine => {
  const index = create({ schema: { name: 'string', clean: 'string' } })
  insertMultiple(
    index,
    names.map(({ name, key }) => ({ id: key, name, clean: cleanName(name) })),
  )
  return {
    name: 'Orama',
    search: async (text) => {
      const found = await search(index, { term: text, tolerance: 1, limit: depth })
      return found.hits.map(({ id }) => id)
    },
  }
}

/** Postgres on this machine: the names with the most trigrams in common. */
const trigrams = async (names: readonly Named[]): Promise<Engine> => {
  const database = await emptyDatabase()
  const pool = openPool(database.url, { max: 1, connectSeconds: 10 })
  const close = async () => {
    await pool.end({ timeout: 1 })
    await database.drop()
  }
  try {
    await pool.unsafe(
      'CREATE EXTENSION pg_trgm; CREATE TABLE names (key text NOT NULL, name text NOT NULL)',
    )
    const rows = JSON.stringify(names.map(({ key, name }) => ({ key, name: name.toLowerCase() })))
    await pool.unsafe(
      'INSERT INTO names SELECT key, name FROM json_to_recordset($1::text::json) AS t(key text, name text)',
      [rows],
      { prepare: true },
    )
    await pool.unsafe('CREATE INDEX ON names USING gist (name gist_trgm_ops); ANALYZE names')
  } catch (error) {
    await close()
    throw error
  }
  return {
    name: 'pg_trgm',
    search: async (text) => {
      const found = await pool<{ key: string }[]>`
        SELECT key FROM names WHERE similarity(name, ${text.toLowerCase()}) > 0.1
        ORDER BY name <-> ${text.toLowerCase()} LIMIT ${depth}`
      return found.map(({ key }) => key)
    },
    close,
  }
}

/** The trigrams of Postgres: of each word, with two spaces before it and one behind. */
const trigramsOf = (text: string): ReadonlySet<string> => {
  const grams = new Set<string>()
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const padded = `  ${word} `
    for (let at = 0; at < padded.length - 2; at += 1) grams.add(padded.slice(at, at + 3))
  }
  return grams
}

/** What `pg_trgm` computes, for a Postgres that comes without it. */
const computedTrigrams = (names: readonly Named[], isLarge: boolean): Engine => {
  const list = names.map(({ key, name }) => ({ key, grams: trigramsOf(name) }))
  return {
    name: 'trigrams',
    search: (text) => {
      const wanted = trigramsOf(text)
      return list
        .map(({ key, grams }) => {
          let shared = 0
          for (const gram of wanted) if (grams.has(gram)) shared += 1
          return { key, similarity: shared / (wanted.size + grams.size - shared || 1) }
        })
        .filter(({ similarity }) => similarity > 0.1)
        .sort((a, b) => b.similarity - a.similarity)
        .slice(0, depth)
        .map(({ key }) => key)
    },
    ...(isLarge && { maxQueries: slowQueries }),
  }
}

/** Other engines over the same names, each as its documentation sets it up for misspelt names. */
export const openEngines = async (
  names: readonly Named[],
  isLarge: boolean,
): Promise<readonly Engine[]> => {
  const engines = [
    miniSearch(names),
    microFuzzy(names),
    fuse(names, isLarge),
    fuzzySort(names),
    orama(names),
  ]
  try {
    return [...engines, await trigrams(names)]
  } catch (error) {
    console.error(`pg_trgm is not available, its similarity is computed here: ${String(error)}`)
    return [...engines, computedTrigrams(names, isLarge)]
  }
}
