import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { codeOf } from '../../../src/files.ts'
import { CommandError } from '../../command.ts'

/** A response kept from an earlier request. */
export interface Stored {
  readonly etag: string
  readonly body: string
  /** It was fetched in this run, or in one that was interrupted and is resumed. */
  readonly isOfRun: boolean
}

/**
 * Responses by address, in one file: entity tags for the next run, bodies for a run that is resumed. All functions
 * throw a {@link CommandError} where the file cannot be used.
 */
export interface ResponseStore {
  readonly find: (path: string) => Stored | undefined
  readonly keep: (path: string, etag: string, body: string) => void
  /** Marks a stored response as still valid. */
  readonly confirm: (path: string) => void
  /** Tournaments that the source had in some run. */
  readonly knownTournaments: () => readonly string[]
  readonly know: (tournamentId: string) => void
  readonly forget: (tournamentId: string) => void
  /** Ends a run: after one that read everything, responses that it did not use are removed. */
  readonly finish: (readEverything: boolean) => void
  readonly close: () => void
}

/** An interrupted run is resumed if it began this recently, in seconds. */
const maxResumeAge = 86_400

const layout = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY, started REAL NOT NULL, is_finished INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS responses (
    path TEXT PRIMARY KEY, etag TEXT NOT NULL, body BLOB NOT NULL, run INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tournaments (id TEXT PRIMARY KEY) WITHOUT ROWID;`

const isBytes = (value: unknown): value is Uint8Array<ArrayBuffer> => value instanceof Uint8Array

/** With a checksum: a damaged body is requested again. */
const deflate = (body: string): Uint8Array =>
  zstdCompressSync(body, {
    params: {
      [constants.ZSTD_c_compressionLevel]: 1,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  })

const inflate = (body: unknown): string | undefined => {
  try {
    return isBytes(body) ? new TextDecoder().decode(Bun.zstdDecompressSync(body)) : undefined
  } catch {
    return undefined
  }
}

/** Opens the file, or creates it. `now` in Unix seconds. */
export const openResponseStore = (path: string, now: number): ResponseStore => {
  const using = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))
      const remedy = isDamaged ? '; delete it to begin anew' : ''
      throw new CommandError(`the state file ${path} cannot be used (${why})${remedy}`)
    }
  }
  const database = using(() => {
    mkdirSync(dirname(path), { recursive: true })
    const opened = new Database(path, { create: true })
    opened.run(layout)
    return opened
  })
  const beginRun = (): number => {
    const last = database
      .query<{ id: number; started: number; is_finished: number }, []>(
        'SELECT id, started, is_finished FROM runs ORDER BY id DESC LIMIT 1',
      )
      .get()
    if (last && last.is_finished === 0 && Math.abs(now - last.started) < maxResumeAge) {
      return last.id
    }
    const id = (last?.id ?? 0) + 1
    database.run('INSERT INTO runs VALUES (?, ?, 0)', [id, now])
    return id
  }
  let run = using(beginRun)
  const selectKnown = database.query<{ id: string }, []>('SELECT id FROM tournaments ORDER BY id')
  const insertKnown = database.query('INSERT OR IGNORE INTO tournaments VALUES (?)')
  const deleteKnown = database.query('DELETE FROM tournaments WHERE id = ?')
  const select = database.query<{ etag: string; body: unknown; run: number }, [string]>(
    'SELECT etag, body, run FROM responses WHERE path = ?',
  )
  const insert = database.query('INSERT OR REPLACE INTO responses VALUES (?, ?, ?, ?)')
  const touch = database.query('UPDATE responses SET run = ? WHERE path = ?')
  return {
    find: (path) => {
      const row = using(() => select.get(path))
      const body = inflate(row?.body)
      return row && body !== undefined
        ? { etag: row.etag, body, isOfRun: row.run === run }
        : undefined
    },
    keep: (path, etag, body) => {
      using(() => insert.run(path, etag, deflate(body), run))
    },
    confirm: (path) => {
      using(() => touch.run(run, path))
    },
    knownTournaments: () => using(() => selectKnown.all()).map(({ id }) => id),
    know: (tournamentId) => {
      using(() => insertKnown.run(tournamentId))
    },
    forget: (tournamentId) => {
      using(() => deleteKnown.run(tournamentId))
    },
    finish: (readEverything) => {
      using(() => {
        if (readEverything) database.run('DELETE FROM responses WHERE run <> ?', [run])
        database.run('UPDATE runs SET is_finished = 1 WHERE id = ?', [run])
        database.run('DELETE FROM runs WHERE id < ?', [run])
        run = beginRun()
      })
    },
    close: () => database.close(),
  }
}
