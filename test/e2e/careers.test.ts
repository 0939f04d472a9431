import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { generateLeague } from '../../scripts/league/league.ts'
import type { App } from '../../src/app.ts'
import { openSnapshot } from '../../src/data/archive/fromSnapshot.ts'
import { buildTournament } from '../../src/data/league/build.ts'
import { checkTournament } from '../../src/data/source/check.ts'
import { readSnapshot } from '../../src/data/source/snapshot.ts'
import { createLog } from '../../src/runtime/log.ts'
import { appOf, get } from '../fixtures.ts'
import { present } from '../present.ts'
import { projectFolder } from '../process.ts'
import { isCompleted } from '../walk.ts'
import { recountOrder } from './orderOfPlay.ts'

/** A fight as a client sees it. */
interface Row {
  readonly tournamentID: string
  readonly tournamentName: string
  readonly gameID: string
  readonly player1: string
  readonly player2: string
  readonly player1clean: string
  readonly player2clean: string
  readonly player1wins: number
  readonly player2wins: number
  readonly winAnnotation: string
  readonly startTime: number
  readonly stopTime: number
  readonly endTime: number
  readonly weightClass: number
}

const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits
const rate = (part: number, all: number) => (all ? round(part / all, 4) : 0)
const tally = (rows: readonly Row[]) => {
  const counts: Record<string, number> = {}
  for (const { winAnnotation } of rows) counts[winAnnotation] = (counts[winAnnotation] ?? 0) + 1
  return counts
}
const lengths = (rows: readonly Row[]) =>
  rows
    .filter(({ startTime, stopTime }) => startTime > 0 && stopTime > startTime)
    .map(({ startTime, stopTime }) => stopTime - startTime)
    .sort((a, b) => a - b)
const mean = (values: readonly number[]) =>
  values.length ? round(values.reduce((a, b) => a + b, 0) / values.length, 2) : 0
const median = (values: readonly number[]) => {
  const half = values.length / 2
  if (values.length === 0) return 0
  return Number.isInteger(half)
    ? ((values[half - 1] ?? 0) + (values[half] ?? 0)) / 2
    : (values[Math.floor(half)] ?? 0)
}

/** A bot's record from fight rows alone. */
const recompute = (rows: readonly Row[], bot: string) => {
  const own = rows.filter((row) => row.player1clean === bot || row.player2clean === bot)
  const won = own.filter(
    (row) =>
      (row.player1clean === bot && row.player1wins) ||
      (row.player2clean === bot && row.player2wins),
  )
  const lost = own.filter(
    (row) =>
      (row.player1clean === bot && row.player2wins) ||
      (row.player2clean === bot && row.player1wins),
  )
  const knockouts = won.filter(({ winAnnotation }) => ['KO', 'TKO'].includes(winAnnotation))
  return { own, won, lost, knockouts, seconds: lengths(own) }
}

