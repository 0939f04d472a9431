import { describe, expect, test } from 'bun:test'
import { connect } from '../../../src/data/source/connection.ts'
import { readConnection, splitHosts } from '../../../src/data/source/connectionString.ts'
import { candidatesOf, type ServerState } from '../../../src/data/source/hosts.ts'
import { SourceError } from '../../../src/data/source/sourceErrors.ts'

const primary: ServerState = { isStandby: false, isReadOnly: false }
const standby: ServerState = { isStandby: true, isReadOnly: true }
const readOnly: ServerState = { isStandby: false, isReadOnly: true }

/** Hosts in order, each with true if it fits as a primary, as a standby and as a read-only primary. */
const used = (url: string): unknown[] =>
  candidatesOf(url).map(({ url: address, isFit = () => true }) => [
    address,
    [primary, standby, readOnly].map(isFit),
  ])

const split = (url: string) => splitHosts(readConnection(url))

describe('the hosts of a connection URL', () => {
  test('the hosts of a connection URL share user, password, database and options', () => {
    expect(split('postgres://a:b%40@one,two:5433/league?sslmode=require')).toEqual([
      'postgres://a:b%40@one/league?sslmode=require',
      'postgres://a:b%40@two:5433/league?sslmode=require',
    ])
  })

  test('a URL without target_session_attrs is used unchanged', () => {
    expect(used('postgres://a:b@one/league')).toEqual([
      ['postgres://a:b@one/league', [true, true, true]],
    ])
  })

  test.each([
    ['read-write', [true, false, false]],
    ['read-only', [false, true, true]],
    ['primary', [true, false, true]],
    ['standby', [false, true, false]],
  ])('target_session_attrs=%s uses only fitting servers', (kind, expected) => {
    expect(used(`postgres://a@one,two/league?target_session_attrs=${kind}`)).toEqual([
      ['postgres://a@one/league', expected],
      ['postgres://a@two/league', expected],
    ])
  })

  test('target_session_attrs counts for sockets', () => {
    expect(used('host=one,/run/pg user=a target_session_attrs=primary')).toEqual([
      ['postgres://a@one/', [true, false, true]],
      ['postgres://a@/?host=%2Frun%2Fpg', [true, false, true]],
    ])
  })

  test('prefer-standby finally takes any host', () => {
    expect(used('postgres://a@one,two/league?target_session_attrs=prefer-standby')).toEqual([
      ['postgres://a@one/league', [false, true, false]],
      ['postgres://a@two/league', [false, true, false]],
      ['postgres://a@one/league', [true, true, true]],
      ['postgres://a@two/league', [true, true, true]],
    ])
  })

  test.each([
    ['postgres://a:b/c@one/league', 'postgres://a:b%2Fc@one/league'],
    ['postgres://a:b?c#d@e@one:5432/league', 'postgres://a:b%3Fc%23d%40e@one:5432/league'],
    ['postgres://a:@#b@one/league', 'postgres://a:%40%23b@one/league'],
    ['postgres://a:#b@one/league', 'postgres://a:%23b@one/league'],
    ['postgres://a:/b@one/league', 'postgres://a:%2Fb@one/league'],
    ['postgres://one:/league?user=a@b', 'postgres://a%40b@one/league'],
    ['postgres://a:12/3@one/league', 'postgres://a:12%2F3@one/league'],
    ['postgres://a:%2F@one/league', 'postgres://a:%2F@one/league'],
    ['postgres://one:5432/league?user=a@b', 'postgres://a%40b@one:5432/league'],
    ['postgres://one/league?user=a@b', 'postgres://a%40b@one/league'],
    ['postgres://a:12?3@one/league', 'postgres://a:12%3F3@one/league'],
    ['postgres://[::1]:5432/league', 'postgres://[::1]:5432/league'],
    ['postgres://[fe80::1%25eth0]/league', 'postgres://[fe80::1%25eth0]/league'],
  ])('an unencoded password is encoded: %s', (url, encoded) => {
    expect(split(url)).toEqual([encoded])
    expect(split(encoded)).toEqual([encoded])
  })

  test('a password with @ and a comma is not taken for a host, which messages would name', async () => {
    const source = connect('postgres://a:b@secret,c@127.0.0.1:1/league', { deadlineMs: 2000 })
    const failure = await source.transaction(async () => undefined).catch((error) => error)
    await source.close()
    expect(failure).toBeInstanceOf(SourceError)
    expect(failure.detail).toBe('connect ECONNREFUSED 127.0.0.1:1')
  })
})
