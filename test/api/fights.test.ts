import { describe, expect, test } from 'bun:test'
import type { RecordingRow } from '../../src/data/source/rows.ts'
import { appOf, archiveOf, get } from '../fixtures.ts'
import { fightRows, playersNamed, recordingRow, tournamentOf } from '../rows.ts'

const bots = [
  { id: 'a', name: 'Axe!', seed: 3 },
  { id: 'b', name: 'Ünder "<b>', isDisqualified: true },
]
const start = 1_770_000_100
const appWith = (
  fight: Parameters<typeof fightRows>[0] = {},
  recordings: readonly Partial<RecordingRow>[] = [],
  winner: 0 | 1 | null = 0,
) =>
  appOf(
    archiveOf(
      tournamentOf(
        {},
        bots,
        [fightRows({ startTime: start, stopTime: start + 90, ...fight }, 'a', 'b', winner)],
        {
          recordings: recordings.map((over, index) => recordingRow({ id: index + 1, ...over })),
          judgeLines: [
            { gameId: 'W-0', idx: 0, line: 'Judge 1: damage 3-2' },
            { gameId: 'W-0', idx: 1, line: 'Judge 2: unanimous' },
          ],
        },
      ),
    ),
  )
const fightPath = '/tournaments/spring_30lb/fights/W-0'

describe('GET /tournaments/:tournamentID/fights/:gameID', () => {
  test('a corner has every value as text', async () => {
    const { fight } = (await get(appWith({ loserPlacement: 2 }), fightPath)).body
    expect(fight.player1).toEqual({
      name: 'Axe!',
      gameID: 'W-0',
      tournamentID: 'spring_30lb',
      slotIdx: '0',
      playerID: 'a',
      prevGameID: '',
      score: '1',
      isWinner: '1',
      isReady: '0',
      cleanName: 'axe',
      seed: '3',
      wins: '1',
      losses: '0',
      isBye: '0',
      isDisqualified: '0',
      team: '',
      driver: '',
      round: '0',
      scoreToWin: '1',
      state: 'done',
      winAnnotation: 'KO',
      loserPlacement: '2',
      startTime: String(start),
      stopTime: String(start + 90),
      duration: '90',
      judgesString: 'Judge 1: damage 3-2<br>Judge 2: unanimous',
      roundName: 'Finals',
    })
    expect(fight.player2).toMatchObject({
      slotIdx: '1',
      name: 'Ünder "<b>',
      cleanName: 'underb',
      isWinner: '0',
      seed: '',
      isDisqualified: '1',
      losses: '1',
    })
    expect(fight.tournament).toEqual({
      name: 'Spring 30lb',
      numPlayers: '2',
      WeightClass: '30',
      weightClassName: '',
      active: '0',
      isTest: '0',
      isFreestyle: '0',
      privacy: 'public',
    })
  })

  test('a fight that has not begun has no times, no result and no length', async () => {
    const app = appWith(
      {
        state: 'available',
        startTime: null,
        stopTime: null,
        endTime: null,
        winAnnotation: null,
        cage: null,
      },
      [],
      null,
    )
    const { fight } = (await get(app, fightPath)).body
    expect(fight.player1).toMatchObject({
      state: 'pending',
      startTime: '0',
      stopTime: '0',
      duration: '0',
      winAnnotation: '',
      score: '',
      isWinner: '0',
      wins: '0',
    })
    const { fights } = (await get(app, '/tournaments/spring_30lb/fights')).body
    expect(fights[0]).toMatchObject({
      cage: '',
      startTime: 0,
      stopTime: 0,
      endTime: 0,
      matchLength: 0,
      player1wins: 0,
      player2wins: 0,
      winAnnotation: '',
      cams: 0,
    })
    expect((await get(app, '/fights/recent')).body.fights).toEqual([])
    expect((await get(app, '/fights/last24h')).body).toEqual({ fights: [], count: 0 })
    expect((await get(app, '/fights')).body.fights).toHaveLength(1)
  })
})

