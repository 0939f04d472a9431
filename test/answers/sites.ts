import { join } from 'node:path'
import { createRandom } from '../../scripts/league/random.ts'
import type { App } from '../../src/app.ts'
import { bulkNames } from '../../src/companions/bulk/tables.ts'
import { type Archive, noCages } from '../../src/data/archive/archive.ts'
import { buildTimeline } from '../../src/data/replay/timeline.ts'
import { readSnapshot } from '../../src/data/source/snapshot.ts'
import { createUsage, type Usage } from '../../src/http/usage/usage.ts'
import { drawQueries } from '../bench/searchQueries.ts'
import { archiveOfScale } from '../bench/stage.ts'
import { addressesByRoute, drawnAddressesOf, pagesByRoute, spread } from '../everyAddress.ts'
import { appOf, archiveOf, serviceOf } from '../fixtures.ts'
import {
  archiveOfLeague,
  loadPageLeague,
  type PageLeague,
  withHostileNames,
} from '../pageLeague.ts'
import { projectFolder } from '../process.ts'
import { answered } from '../usage.ts'
import { drawnEvents } from './drawnEvents.ts'
import { drawnImports } from './drawnImports.ts'
import { shaken } from './shaken.ts'

/** A service whose answers are recorded. */
export interface Site {
  readonly name: string
  readonly app: App
  readonly headers: Readonly<Record<string, string>>
  /** By route. */
  readonly addresses: ReadonlyMap<string, readonly string[]>
}

/** The tournament of the replayed event whose pages are recorded. */
const shownEvent = '30ffa53072bfab19'

const timedPaths =
  `/cages /cages/1 /schedule /live /live?board=1 / /e /overlay/next /overlay/cage/1 /events.ics
  /fights/last24h /fights/recent /legacy/scheduledMatches /clips /stills /tournaments /e/ID /tournaments/ID
  /tournaments/ID/brackets /tournaments/ID/fights /tournaments/ID/forecast /overlay/bracket/ID`
    .split(/\s+/)
    .map((path) => path.replace('ID', shownEvent))

const browser = { accept: 'text/html,*/*;q=0.8' }

/** Of every route up to `most` addresses and up to `most` drawn ones. */
const everywhere = (archive: Archive, most: number): Site['addresses'] => {
  const all = new Map<string, readonly string[]>()
  const add = (template: string, addresses: readonly string[]) => {
    // Drawn anew at each request.
    if (template.startsWith('/legacy/randomClips')) return
    all.set(template, [...(all.get(template) ?? []), ...addresses])
  }
  for (const { template, addresses } of [...addressesByRoute(archive), ...pagesByRoute(archive)])
    add(template, spread(addresses, most))
  for (const [template, addresses] of drawnAddressesOf(archive, most)) add(template, addresses)
  add('/bulk', [...bulkNames.map((name) => `/bulk/${name}`), '/bulk'])
  return all
}

/** Answers that depend on the time, at some moments of an event. */
async function* replaySites(): AsyncGenerator<Site> {
  const timeline = await buildTimeline(
    await readSnapshot(join(projectFolder, 'snapshot/sample.cageside')),
    'auto',
  )
  let [league, at] = [timeline.first, timeline.startsAt]
  for (const part of [0, 0.4, 0.9]) {
    const to = Math.round(timeline.startsAt + part * (timeline.endsAt - timeline.startsAt))
    league = await timeline.move(league, at, to)
    at = to
    const { archive } = league
    if (!archive) continue
    const event = archive.dataset.tournaments.find(({ info }) => info.id === shownEvent)
    const waiting = event?.fights.filter(({ state }) => state === 'pending') ?? []
    const paths = [
      ...timedPaths,
      ...waiting.slice(0, 9).map(({ red }) => `/my?bots=${red.player.cleanName}`),
      ...spread(event?.fights ?? [], 8).flatMap(({ id: game, red: { player } }) => [
        `/tournaments/${shownEvent}/fights/${game}`,
        `/w/${shownEvent}/${game}`,
        `/bots/${player.cleanName}/upcoming`,
        `/b/${player.cleanName}`,
        `/overlay/bot/${player.cleanName}`,
      ]),
    ]
    yield {
      name: `replay-${part}`,
      app: appOf(serviceOf(archive, to)),
      headers: browser,
      addresses: new Map([['timed', paths]]),
    }
  }
}

