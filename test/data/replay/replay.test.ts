import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { App } from '../../../src/app.ts'
import { createChanges } from '../../../src/companions/changes/changes.ts'
import { tournamentRows } from '../../../src/companions/changes/rows.ts'
import type { Change } from '../../../src/companions/changes/schema.ts'
import type { Archive, OpenedService } from '../../../src/data/archive/archive.ts'
import type { LoadedLeague } from '../../../src/data/archive/loadedLeague.ts'
import { openSnapshot } from '../../../src/data/following/fromSnapshot.ts'
import { openReplay, type ReplayOptions } from '../../../src/data/replay/openReplay.ts'
import { buildTimeline, dateTime, type Timeline } from '../../../src/data/replay/timeline.ts'
import { checkTournament } from '../../../src/data/source/check.ts'
import { readSnapshot, type Snapshot, writeSnapshot } from '../../../src/data/source/snapshot.ts'
import { isPublic } from '../../../src/data/source/visibility.ts'
import { buildExpectations } from '../../../src/derived/live/expected.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { answerAt, bodyAt } from '../../addresses.ts'
import { apply, comparable, stateOf } from '../../changes.ts'
import { addressesByRoute, someAddressesOf, spread } from '../../everyAddress.ts'
import { appOf, get, serviceOf } from '../../fixtures.ts'
import { temporaryFolder } from '../../process.ts'
import { tournamentOf } from '../../rows.ts'
import { lateSample } from '../../smallLeague.ts'
import { walk } from '../../walk.ts'

const sampleFile = join(await temporaryFolder(), 'sample.cageside')
await writeSnapshot(sampleFile, lateSample)
const log = createLog('silent')

/** End of each fight of the sample by its row; undefined without times. */
interface Finish {
  readonly tournamentID: string
  readonly unix: number | undefined
}

let snapshot: Snapshot
let timeline: Timeline
/** The done fights, by tournament and game. */
const finishes = new Map<string, Finish>()
beforeAll(async () => {
  snapshot = await readSnapshot(sampleFile)
  timeline = await buildTimeline(snapshot, 'auto')
  for (const unchecked of snapshot.tournaments()) {
    const rows = checkTournament(unchecked, () => undefined)
    if (!rows || !isPublic(rows.tournament)) continue
    const bots = new Set(
      rows.players
        .filter(({ isBye, name }) => !isBye && !name.startsWith('Bracket Seed'))
        .map(({ id }) => id),
    )
    for (const { id, state, startTime, stopTime, endTime } of rows.games) {
      const own = rows.slots.filter(({ gameId }) => gameId === id)
      if (state !== 'done' || !own.every(({ playerId }) => bots.has(playerId ?? ''))) continue
      const unix = stopTime ?? endTime ?? undefined
      // A fight that began without a known end has only a certain start.
      finishes.set(`${rows.tournament.id} ${id}`, {
        tournamentID: rows.tournament.id,
        unix: unix ?? (startTime === null ? undefined : Number.NaN),
      })
    }
  }
})

const leagueAt = (unix: number): Promise<LoadedLeague> =>
  timeline.move(timeline.first, timeline.startsAt, unix)

const archiveAt = async (unix: number): Promise<Archive> => {
  const { archive } = await leagueAt(unix)
  if (!archive) throw new Error('there is no archive')
  return archive
}

const outcomes = ['player1wins', 'player2wins', 'stopTime', 'endTime', 'matchLength'] as const
const laterByRight = new Set(['scheduledTime', 'scheduledStartTime'])

/** Everything in a body that is not known yet at a moment. */
const leaks = (value: unknown, unix: number, path = ''): readonly string[] => {
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => leaks(each, unix, `${path}[${index}]`))
  }
  if (typeof value !== 'object' || value === null) return []
  const fields = new Map<string, unknown>(Object.entries(value))
  const finish = finishes.get(
    `${fields.get('tournamentID')} ${fields.get('gameID') ?? fields.get('id')}`,
  )?.unix
  const isOpen = finish !== undefined && finish > unix
  const told = isOpen
    ? [
        ...outcomes.filter((name) => Number(fields.get(name) ?? 0) !== 0),
        ...(fields.get('winAnnotation') ? ['winAnnotation'] : []),
        ...(String(fields.get('isWinner') ?? 0) === '1' ? ['isWinner'] : []),
        ...(fields.get('judgesString') ? ['judgesString'] : []),
        ...(Array.isArray(fields.get('recordings')) &&
        JSON.stringify(fields.get('recordings')) !== '[]'
          ? ['recordings']
          : []),
        ...(fields.get('loserPlacement') && fields.get('state') === 'done' ? ['state'] : []),
      ]
    : []
  const early = [...fields].flatMap(([name, field]) => {
    if (!/(Time|Since|Meeting)$/.test(name) || laterByRight.has(name)) return []
    const moment =
      typeof field === 'string' && /^\d{4}-.*Z$/.test(field)
        ? Date.parse(field) / 1000
        : Number(field)
    // Durations are small, and a recording's start is in milliseconds.
    const seconds = moment > 1e11 ? moment / 1000 : moment
    return seconds > unix ? [name] : []
  })
  return [
    ...[...told, ...early].map((name) => `${path}.${name} = ${JSON.stringify(fields.get(name))}`),
    ...[...fields].flatMap(([name, field]) => leaks(field, unix, `${path}.${name}`)),
  ]
}

