import { describe, expect, test } from 'bun:test'
import postgres from 'postgres'
import { openPool, parameterText, sourceError } from '../../../src/data/source/connection.ts'
import {
  LockedError,
  RefusedError,
  SetupError,
  SourceError,
  StaleStatementError,
  UnreachableError,
} from '../../../src/data/source/sourceErrors.ts'

/** An error as the client makes it from an answer of the server. */
const refusal = (code: string, about: { readonly routine?: string } = {}): Error =>
  Object.assign(new postgres.PostgresError('why'), { message: 'why\nmore', code, ...about })

describe('an error of the database', () => {
  const notMigrated = 'the database is not migrated'
  const stopping = 'the database is starting or stopping'
  const wrongUser = 'the database refuses the user or the password'
  test.each<[code: string, kind: typeof SourceError, message: string]>([
    ['25P02', StaleStatementError, 'the database was changed'],
    ['28000', SetupError, wrongUser],
    ['28P01', SetupError, wrongUser],
    ['3D000', SetupError, 'the database does not exist'],
    ['3F000', SetupError, notMigrated],
    ['42P01', SetupError, notMigrated],
    ['42501', SetupError, 'the database refuses a right to the role'],
    ['40001', LockedError, 'the standby cancels queries that delay its replay'],
    ['55P03', LockedError, 'the database is locked by another session'],
    ['53300', RefusedError, 'the database has no connection left for the role'],
    ['57014', SourceError, 'the database took too long over a query'],
    ['57P01', UnreachableError, stopping],
    ['57P02', UnreachableError, stopping],
    ['57P03', UnreachableError, stopping],
    ['22012', RefusedError, 'the database refuses'],
  ])('the database error %s has its own kind and message', (code, kind, message) => {
    const error = sourceError(refusal(code))
    expect(error.constructor).toBe(kind)
    expect([error.message, error.detail]).toEqual([message, 'why'])
  })

  test('a stale prepared statement means a changed database', () => {
    const error = sourceError(refusal('0A000', { routine: 'RevalidateCachedQuery' }))
    expect(error).toBeInstanceOf(StaleStatementError)
  })

  test('a refusal of TLS tells how to connect without it', () => {
    const texts = ['SSL encryption', 'no encryption'].map((last) => {
      const message = `no pg_hba.conf entry for host "192.0.2.1", user "a", database "b", ${last}`
      return sourceError(Object.assign(refusal('28000'), { message })).message
    })
    expect(texts).toEqual([
      'the database allows no such connection with TLS: try sslmode=disable',
      'the database allows no such connection',
    ])
  })

  test('an error that is no refusal is one of the connection, with its reason or code', () => {
    const closed = Object.assign(new Error('write CONNECTION_CLOSED db:5432'), { code: 'X' })
    const silent = Object.assign(new Error(''), { code: 'ECONNREFUSED' })
    for (const [thrown, detail] of [
      [closed, 'write CONNECTION_CLOSED db:5432'],
      [silent, 'ECONNREFUSED'],
      ['a text', 'a text'],
      [new Error(''), ''],
    ] as const) {
      const error = sourceError(thrown)
      expect(error.constructor).toBe(UnreachableError)
      expect([error.message, error.detail]).toEqual(['the database cannot be reached', detail])
    }
  })

  test('an error of a source stays unchanged', () => {
    const known = new LockedError('the database is locked by another session')
    expect(sourceError(known)).toBe(known)
  })
})

test('a connection ends after a minute without a query, and after its lifetime, unless it listens', () => {
  const limits = { max: 1, connectSeconds: 1 }
  const session = { onnotify: () => undefined, onclose: () => undefined }
  const url = 'postgres://reader@127.0.0.1/league'
  const [{ options }, listening] = [openPool(url, limits), openPool(url, { ...limits, session })]
  expect([options.idle_timeout, options.max_lifetime === null]).toEqual([60, false])
  expect(options).toMatchObject({
    connect_timeout: 1,
    fetch_types: false,
    connection: { application_name: 'cageside' },
  })
  expect(listening.options).toMatchObject({ idle_timeout: 0, max_lifetime: null })
})

test('an invalid database URL is refused without showing it', () => {
  const open = () => openPool('postgres://user:secret@host:port/db', { max: 1, connectSeconds: 1 })
  expect(open).toThrow('the database URL must be an address with ports from 1 to 65535')
})

test('texts of a list are quoted, a single text is sent unchanged', () => {
  expect(parameterText(['a"b', 'c\\d', 'e,{f}', ''])).toBe('{"a\\"b","c\\\\d","e,{f}",""}')
  expect(parameterText('a"b')).toBe('a"b')
})