describe('every number of the sample, from nothing but the fights of its tournaments', () => {
  let app: App
  const rows: Row[] = []
  const all: Row[] = []
  const bots = new Set<string>()
  const orders = new Map<string, ReturnType<typeof recountOrder>>()
  const finish = (row: Row | undefined): number =>
    (row && orders.get(row.tournamentID)?.moments.get(row.gameID)) ?? 0
  beforeAll(async () => {
    const service = openSnapshot(
      join(projectFolder, 'snapshot/sample.cageside'),
      createLog('silent'),
    )
    await service.firstLoad
    app = appOf(service)
    const snapshot = await readSnapshot(join(projectFolder, 'snapshot/sample.cageside'))
    for (const unchecked of snapshot.tournaments()) {
      const checked = present(checkTournament(unchecked, () => undefined))
      orders.set(checked.tournament.id, recountOrder(checked))
    }
    for (const { tournamentID } of (await get(app, '/tournaments')).body.tournaments) {
      const { fights } = (await get(app, `/tournaments/${tournamentID}/fights`)).body
      all.push(...fights)
    }
    rows.push(...all.filter(isCompleted))
    const rank = ({ tournamentID, gameID }: Row): number =>
      orders.get(tournamentID)?.ids.indexOf(gameID) ?? 0
    rows.sort(
      (a, b) =>
        finish(b) - finish(a) ||
        (a.tournamentID > b.tournamentID ? -1 : a.tournamentID < b.tournamentID ? 1 : 0) ||
        rank(b) - rank(a),
    )
    for (const { player1clean, player2clean } of rows) bots.add(player1clean).add(player2clean)
    bots.delete('')
  })

  test('careers', async () => {
    expect(bots.size).toBeGreaterThan(300)
    for (const bot of bots) {
      const { own, won, lost, knockouts, seconds } = recompute(rows, bot)
      const stats = (await get(app, `/bots/${bot}`)).body.bot
      expect(stats).toMatchObject({
        cleanName: bot,
        totalFights: own.length,
        totalWins: won.length,
        totalLosses: lost.length,
        totalTournaments: new Set(own.map(({ tournamentID }) => tournamentID)).size,
        winRate: rate(won.length, own.length),
        koRate: rate(knockouts.length, own.length),
        avgMatchDurationSeconds: mean(seconds),
        durationStats: {
          averageSeconds: mean(seconds),
          medianSeconds: median(seconds),
          totalFightTimeSeconds: seconds.reduce((a, b) => a + b, 0),
          fightsMeasured: seconds.length,
        },
        weightClasses: [...new Set(own.map(({ weightClass }) => weightClass))].sort(
          (a, b) => a - b,
        ),
        firstFightTime: finish(own.at(-1)),
        lastFightTime: finish(own[0]),
      })
      expect(stats.winMethodBreakdown).toEqual(tally(won))
      expect(stats.lossMethodBreakdown).toEqual(tally(lost))
      expect(stats.longestFight?.matchLength).toBe(seconds.at(-1))
      expect(stats.shortestFight?.matchLength).toBe(seconds[0])
      expect(stats.durationStats.longest).toEqual(stats.longestFight)
      expect(stats.durationStats.shortest).toEqual(stats.shortestFight)
      expect(stats.recentFights).toEqual(own.slice(0, 10))
      expect((await get(app, `/bots/${bot}/fights`)).body.fights).toEqual(own)

      const results = own.map((row) => {
        const [w, l] = [won.includes(row), lost.includes(row)]
        return w === l ? '-' : w ? 'W' : 'L'
      })
      const [current] = results.join('').match(/^(W+|L+)/) ?? ['']
      expect(stats.currentStreak).toEqual({ type: current[0] ?? null, length: current.length })
      const runs = results.join('').match(/W+/g) ?? []
      expect(stats.longestWinStreak).toBe(Math.max(0, ...runs.map((run) => run.length)))
    }
  })

  test('the list of bots', async () => {
    const listed = []
    for (let page = 1; ; page += 1) {
      const { body } = await get(app, `/bots?limit=200&page=${page}`)
      listed.push(...body.bots)
      if (page >= body.pagination.pages) break
    }
    const names = listed.map(({ cleanName }) => cleanName)
    expect(names).toEqual(names.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(new Set(names).size).toBe(names.length)
    for (const bot of bots) expect(names).toContain(bot)
    for (const summary of listed) {
      const { own, won, lost } = recompute(rows, summary.cleanName)
      expect(summary).toMatchObject({
        totalFights: own.length,
        totalWins: won.length,
        totalLosses: lost.length,
        winRate: rate(won.length, own.length),
        lastFightTime: finish(own[0]),
      })
    }
  })

  test('head-to-heads of a few thousand pairs', async () => {
    const pairs = new Set<string>()
    for (const { player1clean: a, player2clean: b } of rows) if (a && b) pairs.add(`${a} ${b}`)
    const names = [...bots]
    for (let i = 0; i < 1000; i += 1) {
      const other = i * 17 + Math.floor(i / names.length) + 1
      pairs.add(`${names[i % names.length]} ${names[other % names.length]}`)
    }
    expect(pairs.size).toBeGreaterThan(2000)
    const own = new Map(names.map((name) => [name, recompute(rows, name).own]))
    for (const pair of pairs) {
      const [a = '', b = ''] = pair.split(' ')
      const met = (own.get(a) ?? []).filter(
        (row) =>
          (row.player1clean === a && row.player2clean === b) ||
          (row.player1clean === b && row.player2clean === a),
      )
      const wins = (bot: string) => recompute(met, bot).won.length
      const { headToHead } = (await get(app, `/stats/head-to-head/${a}/${b}`)).body
      expect(headToHead).toMatchObject({
        bot1: { cleanName: a, wins: wins(a) },
        bot2: { cleanName: b, wins: wins(b) },
        totalFights: met.length,
        averageMatchDurationSeconds: mean(lengths(met)),
        firstMeeting: finish(met.at(-1)),
        lastMeeting: finish(met[0]),
      })
      expect(Bun.deepEquals(headToHead.fights, met)).toBe(true)
      expect(headToHead.winMethodBreakdown).toEqual(
        tally(met.filter(({ player1wins, player2wins }) => player1wins || player2wins)),
      )
    }
  })

  test('tournament statistics', async () => {
    const byTournament = Map.groupBy(all, ({ tournamentID }) => tournamentID)
    for (const [id, fights] of byTournament) {
      const completed = fights.filter(isCompleted)
      const seconds = lengths(completed)
      const { tournamentStats } = (await get(app, `/stats/tournament/${id}`)).body
      expect(tournamentStats).toMatchObject({
        totalFights: fights.length,
        completedFights: completed.length,
        averageMatchDurationSeconds: mean(seconds),
        medianMatchDurationSeconds: median(seconds),
        totalFightTimeSeconds: seconds.reduce((a, b) => a + b, 0),
      })
      let [pausedFights, totalPauses, totalPausedSeconds] = [0, 0, 0]
      for (const fight of fights) {
        const { fightStats } = (await get(app, `/stats/fight/${id}/${fight.gameID}`)).body
        if (!isCompleted(fight)) continue
        pausedFights += Number(fightStats.wasPaused)
        totalPauses += fightStats.pauseCount
        totalPausedSeconds += fightStats.pausedSeconds
      }
      expect(tournamentStats).toMatchObject({ pausedFights, totalPauses, totalPausedSeconds })
    }
    expect(byTournament.size).toBeGreaterThan(15)
  })

  test.each(['wins', 'winRate', 'koRate', 'avgMatchDuration'])(
    'leaderboards by %s',
    async (metric) => {
      for (const weightClass of [undefined, 3, 12, 30, 7]) {
        const counted = rows.filter(
          (row) => weightClass === undefined || row.weightClass === weightClass,
        )
        const candidates = [...bots].flatMap((cleanName) => {
          const { own, won, knockouts, seconds } = recompute(counted, cleanName)
          if (own.length < (metric === 'wins' ? 1 : 5)) return []
          if (metric === 'avgMatchDuration' && seconds.length === 0) return []
          const value = {
            wins: won.length,
            winRate: rate(won.length, own.length),
            koRate: rate(knockouts.length, own.length),
            avgMatchDuration: mean(seconds),
          }[metric]
          return [{ cleanName, value: value ?? 0, totalFights: own.length, totalWins: won.length }]
        })
        const sign = metric === 'avgMatchDuration' ? 1 : -1
        candidates.sort(
          (a, b) =>
            sign * (a.value - b.value) ||
            b.totalFights - a.totalFights ||
            (a.cleanName < b.cleanName ? -1 : 1),
        )
        const ranked = candidates.map((each) => ({
          rank: 1 + candidates.filter(({ value }) => sign * (value - each.value) < 0).length,
          ...each,
        }))
        for (const limit of [1, 20, 100]) {
          const query = weightClass === undefined ? '' : `&weightClass=${weightClass}`
          const { leaderboard } = (
            await get(app, `/stats/leaderboard?metric=${metric}&limit=${limit}${query}`)
          ).body
          expect(leaderboard.entries).toHaveLength(Math.min(limit, ranked.length))
          for (const [index, entry] of leaderboard.entries.entries()) {
            expect(entry).toMatchObject(ranked[index] ?? {})
          }
        }
      }
    },
  )
})

describe('placements', () => {
  test('equal a walk of every finished bracket of a whole league', () => {
    let finished = 0
    let placed = 0
    for (const rows of generateLeague({ seed: 1, scale: 1 }).tournaments) {
      const tournament = buildTournament(rows)
      const main = tournament.brackets.filter(({ isExhibition }) => !isExhibition)
      const games = main.flatMap(({ games }) => games)
      const places = new Map(
        tournament.players.map(({ player, placement }) => [player.id, placement]),
      )
      if (
        tournament.info.active ||
        games.length === 0 ||
        games.some(({ state }) => state !== 'done')
      ) {
        for (const place of places.values()) expect(place).toBeNull()
        continue
      }
      if (tournament.format.type === 'round_robin') continue
      finished += 1
      // Nobody looks at the places in the rows: who is out first, and with whom, says it all.
      const entrants = new Set<string>()
      for (const game of games) {
        for (const { player } of [game.red, game.blue]) if (player?.isBot) entrants.add(player.id)
      }
      const lastGame = new Map<string, (typeof games)[number]>()
      for (const id of entrants) {
        const own = games.filter((g) => g.red.player?.id === id || g.blue.player?.id === id)
        const feeding = new Set(
          own.flatMap((g) =>
            [g.red, g.blue].filter((c) => c.player?.id === id).map((c) => c.prevGameID),
          ),
        )
        const last = own.filter((g) => !feeding.has(g.id))
        expect(last).toHaveLength(1)
        if (last[0]) lastGame.set(id, last[0])
      }
      const final = [...lastGame.values()].filter((g) => g.loserPlacement === 2)
      const champions = [...lastGame].filter(
        ([id, g]) =>
          final.includes(g) && [g.red, g.blue].some((c) => c.player?.id === id && c.isWinner),
      )
      expect(champions.length).toBeLessThanOrEqual(1)
      for (const [id] of champions) expect(places.get(id)).toBe(1)
      // Fewer stay in after a later loss: places never get worse with a later exit in the same bracket.
      const exits = [...lastGame]
        .filter(([id, g]) => [g.red, g.blue].some((c) => c.player?.id === id && !c.isWinner))
        .map(([id, g]) => ({
          id,
          bracket: g.bracketID,
          round: g.round,
          place: places.get(id) ?? null,
        }))
      const wrong: string[] = []
      for (const a of exits) {
        for (const b of exits) {
          if (a.place === null || b.place === null || a.bracket !== b.bracket) continue
          if (a.round > b.round && a.place > b.place) wrong.push(`${a.id} ${b.id}`)
        }
      }
      // Places are those of a competition: as many better ones as the place says, but for doubles.
      const given = [...places.values()].filter((place) => place !== null).sort((a, b) => a - b)
      for (const [index, place] of given.entries()) {
        if (given[index - 1] !== place && place !== index + 1) wrong.push(`${place}`)
      }
      expect(wrong).toEqual([])
      placed += given.length
    }
    expect(finished).toBeGreaterThan(90)
    expect(placed).toBeGreaterThan(1000)
  })
})