describe('recordings', () => {
  test('recordings name the proxies that exist, beside the original or elsewhere', async () => {
    const app = appWith({}, [
      { videoUrl: 'https://media.example/v1.2/Cage-2_16-13-01.984.mp4', proxy360Url: null },
      { videoUrl: 'https://media.example/no-extension', httpStatus: null, startMs: null },
      { videoUrl: null, httpStatus: 404 },
      {
        videoUrl: 'https://media.example/four.mp4',
        proxy720Url: 'https://small.example/4.webm',
        proxy72Url: 'https://media.example/four_720p.mp4',
      },
    ])
    const { recordings } = (await get(app, fightPath)).body.fight
    expect(recordings[0]).toEqual({
      recordingID: '1',
      gameID: 'W-0',
      tournamentID: 'spring_30lb',
      cage: 'Cage 2',
      camera: 'Cage-2-Overhead-High',
      kind: 'file',
      page: '',
      s3path: 'https://media.example/v1.2/Cage-2_16-13-01.984.mp4',
      s3http: '200',
      proxy720: 'https://media.example/v1.2/Cage-2_16-13-01.984_720p.mp4',
      proxy360: '',
      proxy72: 'https://media.example/v1.2/Cage-2_16-13-01.984_72p.mp4',
      startTime: '1770000040250',
      fightStartOffset: '59.75',
    })
    expect(recordings[1]).toMatchObject({
      s3http: '',
      proxy72: 'https://media.example/no-extension_72p',
      startTime: '',
    })
    expect(recordings[2]).toMatchObject({ s3path: '', s3http: '404', proxy720: '' })
    expect(recordings[3]).toMatchObject({
      proxy720: 'https://small.example/4.webm',
      proxy360: 'https://media.example/four_360p.mp4',
      proxy72: 'https://media.example/four_720p.mp4',
    })
    const feed = (await get(app, '/video-feeds/3')).body.videoFeed
    expect(feed).toMatchObject({ recordingID: 3, s3http: 404, s3path: '', red: 'Axe!' })
  })

  const at = (offsetMs: number) => ({ startMs: start * 1000 + offsetMs })
  test.each([
    ['the offset of the only film', [at(-60_250)], 60.25],
    ['the offset of the film that began first', [at(-60_000), at(-61_001), at(-59_000)], 61.001],
    [
      'not the offset of a film that cannot be fetched',
      [{ ...at(-70_000), httpStatus: 404 }, at(-60_000)],
      60,
    ],
    ['not the offset of a film without a start', [{ startMs: null }, at(-60_000)], 60],
    ['0 for a film that begins with the fight', [at(0)], 0],
    ['null if all films began too late', [at(5000)], null],
    ['null without a start', [{ startMs: null }], null],
    ['null without films', [], null],
  ])('fightStartOffset is %s', async (_, recordings, offset) => {
    const app = appWith({}, recordings)
    expect((await get(app, fightPath)).body.fight.fightStartOffset).toBe(offset)
    expect((await get(app, '/fights/recent')).body.fights[0].fightStartOffset).toBe(offset)
    const feeds = await get(app, '/video-feeds/fight/spring_30lb/W-0')
    expect(feeds.body.fightStartOffset).toBe(offset)
    expect(feeds.body.recordings).toHaveLength(recordings.length)
    const { fights } = (await get(app, '/fights')).body
    expect(fights[0].cams).toBe(recordings.length)
  })

  test('the preview is the 72p film of the first camera that has one', async () => {
    const app = appWith({}, [{ proxy72Url: null }, { videoUrl: null }, { id: 8 }, { id: 9 }])
    const url = 'https://media.example/film-8_72p.mp4'
    expect((await get(app, '/fights/recent')).body.fights[0].proxy72).toBe(url)
    expect((await get(app, '/fights/last24h')).body.fights[0].proxy72).toBe(url)
    const none = appWith({}, [{ proxy72Url: null }])
    expect((await get(none, '/fights/recent')).body.fights[0].proxy72).toBeNull()
  })

  test.each([
    [{}, 0, 'Axe! wins by KO'],
    [{}, 1, 'Ünder "<b> wins by KO'],
    [{ winAnnotation: null }, 0, 'Axe! wins'],
    [{ winAnnotation: 'FF' }, null, 'No winner by FF'],
    [{ state: 'active', stopTime: null, winAnnotation: null }, null, ''],
  ] as const)('the result of %p won by %p is "%s"', async (fight, winner, result) => {
    const app = appWith(fight, [{}], winner)
    expect((await get(app, '/video-feeds/1')).body.videoFeed.result).toBe(result)
  })
})

test.each([
  [{ state: 'done', winAnnotation: 'KO' }, 0, 'player1'],
  [{ state: 'done', winAnnotation: 'KO' }, 1, 'player2'],
  [{ state: 'done', winAnnotation: 'DF' }, null, 'draw'],
  [{ state: 'done', winAnnotation: null }, null, null],
  [{ state: 'active', winAnnotation: 'KO' }, 0, null],
] as const)('winner of %j won by %p is %p in every row', async (game, winner, expected) => {
  const archive = archiveOf(
    tournamentOf({ id: 'cup' }, playersNamed('Axe', 'Bolt'), [fightRows(game, 'p0', 'p1', winner)]),
  )
  for (const path of ['/fights', '/fights/recent', '/tournaments/cup/fights', '/bots/axe/fights']) {
    const { body } = await get(appOf(archive), path)
    for (const fight of body.fights) expect([path, fight.winner]).toEqual([path, expected])
  }
})
