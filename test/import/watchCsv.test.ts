import { afterAll, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { csvCommand } from '../../scripts/import/csv/command.ts'
import { sheetAddress } from '../../scripts/import/input.ts'
import { readSnapshot } from '../../src/data/source/snapshot.ts'
import { freshDatabase } from '../postgres.ts'
import { startService, stopService, temporaryFolder } from '../process.ts'
import { allAddressSettings } from '../site.ts'
import { until } from '../until.ts'
import { playDay } from './csvDay.ts'

const delays = { look: 50, settle: 150, retry: 500, address: 300 }
const stops: (() => unknown)[] = []
afterAll(() => Promise.all(stops.map((stop) => stop())))

/** A watched folder of files, and the printed lines. */
const watched = async (
  files: Readonly<Record<string, string>>,
  options: (folder: string) => readonly string[],
) => {
  const folder = await temporaryFolder()
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const controller = new AbortController()
  const printed: string[] = []
  const { log, error } = console
  console.log = console.error = (line: string) => void printed.push(line)
  stops.push(() => Object.assign(console, { log, error }))
  const ended = csvCommand([folder, '--watch', ...options(folder)], { delays, controller })
  const stop = () => {
    controller.abort()
    return ended
  }
  stops.push(stop)
  return { folder, out: join(folder, 'out.cageside'), printed, stop }
}

const toFile = (folder: string) => ['--out', join(folder, 'out.cageside'), '--source', 'day']
const events = 'tournament,weight,start,active\nday,3,2026-03-14 10:00,yes\n'
const head = 'tournament,red,blue,winner,method,start,length\n'

/** Fights of a snapshot file as `red-blue winner`. */
const fightsIn = async (path: string) => {
  const snapshot = await readSnapshot(path)
  return snapshot.entries.flatMap(({ rows }) => {
    const { slots } = rows()
    return Array.isArray(slots) ? slots.map(({ gameId, state }) => `${gameId} ${state}`) : []
  })
}

test('a file that is written in two parts is imported once it is complete, with its removals', async () => {
  const first = `${head}day,Axe,Blade,red,KO,,\nday,Club,Dart,red,KO,,\nday,Edge,Fang,red,KO,,\n`
  const { folder, out, printed } = await watched(
    { 'tournaments.csv': events, 'fights.csv': first },
    toFile,
  )
  await until(() => Bun.file(out).exists())
  // The first part by itself would remove two fights, and ask, or cut a line.
  await writeFile(join(folder, 'fights.csv'), `${head}day,Axe,Blade,red,KO,,\nday,Cl`)
  await writeFile(join(folder, 'fights.csv'), first.replace('Edge,Fang,red', 'Edge,Fang,blue'))
  await until(async () => (await fightsIn(out)).includes('W-3 loser'))
  await until(
    async () => (await fightsIn(out)).filter((line) => line.endsWith('winner')).length === 3,
  )
  expect(printed.join('\n')).not.toContain('nothing is written')
  // An error is printed once, and keeps the rows already written.
  await writeFile(join(folder, 'fights.csv'), `${first}day,Axe,Axe,,,,\n`)
  const times = (text: string) => printed.filter((line) => line.includes(text)).length
  await until(() => times('mend these lines') === 1)
  expect(await fightsIn(out)).toHaveLength(6)
  await Bun.sleep(3 * delays.retry)
  expect([times('mend these lines'), times("'Axe' is in both corners")]).toEqual([1, 1])
  // Each change that does not repair the file repeats the error.
  await writeFile(join(folder, 'fights.csv'), `${first}day,Axe,Axe,,KO,,\n`)
  await until(() => times('mend these lines') === 2)
  expect(times("'Axe' is in both corners")).toBe(2)
  await writeFile(join(folder, 'fights.csv'), `${first}day,Axe,Club,,,,\n`)
  await until(async () => (await fightsIn(out)).length === 8)
})

test('an ignored column is named once, and another one when it appears', async () => {
  const fights = (winner: string, column: string) =>
    `${head.trim()},${column}\nday,Axe,Blade,${winner},KO,,,x\n`
  const { folder, out, printed } = await watched(
    { 'tournaments.csv': events, 'fights.csv': fights('red', 'Referee') },
    toFile,
  )
  const written = (red: string) =>
    until(async () => (await Bun.file(out).exists()) && (await fightsIn(out))[0] === red)
  const times = (text: string) => printed.filter((line) => line.includes(text)).length
  await written('W-1 winner')
  await writeFile(join(folder, 'fights.csv'), fights('blue', 'Referee'))
  await written('W-1 loser')
  await writeFile(join(folder, 'fights.csv'), fights('red', 'Crew'))
  await until(() => times("'Crew'") === 1)
  expect(times("'Referee'")).toBe(1)
})

test('a shared sheet is imported from its URL repeatedly, and a sign-in page is named', async () => {
  let respond = () => new Response('<!DOCTYPE html><title>Sign in</title>')
  const server = Bun.serve({ port: 0, fetch: () => respond() })
  stops.push(() => server.stop(true))
  const { out, printed } = await watched({ 'tournaments.csv': events }, (folder) => [
    ...toFile(folder),
    '--fights',
    `${server.url}export?format=csv&gid=1`,
  ])
  await until(() =>
    printed.some((line) => line.includes('fights.csv  a web page, such as one to sign')),
  )
  respond = () => new Response('', { status: 401 })
  await until(() => printed.some((line) => line.includes('it asks to sign in: share the sheet')))
  respond = () => new Response(`${head}day,Axe,Blade,,,,\n`)
  await until(() => Bun.file(out).exists())
  respond = () => new Response(`${head}day,Axe,Blade,red,KO,,\n`)
  await until(async () => (await fightsIn(out)).includes('W-1 winner'))
})

test.each([{}, allAddressSettings])(
  '--serve serves the league of a folder and follows its files, with %p',
  async (settings) => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'tournaments.csv'), events)
    await writeFile(join(folder, 'fights.csv'), `${head}day,Axe,Blade,,,,\n`)
    // A setting is before the option.
    const given = {
      EVENT_TIME_ZONE: 'Asia/Tokyo',
      // Settings that would serve something else.
      ...{ SNAPSHOT: '/nonexistent', DATABASE_URL_FILE: '/nonexistent', REPLAY: 'auto' },
    }
    const served = await startService({ ...settings, ...given }, [
      process.execPath,
      'scripts/import.ts',
      'csv',
      folder,
      ...['--serve', '--time-zone', 'America/Lima'],
    ])
    const page = await fetch(`${served.url}/e/day`, { headers: { accept: 'text/html' } })
    expect(/>[^<]*(GMT\+9|JST)</.test(await page.text())).toBe(true)
    const isWon = async () =>
      (await (await fetch(`${served.url}/bots/axe`)).text()).includes('"totalWins":1')
    expect(await isWon()).toBe(false)
    await writeFile(join(folder, 'fights.csv'), `${head}day,Axe,Blade,red,KO,,\n`)
    await until(isWon)
    expect(await Bun.file(`${folder}.cageside`).exists()).toBe(true)
    expect(await stopService(served)).toBe(0)
  },
)

