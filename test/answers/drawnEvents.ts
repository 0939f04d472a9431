import fc from 'fast-check'
import { loadTournament } from '../../src/data/archive/load.ts'
import { buildDataset } from '../../src/data/league/build.ts'
import { buildCages } from '../../src/data/league/cages.ts'
import type { Player, Tournament } from '../../src/data/league/types.ts'
import { cageHistory, visitsOf } from '../../src/data/replay/cages.ts'
import { busiestHour, eventsOf } from '../../src/data/replay/events.ts'
import type { GameTimes } from '../../src/data/replay/gameTimes.ts'
import { historyOf } from '../../src/data/replay/history.ts'
import type { CageRows, TournamentRows } from '../../src/data/source/rows.ts'
import { expectedAt } from '../../src/derived/live/expected.ts'
import { fightClock } from '../../src/derived/live/fightClock.ts'
import { nextGames, roundsAt } from '../../src/derived/live/rounds.ts'
import { buildSchedule, compareWaiting } from '../../src/derived/live/schedule.ts'
import { spread } from '../everyAddress.ts'
import { capturedAt, hostileRows } from '../hostileRows.ts'
import type { PageLeague } from '../pageLeague.ts'
import { cageRow } from '../rows.ts'
import { numbers, pausesOf } from './drawnImports.ts'
import { shaken } from './shaken.ts'

const cagesOver = (
  rows: TournamentRows,
  times: ReadonlyMap<string, GameTimes>,
  snapshot: CageRows,
  capturedAt: number,
) =>
  cageHistory(snapshot, visitsOf(rows, times, capturedAt), {
    waitsSince: ({ gameId }) => times.get(gameId)?.availableAt,
    capturedAt,
  })

/** Every state of a few rows in a replay. */
const replayOf = (rows: TournamentRows, seed: number) => {
  const tournamentId = rows.tournament.id
  const { times, instants, rowsAt } = historyOf(rows, capturedAt)
  const snapshot: CageRows = {
    cages: [
      cageRow({ number: 2, tournamentId, gameId: 'W-2', updateTime: capturedAt - 9999 * seed }),
    ],
    cageQueue: ['W-0', 'EX-1'].map((gameId, position) => {
      return { cage: 1, position, tournamentId, gameId }
    }),
  }
  const cages = cagesOver(rows, times, snapshot, capturedAt)
  const events = eventsOf(times.values()).map((event) => [event, busiestHour(event)])
  const states = [...instants, ...cages.instants].map((unix) => [
    unix,
    rowsAt(unix),
    cages.cagesAt(unix),
  ])
  return { events, states }
}

const namesOf = (players: readonly Player[] | undefined) =>
  players?.map(({ cleanName }) => cleanName)

/** What is expected of the fights and games of a tournament. */
const expectedIn = (own: Tournament, archive: Parameters<typeof roundsAt>[0], now: number) => {
  const { value: rounds, validUntil } = roundsAt(archive, own, now)
  const schedule = buildSchedule(archive, now)
  const paused = new Map(Object.values(archive.cages).map((cage) => [cage.fight, cage.pausedUnix]))
  return {
    expected: [...expectedAt(archive, now).fights].map(([fight, each]) => [fight.id, each]),
    schedule: schedule.map(({ fight, ...each }) => [fight.id, each]),
    waiting: schedule.toSorted(compareWaiting).map(({ fight }) => fight.id),
    clocks: own.fights.map((fight) => fightClock(fight, paused.get(fight) ?? null, now)),
    rounds: [...rounds.prospects].map(([game, { comers, notBefore }]) => [
      ...[game.id, ...comers.map(namesOf), notBefore],
    ]),
    next: own.players.map(({ player }) =>
      nextGames(rounds, player.cleanName).map((each) => [
        ...[each.game.id, each.after?.source.id, each.after?.takes, each.notBefore],
        ...[namesOf(each.opponents), each.opponentFeed?.source.id, each.opponentFeed?.takes],
      ]),
    ),
    validUntil,
  }
}

/** What is expected of an odd event while it goes on, beside the others of its league or as the first one. */
const liveOf = (league: PageLeague, seed: number) => {
  const { tournaments } = shaken(league, seed, 0.02 * (seed % 4))
  const given = tournaments[seed % tournaments.length]
  if (!given) throw new RangeError('the league is empty')
  const rows = { ...given, pauses: pausesOf(given) }
  const built = (each: TournamentRows | undefined): readonly Tournament[] => {
    const loaded = each && loadTournament(each, () => undefined)
    return loaded ? [loaded.tournament] : []
  }
  const past =
    seed % 3 === 2 ? [] : tournaments.flatMap((each) => (each === given ? [] : built(each)))
  const { times, rowsAt } = historyOf(rows, league.now)
  const cages = cagesOver(rows, times, league.cages, league.now)
  const { from, to } = eventsOf(times.values()).at(-1) ?? { from: 0, to: 0 }
  const within = (moments: readonly number[]) => moments.filter((unix) => unix > from && unix <= to)
  const moments = [
    from - 3600,
    ...spread(within(cages.instants.toSorted((a, b) => a - b)), 4),
    ...spread(within(rows.pauses.map(({ startTime }) => Math.ceil(startTime))), 2),
  ]
  return moments.flatMap((now) =>
    built(rowsAt(now)).map((own) => {
      const dataset = buildDataset([own, ...past])
      const archive = { dataset, cages: buildCages(dataset, cages.cagesAt(now)) }
      return [now, now + 60].map((unix) => expectedIn(own, archive, unix))
    }),
  )
}

/** What drawn events look like while they go on, as answers to paths. */
export const drawnEvents = (league: PageLeague) => {
  const drawn = fc.sample(hostileRows, { seed: 1, numRuns: 60 })
  const addresses = new Map([
    ['/replay', numbers(drawn.length).map((seed) => `/replay/${seed}`)],
    ['/live', numbers(8).map((seed) => `/live/${seed}`)],
  ])
  const app = async (request: Request): Promise<Response> => {
    const [, kind, number] = new URL(request.url).pathname.split('/')
    const seed = Number(number)
    const rows = drawn[seed]
    return Response.json(kind === 'replay' && rows ? replayOf(rows, seed) : liveOf(league, seed))
  }
  return { name: 'events', app, headers: {}, addresses }
}