/** Clients of two months: those of each month have pseudonyms of their own. */
const allClients = 15

/**
 * Requests of two months, by a clock that is set. Pseudonyms are drawn, and again where two of them have one register
 * of a sketch, as in one of 20 draws, by which a client less is counted.
 */
const countedUsage = async (now: number, draws = 20): Promise<Usage> => {
  const random = createRandom(1)
  const clock = { ms: 0 }
  const usage = createUsage({ now: () => clock.ms })
  for (let day = 60; day >= 0; day -= 1) {
    clock.ms = (now - day * 86_400) * 1000
    for (let request = day % 7; request < 9; request += 1)
      usage.record(
        answered({
          route: random.pick(['/fights', '/bots/:bot', '/usage', '(unmatched)']),
          status: random.pick([200, 200, 304, 404, 500]),
          durationUs: random.int(1, 10) ** 6,
          bytes: random.int(0, 9) ** 7,
          sender: `192.0.2.${random.int(1, 5)}`,
          key: random.pick([null, null, 'axe-app', 'x'.repeat(99)]),
        }),
      )
  }
  const { uniqueClients } = await usage.report(365, undefined)
  return uniqueClients === allClients || draws === 1 ? usage : countedUsage(now, draws - 1)
}

const usageAddresses = [
  '',
  '?days=1',
  '?days=2',
  '?days=7',
  '?days=31',
  '?days=365',
  '?days=0',
  '?endpoint=/fights',
  '?endpoint=/bots/:bot&days=9',
  '?endpoint=/none',
  '?endpoint=(unmatched)',
].map((query) => `/usage${query}`)

/**
 * Texts of every kind that `bun run bench search` measures, in its league: costs and limits decide what they find and
 * mark. Beside them beginnings of names up to their first sign or letter of another script.
 */
const searchSite = (now: number): Site => {
  const archive = archiveOfScale(1)
  const drawn = drawQueries(archive.bots, createRandom(1), 12).flatMap(({ queries }) => queries)
  const begun = archive.bots.flatMap(({ name }) => /^.*?[^\w\s].?/u.exec(name) ?? [])
  const texts = [...drawn.map(({ text }) => text), ...spread(begun, 50)].map(encodeURIComponent)
  const addresses = new Map([
    ['/search', spread(texts, texts.length / 2).map((q) => `/search?limit=5&q=${q}`)],
    ['/autocomplete', texts.map((q) => `/autocomplete?limit=5&kind=bot,pair,tournament&q=${q}`)],
  ])
  return { name: 'searches', app: appOf(serviceOf(archive, now)), headers: {}, addresses }
}

/** Each is built when the one before it is done with. */
export async function* sites(): AsyncGenerator<Site> {
  const league = await loadPageLeague()
  const siteOf = (
    name: string,
    league: PageLeague,
    most: number,
    options: Parameters<typeof appOf>[1] = {},
    headers: Site['headers'] = browser,
  ): Site => {
    const archive = archiveOfLeague(league)
    const usage = createUsage({ now: () => league.now * 1000 })
    const app = appOf(serviceOf(archive, league.now), { usage, ...options })
    return { name, app, headers, addresses: everywhere(archive, most) }
  }
  yield drawnImports(league)
  yield drawnEvents(league)
  yield siteOf('sample', league, 10, {}, {})
  yield siteOf('odd', shaken(withHostileNames(league), 1, 0.05), 7)
  yield siteOf('odder', shaken(league, 2, 0.2), 7)
  yield siteOf('settings', league, 3, {
    timeZone: 'America/New_York',
    ratings: false,
    streamBase: 'https://streams.example/',
    dataLicense: { name: 'CC BY 4.0', url: 'https://licence.example' },
    publicUrl: 'https://league.example/front',
  })
  yield siteOf('empty', { tournaments: [], cages: noCages, now: league.now }, 2)
  yield {
    name: 'usage',
    app: appOf(serviceOf(archiveOf(), league.now), { usage: await countedUsage(league.now) }),
    headers: browser,
    addresses: new Map([['usage', usageAddresses]]),
  }
  yield searchSite(league.now)
  yield* replaySites()
}
