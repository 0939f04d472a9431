import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { buildTimeline } from '../../src/data/replay/timeline.ts'
import type { TournamentRows } from '../../src/data/source/rows.ts'
import { readSnapshot } from '../../src/data/source/snapshot.ts'
import { appOf, archiveOf, readText, serviceOf } from '../fixtures.ts'
import { projectFolder } from '../process.ts'
import { fightRows, openFight, playersNamed, tournamentOf } from '../rows.ts'

const day = 86_400
/** Seconds between requests: within a fight, within an event and on the day after. */
const steps = [1, 59, 1, 600, 3600, 6 * 3600, day / 2, day / 4, day, 7 * day]

const file = await readSnapshot(join(projectFolder, 'snapshot/sample.cageside'))
const timeline = await buildTimeline(file, 'auto')

test.each([0, 0.5, 1])(
  'a cached response equals a new one as time passes after part %p of an event',
  async (part) => {
    const { first, startsAt, endsAt } = timeline
    let now = Math.round(startsAt + part * (endsAt - startsAt))
    const { archive } = await timeline.move(first, startsAt, now)
    if (!archive) throw new Error('no archive')
    const { dataset } = archive
    const [event] = dataset.tournaments
    const fights = [event?.fights.at(0), event?.fights.at(-1)].flatMap((fight) => fight ?? [])
    const bots = fights.map(({ red }) => red.player.cleanName)
    const paths = [
      ...['/', '/e', '/live', '/stats', '/events.ics', '/overlay/next', '/overlay/cage/1'],
      ...['/cages', '/cages/1', '/schedule', '/fights/last24h', '/legacy/scheduledMatches'],
      `/e/${event?.info.id}`,
      `/e/${event?.info.id}/fights.ics`,
      ...dataset.tournaments.flatMap(({ info: { id, active } }) =>
        active ? [`/tournaments/${id}/brackets`] : [],
      ),
      ...bots.flatMap((bot) => [
        `/b/${bot}`,
        `/b/${bot}/fights.ics`,
        `/my?bots=${bot}`,
        `/bots/${bot}/upcoming`,
      ]),
      ...fights.map(({ id }) => `/w/${event?.info.id}/${id}`),
    ]
    const kept = appOf({
      ...serviceOf(archive),
      now: () => now,
      status: () => serviceOf(archive, now).status(),
    })
    const changed = new Set<string>()
    const before = new Map<string, string>()
    const read = async (app: typeof kept, path: string): Promise<string> =>
      (
        await app(new Request(`http://localhost${path}`, { headers: { accept: 'text/html' } }))
      ).text()
    for (const step of steps) {
      // A new archive also rebuilds values cached by its cages.
      const anew = appOf(serviceOf({ ...archive, cages: { ...archive.cages } }, now))
      for (const path of paths) {
        const text = await read(kept, path)
        expect([path, step, text]).toEqual([path, step, await read(anew, path)])
        if (before.has(path) && before.get(path) !== text) changed.add(path)
        before.set(path, text)
      }
      now += step
    }
    expect(changed.size).toBeGreaterThan(5)
  },
  120_000,
)

/** The answer at each moment, which is the same from the cache. */
const answersAt = async (rows: TournamentRows, path: string, moments: readonly number[]) => {
  const archive = archiveOf(rows)
  let now = 0
  const kept = appOf({ ...serviceOf(archive), now: () => now })
  const texts: string[] = []
  for (const moment of moments) {
    now = moment
    const { text } = await readText(appOf(serviceOf(archive, now)), path)
    expect([moment, (await readText(kept, path)).text]).toEqual([moment, text])
    texts.push(text)
  }
  return texts
}

test('an event under way ends in /events.ics with the hour from its last fight on, and with that a day later', async () => {
  const over = 1_770_000_580
  const rows = tournamentOf({ active: true }, playersNamed('Axe', 'Bolt'), [
    fightRows({ stopTime: over, endTime: over }, 'p0', 'p1'),
  ])
  // Moments within an hour each, the longest time for which such an end is cached.
  const moments = [-600, -1, 0, day - 600, day - 1, day, day + 1].map((later) => over + later)
  expect(new Set(await answersAt(rows, '/events.ics', moments)).size).toBeGreaterThan(2)
})

test('a fight that should have begun says so from a minute on', async () => {
  const planned = 1_770_000_000
  const open = openFight({ scheduledTime: planned }, 'p0', 'p1')
  const event = { active: true, startTime: planned - day }
  const rows = tournamentOf(event, playersNamed('Axe', 'Bolt'), [open])
  const moments = [30, 59, 60, 120].map((later) => planned + later)
  const texts = await answersAt(rows, '/w/spring_30lb/W-0', moments)
  expect(texts.map((text) => text.includes('should have begun'))).toEqual([
    false,
    false,
    true,
    true,
  ])
})

test('each result leaves /my a day after its fight', async () => {
  const over = 1_770_000_000
  const fights = [0, 600].map((later, index) =>
    fightRows({ id: `W-${index}`, stopTime: over + later, endTime: over + later }, 'p0', 'p1'),
  )
  let now = over + 600
  const archive = archiveOf(tournamentOf({}, playersNamed('Axe', 'Bolt'), fights))
  const app = appOf({ ...serviceOf(archive, now), now: () => now })
  const shown: number[] = []
  for (const at of [600, day, day + 1, day + 600, day + 601]) {
    now = over + at
    const { text } = await readText(app, '/my?bots=axe,bolt')
    const [results = ''] = /<section id="results".*?<\/section>/s.exec(text) ?? []
    shown.push(new Set(results.match(/\/W-\d/g)).size)
  }
  expect(shown).toEqual([2, 2, 1, 1, 0])
})