/** Addresses of the tournaments under way at the start of a replay, of their bots, and some others of each route. */
const addressesAt = (archive: Archive, start = archive): readonly string[] => {
  const moving = start.dataset.tournaments.filter(({ info }) => info.active)
  const names = new Set(
    moving.flatMap(({ players }) => players.map(({ player }) => player.cleanName)),
  )
  const changing = new Set([...moving.map(({ info }) => info.id), ...names])
  const isChanging = (path: string): boolean =>
    path.split(/[/?&=]/).some((part) => changing.has(decodeURIComponent(part)))
  return [
    ...addressesByRoute(archive).flatMap(({ addresses }) => [
      ...spread(addresses.filter(isChanging), 60),
      ...spread(
        addresses.filter((path) => !isChanging(path)),
        20,
      ),
    ]),
    ...spread([...names], 40).flatMap((name) => [`/search?q=${name}`, `/autocomplete?q=${name}`]),
  ]
}

const readAll = async (archive: Archive, unix: number, addresses = addressesAt(archive)) => {
  const app = appOf(serviceOf(archive, unix))
  const found: string[] = []
  for (const path of addresses) {
    const body = await bodyAt(app, path)
    const json: unknown = body.startsWith('200 {') ? JSON.parse(body.slice(4)) : {}
    found.push(...leaks(json, unix).map((leak) => `${path}: ${leak}`))
  }
  return { app, found }
}

const shares = [0.03, 0.48, 0.94]

test('outcomes of the whole league are found as leaks before their time', async () => {
  const service = openSnapshot(sampleFile, log)
  await service.firstLoad
  const archive = service.archive()
  if (!archive) throw new Error('there is no archive')
  const { found } = await readAll(archive, timeline.startsAt, someAddressesOf(archive, 20))
  for (const field of ['player1wins', 'winAnnotation', 'isWinner', 'stopTime', 'recordings'])
    expect(found.some((leak) => leak.includes(`.${field} = `))).toBe(true)
})