test.each([
  [
    'https://docs.google.com/spreadsheets/d/1a_b-C/edit#gid=12',
    '/d/1a_b-C/export?format=csv&gid=12',
  ],
  ['https://docs.google.com/spreadsheets/d/1a/edit?gid=7#gid=7', '/d/1a/export?format=csv&gid=7'],
  ['https://docs.google.com/spreadsheets/d/1a/edit?usp=sharing', '/d/1a/export?format=csv&gid=0'],
  ['https://docs.google.com/spreadsheets/d/1a/view', '/d/1a/export?format=csv&gid=0'],
  ['https://docs.google.com/spreadsheets/d/1a/export?format=csv&gid=3', '/export?format=csv&gid=3'],
  [
    'https://docs.google.com/spreadsheets/u/1/d/1a/edit?gid=7#gid=7',
    '/d/1a/export?format=csv&gid=7',
  ],
  ['https://docs.google.com/a/x.example/spreadsheets/d/1a/edit', '/d/1a/export?format=csv&gid=0'],
  ['https://docs.google.com/spreadsheets/d/1a', '/d/1a/export?format=csv&gid=0'],
  ['https://docs.google.com/spreadsheets/d/1a/htmlview#gid=5', '/d/1a/export?format=csv&gid=5'],
  [
    'https://docs.google.com/spreadsheets/u/0/d/1a/htmlview/sheet?gid=5',
    '/d/1a/export?format=csv&gid=5',
  ],
  ['https://docs.google.com/spreadsheets/d/1a/preview', '/d/1a/export?format=csv&gid=0'],
  [
    'https://docs.google.com/spreadsheets/d/e/2PACX-1/pubhtml?gid=5&single=true',
    '/d/e/2PACX-1/pub?output=csv&single=true&gid=5',
  ],
  [
    'https://docs.google.com/spreadsheets/d/e/2PACX-1/pub?output=csv',
    '/d/e/2PACX-1/pub?output=csv',
  ],
])('the URL %s of a sheet gives its CSV at %s', (address, csv) => {
  expect(sheetAddress(address)).toEndWith(csv)
})

test('readers get each result once after 10 edits in a day to the file of a running service', async () => {
  const folder = await temporaryFolder()
  const out = join(folder, 'out.cageside')
  const { seen, expected } = await playDay({
    folder,
    into: ['--out', out],
    settings: { SNAPSHOT: out },
    results: 5,
    isWritten: () => Bun.file(out).exists(),
  })
  for (const results of seen) expect(results).toEqual(expected)
})

test('readers get each result once after edits in a day to a database', async () => {
  const database = await freshDatabase()
  const sql = new Bun.SQL(database.adminUrl)
  const { seen, expected } = await playDay({
    folder: await temporaryFolder(),
    into: [],
    environment: { DATABASE_ADMIN_URL: database.adminUrl },
    settings: { DATABASE_URL: database.readerUrl },
    results: 3,
    isWritten: async () => (await sql`SELECT FROM cageside.games`).length > 0,
  })
  for (const results of seen) expect(results).toEqual(expected)
  await sql.close()
  await database.drop()
})
