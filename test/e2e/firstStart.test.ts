import { describe, expect, test } from 'bun:test'
import { openDatabase } from '../leagueDatabase.ts'
import { administer, emptyDatabase } from '../postgres.ts'
import { spawnService, startService, stopService, temporaryFolder } from '../process.ts'
import { smallLeague } from '../smallLeague.ts'
import { until } from '../until.ts'

const { database } = await openDatabase(smallLeague)

const withPassword = (url: string, password: string): string => {
  const changed = new URL(url)
  changed.password = password
  return changed.href
}
const withDatabase = (url: string, name: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** Starts the service, which ends; returns its exit code and log lines. */
const failing = async (settings: Readonly<Record<string, string>>) => {
  const process = await spawnService({ LOG_LEVEL: 'error', ...settings })
  const stderr = await new Response(process.stderr).text()
  return { code: await process.exited, lines: stderr.trimEnd().split('\n') }
}

describe('a first start with an error that waiting cannot fix', () => {
  test('a first start with a wrong password ends with one line that does not show it', async () => {
    const { code, lines } = await failing({
      DATABASE_URL: withPassword(database.readerUrl, 'sesame'),
    })
    expect(code).toBe(1)
    expect(lines).toEqual([
      expect.stringMatching(
        /^cageside: DATABASE_URL: the database refuses the user or the password \(password .*\)$/,
      ),
    ])
    expect(lines.join()).not.toContain('sesame')
  })

  test('a first start without the database ends with one line', async () => {
    const { code, lines } = await failing({ DATABASE_URL: withDatabase(database.readerUrl, 'no') })
    expect(code).toBe(1)
    expect(lines).toEqual([
      'cageside: DATABASE_URL: the database does not exist (database "no" does not exist)',
    ])
  })

  test('a first start without the tables, or without rights, ends with one line', async () => {
    const empty = await emptyDatabase()
    const { code, lines } = await failing({ DATABASE_URL: empty.url })
    expect(code).toBe(1)
    expect(lines).toEqual([
      expect.stringMatching(/^cageside: DATABASE_URL: the database is not migrated \(.*\)$/),
    ])
    await empty.drop()
    const role = `norights${new URL(database.adminUrl).pathname.slice(1)}`
    await administer(database.adminUrl, `CREATE ROLE ${role} LOGIN PASSWORD 'none'`)
    const other = new URL(withPassword(database.readerUrl, 'none'))
    other.username = role
    const refused = await failing({ DATABASE_URL: other.href })
    expect(refused.code).toBe(1)
    expect(refused.lines).toEqual([
      expect.stringMatching(
        /^cageside: DATABASE_URL: the database refuses a right to the role \(.*\)$/,
      ),
    ])
    await administer(database.adminUrl, `DROP ROLE ${role}`)
  }, 60_000)
})

test('a later start serves the last good archive, whatever the database says', async () => {
  const DATA_DIR = await temporaryFolder()
  expect(
    await stopService(await startService({ DATABASE_URL: database.readerUrl, DATA_DIR })),
  ).toBe(0)
  const DATABASE_URL = withPassword(database.readerUrl, 'sesame')
  const running = await startService({ DATABASE_URL, DATA_DIR, LOG_LEVEL: 'error' })
  expect((await fetch(`${running.url}/fights/recent`)).status).toBe(200)
  const health = async () => (await fetch(`${running.url}/health`)).text()
  await until(async () =>
    (await health()).includes(
      'the last refresh failed: the database refuses the user or the password',
    ),
  )
  expect(await stopService(running)).toBe(0)
  expect(await running.stderr()).not.toContain('sesame')
}, 60_000)

/** URL of a new role that has no connection left. */
const crowded = async (): Promise<string> => {
  const role = `crowded${new URL(database.adminUrl).pathname.slice(1)}`
  await administer(
    database.adminUrl,
    `CREATE ROLE ${role} LOGIN PASSWORD 'sesame' CONNECTION LIMIT 0`,
  )
  const url = new URL(withPassword(database.readerUrl, 'sesame'))
  url.username = role
  return url.href
}

test.each([
  ['cannot be reached', async () => 'postgres://a:sesame@127.0.0.1:1/league'],
  ['has no connection left for the role', crowded],
])(
  'a first start waits for a database that %s, and says so',
  async (reason, address) => {
    const DATABASE_URL = await address()
    const process = await spawnService({ DATABASE_URL })
    const reader = process.stderr.getReader()
    const decoder = new TextDecoder()
    let logged = ''
    const read = async (wanted: RegExp): Promise<RegExpExecArray> => {
      for (;;) {
        const found = wanted.exec(logged)
        if (found) return found
        const { value, done } = await reader.read()
        if (done) throw new Error(`it ended: ${logged}`)
        logged += decoder.decode(value, { stream: true })
      }
    }
    const [, url] = await read(/"address":"(http:[^"]+)"/)
    await read(
      new RegExp(`nothing to serve yet, waiting.*the database ${reason}.*(ECONNREFUSED|too many)`),
    )
    const health = await (await fetch(`${url}/health`)).json()
    expect(health).toMatchObject({
      status: 'degraded',
      problems: ['no data is loaded', `the last refresh failed: the database ${reason}`],
    })
    expect((await fetch(`${url}/ready`)).status).toBe(503)
    process.kill('SIGTERM')
    expect(await process.exited).toBe(0)
    expect(logged).not.toContain('sesame')
    const { username } = new URL(DATABASE_URL)
    await administer(database.adminUrl, `DROP ROLE IF EXISTS ${username}`)
  },
  60_000,
)
