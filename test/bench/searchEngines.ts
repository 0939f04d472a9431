import uFuzzy from '@leeoniya/ufuzzy'
import { create, insertMultiple, search } from '@orama/orama'
import Fuse from 'fuse.js'
import fuzzysort from 'fuzzysort'
import MiniSearch from 'minisearch'
import { cleanName } from '../../src/data/league/cleanName.ts'
import { openPool } from '../../src/data/source/connection.ts'
import { emptyDatabase } from '../postgres.ts'

/** A name to search for and the key of its result. */
interface Named {
  readonly key: string
  readonly name: string
}

/** An entry of every index. */
interface Entry extends Named {
  readonly clean: string
}

type Keys = readonly string[]

export interface Engine {
  readonly name: string
  /** Found keys, best first. */
  readonly search: (text: string) => Keys | Promise<Keys>
  /** Maximum number of queries of each kind, once each, for an engine that takes tens of milliseconds. */
  readonly maxQueries?: number
  readonly close?: () => Promise<void>
}

/** Results per query. */
export const depth = 10

/** Number of the 300 queries of each kind: with all of them Fuse.js took nine tenths of the half hour of a run. */
const slowQueries = 40

const miniSearch = (names: readonly Entry[]): Engine => {
  const index = new MiniSearch<{ id: number; name: string; clean: string; key: string }>({
    fields: ['name', 'clean'],
    storeFields: ['key'],
    searchOptions: { fuzzy: 0.25, prefix: true },
  })
  index.addAll(names.map((entry, id) => ({ id, ...entry })))
  return {
    name: 'MiniSearch',
    search: (text) =>
      index
        .search(text)
        .slice(0, depth)
        .map((result) => String(result.key)),
  }
}

const microFuzzy = (names: readonly Entry[]): Engine => {
  const fuzzy = new uFuzzy({ intraMode: 1 })
  const haystack = names.flatMap(({ name, clean }) => [name, clean])
  return {
    name: 'uFuzzy',
    search: (text) => {
      // The last argument allows words in any order.
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

const fuse = (list: readonly Entry[]): Engine => {
  const index = new Fuse(list, { keys: ['name', 'clean'] })
  return {
    name: 'Fuse.js',
    search: (text) => index.search(text, { limit: depth }).map(({ item }) => item.key),
    maxQueries: slowQueries,
  }
}

const fuzzySort = (list: readonly Entry[]): Engine => {
  return {
    name: 'fuzzysort',
    search: (text) =>
      fuzzysort.go(text, list, { keys: ['name', 'clean'], limit: depth }).map(({ obj }) => obj.key),
  }
}

const orama = async (names: readonly Entry[]): Promise<Engine> => {
  const index = create({ schema: { name: 'string', clean: 'string' } })
  await insertMultiple(
    index,
    names.map(({ key, name, clean }) => ({ id: key, name, clean })),
  )
  return {
    name: 'Orama',
    search: async (text) => {
      const found = await search(index, { term: text, tolerance: 1, limit: depth })
      return found.hits.map(({ id }) => id)
    },
  }
}

/** Postgres on this machine: the names with the most common trigrams. */
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

/** Other engines over the same names, each as its documentation sets it up for misspelt names. */
export const openEngines = async (names: readonly Named[]): Promise<readonly Engine[]> => {
  const list = names.map(({ key, name }) => ({ key, name, clean: cleanName(name) }))
  return [
    miniSearch(list),
    microFuzzy(list),
    fuse(list),
    fuzzySort(list),
    await orama(list),
    await trigrams(list),
  ]
}