describe('a replay of the sample', () => {
  test.each(shares)(
    'a replay tells no result before its time, %p through its event',
    async (share) => {
      const { startsAt, endsAt } = timeline
      const unix = Math.floor(startsAt + share * (endsAt - startsAt))
      const archive = await archiveAt(unix)
      const { app, found } = await readAll(archive, unix)
      expect(found).toEqual([])

      const known = [...finishes.values()].filter((finish) => Number(finish.unix) <= unix)
      const uncertain = [...finishes.values()].filter(
        ({ unix }) => unix === undefined || Number.isNaN(unix),
      )
      const { body } = await get(app, '/health')
      expect(body.counts.completedFights).toBeGreaterThanOrEqual(known.length)
      expect(body.counts.completedFights).toBeLessThanOrEqual(known.length + uncertain.length)
      // A player whose clean name is empty is no bot, and one bot may be in both corners.
      const corners = archive.dataset.fights
        .filter(({ isCompleted }) => isCompleted)
        .flatMap(({ red, blue }) => [...new Set([red.player.cleanName, blue.player.cleanName])])
        .filter((cleanName) => cleanName !== '')
      const counted = archive.bots.reduce((sum, { totals }) => sum + totals.fights, 0)
      expect(counted).toBe(corners.length)
    },
  )

  test('a replay is consistent for a client that follows every id', async () => {
    const unix = Math.floor((timeline.startsAt + timeline.endsAt) / 2)
    const app = appOf(serviceOf(await archiveAt(unix), unix))
    const found = await walk(async (path) => (await get(app, path)).body)
    expect(found.fights.size).toBeGreaterThan(400)
  })

  test('a replay in steps equals a replay at once, and takes nothing back', async () => {
    let league = timeline.first
    let done = new Set<string>()
    let unix = timeline.startsAt
    for (let step = 0; unix < timeline.endsAt; step += 1) {
      const next = step % 3 ? timeline.nextChangeAfter(unix) : unix + 131
      const to = Math.min(timeline.endsAt, next)
      const before = league
      league = await timeline.move(league, unix, to)
      unix = to
      const fights = league.archive?.dataset.fights ?? []
      const doneNow = new Set(
        fights.flatMap(({ tournament, id, state }) =>
          state === 'done' ? `${tournament.id} ${id}` : [],
        ),
      )
      expect(done.difference(doneNow).size).toBe(0)
      done = doneNow
      const shared = [...league.entries].filter(([id, entry]) => before.entries.get(id) === entry)
      expect(shared.length).toBeGreaterThanOrEqual(league.entries.size - 4)
    }
    const middle = Math.floor((timeline.startsAt + timeline.endsAt) / 2)
    const atOnce = await buildTimeline(snapshot, middle)
    const later = await leagueAt(middle)
    expect(atOnce.first.archive?.version).toBe(String(later.archive?.version))
    const back = await timeline.move(league, unix, timeline.startsAt)
    expect(back.archive?.version).toBe(String(timeline.first.archive?.version))
  })

  test('a replay of an earlier event shows that event and nothing later', async () => {
    const at = Date.parse('2026-02-14T19:00:00Z') / 1000
    const february = await buildTimeline(snapshot, at)
    expect(february.endsAt).toBe(february.finalAt)
    const { archive } = await february.move(february.first, at, february.endsAt)
    if (!archive) throw new Error('there is no archive')
    const addresses = addressesAt(archive, february.first.archive)
    const { found } = await readAll(archive, february.endsAt, addresses)
    expect(found).toEqual([])
    expect(archive.dataset.tournaments.filter(({ info }) => info.active)).toHaveLength(0)
    expect(archive.dataset.tournamentsByID.has('cg_mar26_12lb')).toBe(true)
  })
})

/** The fights that wait for a break to end at a time, by cage. */
const breaksOf = ({ dataset, cages }: Archive, now: number) => {
  const expected = buildExpectations(dataset, cages, now)
  return Object.values(cages).map((cage) => ({
    cage,
    waiting: [cage.fight, ...cage.queue].flatMap((fight) =>
      fight && expected.get(fight)?.isPaused ? fight.id : [],
    ),
  }))
}

test('no cage has a break while its next fight is called, or at the start of an event', async () => {
  const from = Date.parse('2026-03-14T18:00:00Z') / 1000
  const { first, endsAt, move } = await buildTimeline(snapshot, from)
  let league = first
  for (let unix = from; unix < endsAt; unix += 120) {
    league = await move(league, unix - 120, unix)
    if (!league.archive) throw new Error('there is no archive')
    for (const { cage, waiting } of breaksOf(league.archive, unix)) {
      const isIdle = cage.status === 'idle' && cage.queue[0]?.waitsAs !== 'called'
      if (!isIdle || unix < from + 1800)
        expect([dateTime(unix), waiting]).toEqual([dateTime(unix), []])
    }
  }
})

test('a sample served for a day still has an event under way', async () => {
  let ms = 0
  const service = openSnapshot(sampleFile, log, undefined, undefined, true, () => ms)
  await service.firstLoad
  expect(service.now()).toBe(snapshot.capturedAt)
  ms = 60_000
  expect(service.now()).toBe(snapshot.capturedAt + 60)
  ms = 86_400_000
  const archive = service.archive()
  if (!archive) throw new Error('there is no archive')
  expect(breaksOf(archive, service.now()).flatMap(({ waiting }) => waiting)).toEqual([])
  await service.stop()
})

/** The part of a change sink that a replay does not use. */
const unused = {
  found: async () => false,
  compare: async () => undefined,
  beforeSave: async () => true,
}

/** A replay at five times the highest setting: half an hour takes 0.6 s. */
const replayOf = async (
  options: Partial<ReplayOptions> & Pick<ReplayOptions, 'at'>,
  path = sampleFile,
) => {
  const epochs: Archive[][] = []
  const service = openReplay(path, {
    speed: 3000,
    loop: false,
    log,
    minStepMs: 0,
    lingerMs: 0,
    changes: {
      ...unused,
      begin: (archive) => epochs.push([archive]),
      swapped: (archive) => epochs.at(-1)?.push(archive),
    },
    ...options,
  })
  await service.firstLoad
  return { service, epochs }
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await Bun.sleep(5)
}
const fixed = (service: OpenedService, now: number): App => appOf({ ...service, now: () => now })

