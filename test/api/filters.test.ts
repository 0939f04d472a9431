import { expect, test } from 'bun:test'
import { assetPath, loadAssets } from '../../src/companions/pages/assets.ts'
import { appOf, archiveOf, get, serviceOf } from '../fixtures.ts'
import { clipRow, fightRows, openFight, tournamentOf } from '../rows.ts'

const now = 1_770_000_300
const cup = (id: string, createTime: number, opponent: string) =>
  tournamentOf(
    { id, name: id, createTime, active: true },
    ['Axe', opponent].map((name) => ({ id: name, name })),
    [
      fightRows({ id: 'W-0', startTime: createTime, stopTime: createTime + 90 }, 'Axe', opponent),
      openFight({ id: 'W-1' }, 'Axe', opponent),
    ],
    { clips: [clipRow({ token: `${id}-clip`, gameId: 'W-0' })] },
  )
const archive = archiveOf(
  cup('spring', 1_770_000_000, 'Żółw'),
  cup('autumn', 1_760_000_000, 'Drum'),
  cup('older', 1_730_000_000, 'Drum'),
  cup('nameless', 1_720_000_000, '!?'),
)
const app = appOf(serviceOf(archive, now))

test.each([
  ['/fights', 'fights', 8, 2],
  ['/fights/recent', 'fights', 4, 1],
  ['/clips', 'clips', 4, 1],
  ['/schedule', 'matches', 4, 1],
] as const)('%s by bot and tournament', async (path, list, all, each) => {
  const idsFor = async (query: string): Promise<string[]> => {
    const { body, headers } = await get(app, `${path}?limit=100${query}`)
    if (path !== '/schedule') expect(headers.get('x-ignored-parameters')).toBeNull()
    return body[list].map(({ tournamentID }: { tournamentID: string }) => tournamentID)
  }
  expect(await idsFor('')).toHaveLength(all)
  expect(await idsFor('&bot=Axe')).toEqual(await idsFor(''))
  for (const name of ['zolw', '%C5%BB%C3%B3%C5%82w']) {
    expect(await idsFor(`&bot=${name}`)).toEqual(Array(each).fill('spring'))
  }
  expect(await idsFor('&tournament=autumn')).toEqual(Array(each).fill('autumn'))
  expect(await idsFor('&tournament=older&bot=drum')).toEqual(Array(each).fill('older'))
  for (const nothing of [
    'bot=nobody',
    'bot=!',
    'tournament=none',
    'tournament=spring&bot=drum',
    'tournament=nameless&bot=..',
  ]) {
    expect(await idsFor(`&${nothing}`)).toEqual([])
  }
})

test('links between filtered pages keep the filter', async () => {
  const { headers } = await get(app, '/fights?bot=Drum&limit=1')
  expect(headers.get('link')).toContain('</fights?bot=drum&page=2&limit=1>; rel="next"')
  // An empty value is no filter.
  const { headers: none } = await get(app, '/fights?bot=!')
  expect(none.get('link')).toStartWith('</fights?bot=-&page=1')
  expect((await get(app, '/fights?bot=-')).body.fights).toEqual([])
})

test('tournaments of a year', async () => {
  const idsIn = async (query: string) =>
    (await get(app, `/tournaments${query}`)).body.tournaments.map(
      ({ tournamentID }: { tournamentID: string }) => tournamentID,
    )
  expect(await idsIn('?year=2026')).toEqual(['spring'])
  expect(await idsIn('?year=2025')).toEqual(['autumn'])
  expect(await idsIn('?year=2023')).toEqual([])
  expect(await idsIn('?year=x')).toEqual(['spring', 'autumn', 'older', 'nameless'])
})

test('the years and days of tournaments are in the time zone of the events', async () => {
  // New Year's Eve in New York, New Year's Day in UTC.
  const eve = tournamentOf(
    { id: 'eve', startTime: Date.parse('2026-01-01T02:00:00Z') / 1000 },
    [],
    [],
  )
  const app = appOf(archiveOf(eve), { timeZone: 'America/New_York' })
  const count = async (query: string) =>
    (await get(app, `/tournaments${query}`)).body.tournaments.length
  expect([await count('?year=2025'), await count('?year=2026')]).toEqual([1, 0])
})

test('made-up addresses do not take the place of cached responses', async () => {
  const assets = await loadAssets()
  const path = assetPath(assets, 'site.css')
  let made = 0
  const seen = appOf(
    serviceOf({
      ...archive,
      get dataset() {
        made += 1
        return archive.dataset
      },
    }),
  )
  const ask = async (address: string) => {
    const response = await seen(new Request(`http://localhost${address}`))
    await response.bytes()
    return response
  }
  await ask('/fights')
  made = 0
  // All of them together would take 40 MB.
  for (let n = 0; n < 400; n += 1) {
    const hash = n.toString(16).padStart(10, '0')
    const { status, headers } = await ask(path.replace(/\.[0-9a-f]{10}\./, `.${hash}.`))
    expect([status, headers.get('cache-control')]).toEqual([
      200,
      expect.not.stringContaining('immutable'),
    ])
    await ask(`/e?year=${3000 + n}`)
    await ask(`/tournaments?year=${3000 + n}`)
  }
  expect((await ask(path)).headers.get('cache-control')).toContain('immutable')
  made = 0
  await ask('/fights')
  expect(made).toBe(0)
}, 60_000)