describe('a replay that is over', () => {
  test('a finished replay is the snapshot, byte for byte at addresses of every route', async () => {
    const { service, epochs } = await replayOf({ at: snapshot.capturedAt - 1800 })
    const plain = openSnapshot(sampleFile, log)
    await plain.firstLoad
    const first = epochs[0]?.[0]
    await until(() => service.now() >= snapshot.capturedAt && service.status().currentAt !== null)
    await until(() => service.archive()?.version === plain.archive()?.version)
    expect(first?.version).not.toBe(String(plain.archive()?.version))
    // The number of steps depends on the machine.
    expect(epochs[0]?.length).toBeGreaterThan(1)
    // Time then passes at its normal speed.
    const [over, startedMs] = [service.now(), performance.now()]
    await Bun.sleep(20)
    const passed = service.now() - over
    expect(passed).toBeWithin(0, 2 + (performance.now() - startedMs) / 1000)
    const archive = plain.archive()
    if (!archive) throw new Error('there is no archive')
    const [ours, theirs] = [service, plain].map((each) => fixed(each, snapshot.capturedAt))
    if (!ours || !theirs) throw new Error('there is no app')
    for (const path of someAddressesOf(archive, 20)) {
      const [own, other] = [await answerAt(ours, path), await answerAt(theirs, path)]
      if (own !== other) expect([path, own]).toEqual([path, other])
    }
    await service.stop()
  })

  test('the changes of a replay lead from its start to its end, with no result before its time', async () => {
    const changes = createChanges()
    const everything = { types: undefined, bots: undefined, tournament: undefined }
    const early: string[] = []
    let clock = (): number => 0
    changes.feed.subscribe((entries) => {
      for (const { text } of entries) {
        const { type, url, after } = JSON.parse(text)
        if (type === 'fight.ended' && after.stopTime > clock()) early.push(url)
      }
    })
    const at = snapshot.capturedAt - 1800
    let clockMs = 0
    const { service } = await replayOf({
      ...{ at, speed: 600, changes: changes.feed },
      clockMs: () => clockMs,
    })
    clock = service.now
    await changes.feed.ready
    const first = service.archive()
    if (!first) throw new Error('there is no archive')
    let place = changes.feed.end()
    let state = stateOf(first)
    let endings = 0
    // Time passes only from here on, and only while the process runs.
    const ticks = setInterval(() => {
      clockMs += 10
    }, 10)
    await until(() => service.now() >= snapshot.capturedAt && service.status().currentAt !== null)
    clearInterval(ticks)
    await service.stop()
    await changes.feed.stop()
    const last = service.archive()
    if (!last) throw new Error('there is no archive')
    for (let more = true; more; ) {
      const page = await changes.feed.read(place, everything, 100)
      if (!page) throw new Error('the cursor is gone')
      for (const { text } of page.entries) {
        const change: Change = JSON.parse(text)
        endings += Number(change.type === 'fight.ended')
        state = apply(state, change, (id) => {
          const tournament = last.dataset.tournamentsByID.get(id)
          return tournament && tournamentRows(tournament)
        })
      }
      ;({ more, place } = page)
    }
    expect(endings).toBeGreaterThan(3)
    expect(early).toEqual([])
    const end = stateOf(last)
    const known = { ...end, bots: stateOf(first).bots }
    expect(comparable(state, known)).toEqual(comparable(end, known))
  })

  test('a replay in a loop starts over with a new epoch and consistent answers', async () => {
    const at = snapshot.capturedAt - 1200
    const { service, epochs } = await replayOf({ at, loop: true })
    const app = appOf(service)
    let [last, wentBack] = [0, false]
    while (epochs.length < 3) {
      const now = service.now()
      wentBack ||= now < last
      last = now
      const { body } = await get(app, '/schedule')
      // The replay started over in between.
      if (service.now() < now) continue
      for (const { status, scheduledTime } of body.matches) {
        if (status === 'Starting Soon') expect(scheduledTime).toBeGreaterThanOrEqual(now - 120)
      }
      await Bun.sleep(10)
    }
    expect(wentBack).toBe(true)
    expect(epochs[1]?.[0]?.version).toBe(String(epochs[0]?.[0]?.version))
    await service.stop()
  })
})

test('a snapshot without fights cannot be replayed', async () => {
  const path = join(await temporaryFolder(), 'empty.cageside')
  const tournaments = [tournamentOf({}, [], [])]
  await writeSnapshot(path, { capturedAt: 1_770_000_000, cages: [], cageQueue: [], tournaments })
  await expect(replayOf({ at: 'auto' }, path)).rejects.toThrow(
    'REPLAY needs a snapshot with fights that took place',
  )
})
