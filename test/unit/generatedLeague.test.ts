import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { generateLeague, parseScale, type Scale } from '../../scripts/league/league.ts'
import { cast, hiddenMarker, oddNames, rivals } from '../../scripts/league/names.ts'
import { planEvents } from '../../scripts/league/plan.ts'
import { createRandom } from '../../scripts/league/random.ts'
import * as vocabulary from '../../scripts/league/words.ts'
import { cleanName, isPlaceholderName } from '../../src/league/cleanName.ts'
import { checkCages, checkTournament } from '../../src/source/check.ts'
import type {
  GameRow,
  PlayerRow,
  RecordingRow,
  SlotRow,
  TournamentRow,
  TournamentRows,
} from '../../src/source/rows.ts'
import { isPublic } from '../../src/source/visibility.ts'
import { projectFolder, runToEnd, temporaryFolder } from '../process.ts'

interface Side {
  readonly slot: SlotRow
  readonly player: PlayerRow | undefined
}

/** A game with what is needed to judge it. */
interface Match {
  readonly rows: TournamentRows
  readonly game: GameRow
  readonly sides: readonly Side[]
  /** Between two real players. */
  readonly isFight: boolean
}

const isReal = (player: PlayerRow | undefined): boolean =>
  player !== undefined && !player.isBye && !isPlaceholderName(player.name)

const matchesOf = (rows: TournamentRows): readonly Match[] => {
  const players = new Map(rows.players.map((player) => [player.id, player]))
  const slots = Map.groupBy(rows.slots, ({ gameId }) => gameId)
  return rows.games.map((game) => {
    const sides = (slots.get(game.id) ?? []).map((slot) => ({
      slot,
      player: players.get(slot.playerId ?? ''),
    }))
    return { rows, game, sides, isFight: sides.every(({ player }) => isReal(player)) }
  })
}

const load = (seed: number, scale: Scale) => {
  const league = generateLeague({ seed, scale })
  const tournaments = [...league.tournaments]
  const matches = tournaments.flatMap(matchesOf)
  return { ...league, tournaments, matches, fights: matches.filter(({ isFight }) => isFight) }
}

const winnerOf = ({ sides }: Match): SlotRow | undefined =>
  sides.find(({ slot }) => slot.state === 'winner' || slot.state === 'winner_by_default')?.slot

const label = ({ rows, game }: Match): string => `${rows.tournament.id} ${game.id}`

const share = (part: number, whole: number): number => part / Math.max(1, whole)

/** Rows that refer to one that does not exist, and games without two corners. */
const danglingIn = (rows: TournamentRows): readonly object[] => {
  const { brackets, rounds, players, games, stills, slots } = rows
  const [bracketIds, playerIds, gameIds] = [brackets, players, games].map(
    (table) => new Set<string | null>([...table.map(({ id }) => id), null]),
  )
  const roundIds = new Set(rounds.map(({ bracketId, idx }) => `${bracketId} ${idx}`))
  const stillIds = new Set(stills.map(({ id }) => id))
  const ofGames = [slots, rows.pauses, rows.judgeLines, rows.recordings, rows.clips].flat()
  return [
    ...rounds.filter(({ bracketId }) => !bracketIds?.has(bracketId)),
    ...games.filter(({ bracketId, roundIdx }) => !roundIds.has(`${bracketId} ${roundIdx}`)),
    ...ofGames.filter(({ gameId }) => !gameIds?.has(gameId)),
    ...slots.filter(({ prevGameId }) => !gameIds?.has(prevGameId)),
    ...[...slots, ...stills].filter(({ playerId }) => !playerIds?.has(playerId)),
    ...rows.stillTags.filter(({ stillId }) => !stillIds.has(stillId)),
    ...games.filter(({ id }) => slots.filter(({ gameId }) => gameId === id).length !== 2),
  ]
}

/** Whether a corner fed by `from` belongs to the winner of that game; null for a reset. */
const takesWinner = (from: GameRow, to: GameRow, rows: TournamentRows): boolean | null => {
  const roundName = (game: GameRow) =>
    rows.rounds.find(({ bracketId, idx }) => bracketId === game.bracketId && idx === game.roundIdx)
      ?.name
  const name = roundName(to)
  if (name === 'Grand Final Reset') return null
  if (name === 'The Cusp') return true
  if (name === 'Redemption') return false
  if (name === 'Bubble') return roundName(from) === 'Redemption'
  if (from.bracketId === 'W' && to.bracketId === 'L') return false
  return to.bracketId !== 'T'
}

test('scales are the sample and whole numbers up to 100', () => {
  expect(['sample', '1', '30', '100'].map(parseScale)).toEqual(['sample', 1, 30, 100])
  for (const text of ['', '0', '101', '1.5', '-1', '01', '1e1', 'toString']) {
    expect(parseScale(text)).toBeUndefined()
  }
  expect(generateLeague({ seed: 1, scale: 2 }).tournamentCount).toBe(2 * 133)
})

const corpora = [
  ['sample, seed 1', load(1, 'sample'), [24, 1500, 400, 15_000]],
  ['sample, seed 2', load(2, 'sample'), [24, 1500, 400, 15_000]],
  ['1x', load(1, 1), [133, 12_000, 1800, 150_000]],
] as const

describe.each(corpora)('a generated league (%s)', (_, league, goals) => {
  const { tournaments, matches, fights, capturedAt, cages, cageQueue } = league
  const shown = tournaments.filter(({ tournament }) => isPublic(tournament))
  const done = matches.filter(({ game }) => game.state === 'done')
  const played = fights.filter(({ game }) => game.state === 'done' && game.winAnnotation !== 'FF')
  const realPlayers = tournaments.flatMap(({ players }) => players.filter(isReal))

  test('has rows that a source keeps as they are, and references that exist', () => {
    for (const rows of tournaments) {
      const [{ id }, problems]: [TournamentRow, unknown[]] = [rows.tournament, []]
      expect(checkTournament(rows, (bad) => problems.push(bad))).toEqual(rows)
      expect([id, problems, danglingIn(rows)]).toEqual([id, [], []])
    }
    expect(checkCages({ cages, cageQueue }, (bad) => expect(bad).toBeUndefined())).toEqual({
      cages,
      cageQueue,
    })
    expect(cages.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7])
    const known = new Set(matches.map(label))
    const inCages = [...cages.filter(({ gameId }) => gameId !== null), ...cageQueue]
    expect(inCages.filter((row) => !known.has(`${row.tournamentId} ${row.gameId}`))).toEqual([])
    for (const ids of [
      tournaments.map(({ tournament }) => tournament.id),
      tournaments.flatMap(({ recordings }) => recordings.map(({ id }) => id)),
      tournaments.flatMap(({ clips }) => clips.map(({ token }) => token)),
      tournaments.flatMap(({ stills }) => stills.flatMap(({ id, token }) => [id, token])),
    ]) {
      expect(new Set<string | number>(ids).size).toBe(ids.length)
    }
  })

  test('leads winners and losers to the game that follows', () => {
    const wrong = tournaments.flatMap((rows) => {
      const own = matchesOf(rows)
      const byId = new Map(own.map((match) => [match.game.id, match]))
      return own.flatMap((match) =>
        match.sides.flatMap(({ slot, player }) => {
          const from = byId.get(slot.prevGameId ?? '')
          if (!from) return []
          if (from.game.state !== 'done') return player ? [`${label(match)} knows too much`] : []
          const winner = winnerOf(from)
          const loser = from.sides.find((side) => side.slot !== winner)?.slot
          const role = takesWinner(from.game, match.game, rows)
          if (role === null)
            return from.sides[slot.idx]?.slot.playerId === slot.playerId ? [] : [label(match)]
          // Where both forfeited, a bye goes on.
          if (!winner) return player?.isBye ? [] : [label(match)]
          return slot.playerId === (role ? winner : loser)?.playerId ? [] : [label(match)]
        }),
      )
    })
    expect(wrong).toEqual([])
  })

  test('feeds every corner of the later rounds from one game', () => {
    const unfed = matches.filter(({ game, sides, rows }) => {
      const isFirst = game.roundIdx === 0 && game.bracketId !== 'L' && game.bracketId !== 'T'
      const isFree = rows.tournament.formatType === 'round_robin' || game.name.startsWith('X-')
      return !isFirst && !isFree && sides.some(({ slot }) => slot.prevGameId === null)
    })
    expect(unfed.map(label)).toEqual([])
  })

  test('gives everyone in a finished bracket one place', () => {
    const wrong = tournaments.flatMap((rows) => {
      const own = matchesOf(rows).filter(({ game }) => game.bracketId !== 'EX')
      const isOver = own.every(({ game }) => game.state === 'done')
      if (!isOver || rows.tournament.formatType === 'round_robin') return []
      const places = own.flatMap(({ game, sides }) =>
        sides.flatMap(({ slot }) => {
          if (game.loserPlacement === null) return []
          if (!slot.state.startsWith('winner')) return [game.loserPlacement]
          if (game.loserPlacement === 2) return [1]
          return game.bracketId === 'T' ? [3] : []
        }),
      )
      const isRight = places.every(
        (place) => places.filter((other) => other < place).length === place - 1,
      )
      return isRight && places.includes(1)
        ? []
        : [`${rows.tournament.id}: ${places.sort((a, b) => a - b)}`]
    })
    expect(wrong).toEqual([])
  })

  test('has the final alone in the last round, after the semifinals', () => {
    const wrong = tournaments.filter(({ tournament, rounds, games }) => {
      if (tournament.formatType !== 'single_elimination') return false
      const names = rounds.filter(({ bracketId }) => bracketId === 'W').map(({ name }) => name)
      const sizes = names.map(
        (_, idx) =>
          games.filter(({ bracketId, roundIdx }) => bracketId === 'W' && roundIdx === idx).length,
      )
      const isHalved = sizes.every((size, idx) => size === 2 ** (sizes.length - 1 - idx))
      return !isHalved || names.slice(-2).join() !== 'Semifinals,Finals'
    })
    expect(wrong.map(({ tournament }) => tournament.id)).toEqual([])
    const single = tournaments.filter(
      ({ tournament }) => tournament.formatType === 'single_elimination',
    )
    const withThird = single.filter(({ brackets }) => brackets.some(({ id }) => id === 'T'))
    expect(withThird.length).toBeGreaterThan(0)
    expect(share(withThird.length, single.length)).toBeLessThan(0.35)
  })

  test('keeps times in order', () => {
    const unordered = matches.filter(({ game }) => {
      const { scheduledTime, availableSince, calledSince, startTime, stopTime, endTime } = game
      const wait = game.state === 'done' || game.state === 'active' ? [scheduledTime] : []
      const times = [...wait, availableSince, calledSince, startTime, stopTime, endTime].flatMap(
        (time) => time ?? [],
      )
      return times.some((time, index) => time < (times[index - 1] ?? 0) || time > capturedAt)
    })
    expect(unordered.map(label)).toEqual([])
  })

  test('counts the clock and the pauses of every fight', () => {
    const wrong = fights.filter(({ game, rows }) => {
      const { startTime, stopTime, timerDuration } = game
      if (game.state !== 'done' || startTime === null || stopTime === null) return false
      const pauses = rows.pauses.filter(({ gameId }) => gameId === game.id)
      const paused = pauses.reduce((sum, pause) => sum + (pause.stopTime ?? 0) - pause.startTime, 0)
      const isInside = pauses.every(
        (pause) => pause.startTime >= startTime && (pause.stopTime ?? Infinity) <= stopTime,
      )
      return (
        !isInside ||
        timerDuration === null ||
        timerDuration > 180 ||
        stopTime - Math.floor(startTime) !== timerDuration + paused
      )
    })
    expect(wrong.map(label)).toEqual([])
  })

  test('has one fight at a time in a cage, and a bot in one at a time', () => {
    const spans = fights.flatMap(({ game, sides, rows }) => {
      if (game.startTime === null) return []
      const stop = game.stopTime ?? (game.state === 'active' ? capturedAt : game.startTime)
      const bots = sides.map(({ player }) => cleanName(player?.name ?? '') || (player?.name ?? ''))
      const where = `${rows.tournament.id} ${game.id}`
      return [game.cage ?? '', ...bots].map((key) => ({
        key,
        where,
        start: game.startTime ?? 0,
        stop,
      }))
    })
    const overlaps = [...Map.groupBy(spans, ({ key }) => key).values()].flatMap((own) => {
      const line = own.toSorted((a, b) => a.start - b.start)
      return line.filter((span, index) => span.start < (line[index - 1]?.stop ?? 0) + 60)
    })
    expect(overlaps).toEqual([])
  })

  test('holds results together', () => {
    const wrong = done.filter((match) => {
      const { game, sides, rows, isFight } = match
      const states = sides
        .map(({ slot }) => slot.state)
        .sort()
        .join(' ')
      const allowed = isFight
        ? [
            'loser winner',
            'tie tie',
            'loser_by_default winner_by_default',
            'loser_by_default loser_by_default',
          ]
        : ['loser_by_default winner_by_default']
      const { scoreToWin } = rows.rounds.find(
        ({ bracketId, idx }) => bracketId === game.bracketId && idx === game.roundIdx,
      ) ?? { scoreToWin: 0 }
      const scores = sides.every(({ slot }) =>
        slot.state.startsWith('winner')
          ? slot.score === scoreToWin
          : (slot.score ?? 9) < scoreToWin,
      )
      const tapped = sides.every(
        ({ slot }) => slot.tapped === (game.winAnnotation === 'TO' && slot.state === 'loser'),
      )
      const byes =
        isFight || (game.cage === null && game.startTime === null && game.stopTime === null)
      const expelled =
        game.winAnnotation !== 'DQ' ||
        sides.some(({ slot, player }) => slot.state === 'loser' && player?.isDisqualified === true)
      return (
        !allowed.includes(states) ||
        !scores ||
        !tapped ||
        !byes ||
        !expelled ||
        !sides.every(({ slot }) => slot.isReady)
      )
    })
    expect(wrong.map(label)).toEqual([])
    expect(
      matches.filter(
        ({ game, sides }) =>
          game.state !== 'done' && sides.some(({ slot }) => slot.state !== 'pending'),
      ),
    ).toEqual([])
    expect(
      done.filter(({ sides }) =>
        sides.some(({ player }) => player?.name.startsWith('Bracket Seed')),
      ),
    ).toEqual([])
  })

  test('keeps the disqualified out of later fights', () => {
    const wrong = tournaments.flatMap((rows) =>
      rows.players
        .filter(({ isDisqualified }) => isDisqualified)
        .filter(({ id }) => {
          const own = matchesOf(rows).filter(({ sides }) =>
            sides.some(({ slot }) => slot.playerId === id),
          )
          const last = own.reduce(
            (latest, { game }) => Math.max(latest, game.availableSince ?? 0),
            0,
          )
          return own.find(({ game }) => game.availableSince === last)?.game.winAnnotation !== 'DQ'
        }),
    )
    expect(wrong).toEqual([])
  })

  test("has judges' cards that agree with the result", () => {
    const card = /^Judge \d: [A-Z][a-z]+ \d+-\d+(, [A-Z][a-z]+ \d+-\d+)*$/
    const lines = tournaments.flatMap(({ judgeLines }) => judgeLines)
    const odd = lines.filter(({ line }) => !card.test(line))
    expect(odd.length).toBeGreaterThan(0)
    expect(share(odd.length, lines.length)).toBeLessThan(0.05)
    const wrong = fights.filter((match) => {
      const own = match.rows.judgeLines.filter(({ gameId }) => gameId === match.game.id)
      if (match.game.winAnnotation !== 'JD') return own.length > 0
      const winner = winnerOf(match)
      const votes = own.filter(({ line }) => {
        const points = [...line.matchAll(/(\d+)-(\d+)/g)]
        const lead = points.reduce((sum, [, red, blue]) => sum + Number(red) - Number(blue), 0)
        return winner?.idx === 0 ? lead > 0 : lead < 0
      })
      return own.length !== 3 || votes.length < 2
    })
    expect(wrong.map(label)).toEqual([])
  })

  test('has the proportions of real events', () => {
    const counts = [
      tournaments.length,
      fights.length,
      new Set(
        shown.flatMap(({ players }) => players.filter(isReal)).map(({ name }) => cleanName(name)),
      ).size,
      tournaments.reduce((sum, { recordings }) => sum + recordings.length, 0),
    ]
    for (const [index, count] of counts.entries()) {
      const goal = goals[index] ?? 0
      expect(count).toBeWithin(goal * 0.9, goal * 1.1)
    }
    expect(league.tournamentCount).toBe(tournaments.length)
    const long = played.filter(({ game }) => (game.timerDuration ?? 0) > 45)
    const distance = long.filter(({ game }) => game.timerDuration === 180)
    expect(share(distance.length, long.length)).toBeWithin(0.42, 0.58)
    const decided = distance.filter(({ game }) => game.winAnnotation === 'JD')
    expect(share(decided.length, distance.length)).toBeGreaterThan(0.9)
    const paused = new Set(
      tournaments.flatMap(({ tournament, pauses }) =>
        pauses.map(({ gameId }) => `${tournament.id} ${gameId}`),
      ),
    )
    expect(share(paused.size, played.length)).toBeWithin(0.02, 0.07)
    const methods = new Set(fights.map(({ game }) => game.winAnnotation))
    for (const method of ['KO', 'TO', 'JD', 'TKO', 'FF', 'DQ', 'TIE', null]) {
      expect(methods).toContain(method)
    }
  })

  test('has the rare cases', () => {
    const finished = fights.filter(({ game }) => game.state === 'done')
    const forfeits = finished.filter(({ game }) => game.winAnnotation === 'FF')
    const rare: Readonly<Record<string, number>> = {
      'no stop time': finished.filter(
        ({ game }) => game.startTime !== null && game.stopTime === null,
      ).length,
      'forfeit without start': forfeits.filter(
        ({ game }) => game.startTime === null && game.stopTime !== null,
      ).length,
      'forfeit of no length': forfeits.filter(
        ({ game }) => game.startTime !== null && game.startTime === game.stopTime,
      ).length,
      'start to the millisecond': finished.filter(
        ({ game }) => !Number.isInteger(game.startTime ?? 0),
      ).length,
      'forfeit without times': forfeits.filter(
        (match) =>
          match.game.startTime === null &&
          match.game.stopTime === null &&
          match.game.endTime === null &&
          winnerOf(match) !== undefined,
      ).length,
      'double forfeit': forfeits.filter((match) => winnerOf(match) === undefined).length,
      draw: finished.filter(({ sides }) => sides.every(({ slot }) => slot.state === 'tie')).length,
      notice: finished.filter(({ game }) => game.notice !== '').length,
      bye: matches.filter(({ sides }) => sides.some(({ player }) => player?.isBye === true)).length,
      'grudge match': fights.filter(({ game }) => game.name.startsWith('X-')).length,
      'round robin': tournaments.filter(({ tournament }) => tournament.formatType === 'round_robin')
        .length,
      'double elimination': tournaments.filter(
        ({ tournament }) => tournament.formatType === 'double_elimination',
      ).length,
      'bracket without qualifying': shown.filter(
        ({ brackets, tournament }) =>
          tournament.formatType !== 'round_robin' &&
          !brackets.some(({ isExhibition }) => isExhibition),
      ).length,
      'best of three': tournaments.filter(({ rounds }) =>
        rounds.some(({ scoreToWin }) => scoreToWin > 1),
      ).length,
      'start derived': shown.filter(
        ({ tournament, games }) =>
          tournament.startTime === null && games.some(({ startTime }) => startTime !== null),
      ).length,
      'end derived': shown.filter(
        ({ tournament, games }) =>
          tournament.startTime !== null &&
          tournament.endTime === null &&
          games.every(({ state }) => state === 'done'),
      ).length,
      'no time of its own': shown.filter(
        ({ tournament }) => tournament.startTime === null && tournament.endTime === null,
      ).length,
      'cage 3': played.filter(({ game }) => game.cage === 'Cage 3').length,
      'cage 7': played.filter(({ game }) => game.cage === 'Cage 7').length,
      'cage 8': played.filter(({ game }) => game.cage === 'Cage 8').length,
    }
    expect(Object.entries(rare).filter(([, count]) => count === 0)).toEqual([])
  })

  test('films fights from where the cameras are', () => {
    const gameOf = new Map(matches.map((match) => [label(match), match.game]))
    const all = tournaments.flatMap(({ tournament, recordings }) =>
      recordings.map((recording) => ({
        recording,
        game: gameOf.get(`${tournament.id} ${recording.gameId}`),
      })),
    )
    const early = all.filter(({ recording, game }) => {
      const recordingMs = (game?.startTime ?? 0) * 1000 - (recording.startMs ?? 0)
      return recordingMs >= 49_000 && recordingMs <= 105_000
    })
    expect(share(early.length, all.length)).toBeGreaterThan(0.97)
    const late = all.filter(
      ({ recording, game }) => (recording.startMs ?? 0) > (game?.startTime ?? Infinity) * 1000,
    )
    const filmed = new Set(all.map(({ game }) => game)).size
    expect(share(new Set(late.map(({ game }) => game)).size, filmed)).toBeWithin(0.01, 0.04)
    const odd = (is: (recording: RecordingRow) => boolean) =>
      all.filter(({ recording }) => is(recording)).length
    expect(odd(({ startMs }) => startMs === null)).toBeGreaterThan(0)
    expect(odd(({ httpStatus }) => httpStatus === 404)).toBeGreaterThan(0)
    const isUnchecked = ({ videoUrl, httpStatus, startMs }: RecordingRow) =>
      videoUrl !== null && httpStatus === null && startMs !== null
    expect(share(odd(isUnchecked), all.length)).toBeWithin(0.005, 0.05)
    expect(
      odd(({ proxy72Url, httpStatus }) => proxy72Url === null && httpStatus === 200),
    ).toBeGreaterThan(0)
    const elsewhere = all.filter(
      ({ recording }) =>
        typeof recording.proxy720Url === 'string' &&
        recording.proxy720Url === recording.videoUrl?.replace(/([^/]+)\.mp4$/, 'proxy/$1_720p.mp4'),
    )
    expect(share(elsewhere.length, all.length)).toBeWithin(0.01, 0.06)
    const shape =
      /^https:\/\/media\.example\/(zzhidden\/)?[A-Za-z0-9-]+-\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.\d{3}-(top|red|blue|door)\.mp4$/
    const misnamed = all.filter(({ recording, game }) => {
      const isHome =
        recording.cage === game?.cage &&
        (recording.camera.startsWith(recording.cage.replace(' ', '-')) ||
          /^(SkyCam|Program)/.test(recording.camera))
      return (
        !isHome ||
        (recording.videoUrl !== null &&
          !(shape.test(recording.videoUrl) && recording.videoUrl.includes(recording.camera)))
      )
    })
    expect(misnamed).toEqual([])
    const perFight = new Set(
      [...Map.groupBy(all, ({ game }) => game).values()].map(({ length }) => length),
    )
    expect([...perFight].sort((a, b) => a - b)).toEqual([3, 11, 12, 13])
  })

  test('has clips and stills of every kind', () => {
    const clips = tournaments.flatMap((rows) => rows.clips)
    expect(new Set(clips.map(({ state }) => state)).size).toBe(3)
    expect(clips.some(({ isPublic }) => !isPublic)).toBe(true)
    expect(clips.some(({ isCurated }) => isCurated)).toBe(true)
    expect(clips.every(({ token }) => /^[A-Za-z0-9_-]{22}$/.test(token))).toBe(true)
    const stills = tournaments.flatMap((rows) => rows.stills)
    expect(stills.some(({ isHero, isCurated }) => isHero && isCurated)).toBe(true)
    expect(stills.some(({ playerId }) => playerId === null)).toBe(true)
    expect(stills.some(({ width }) => width === null)).toBe(true)
    const tags = new Set(tournaments.flatMap((rows) => rows.stillTags.map(({ tag }) => tag)))
    for (const tag of ['Hero-Bot', 'Driver', 'Team', 'Action', 'Sparks'])
      expect(tags).toContain(tag)
    const early = matches.filter(({ rows, game }) =>
      rows.clips.some(
        ({ gameId, createdTime }) =>
          gameId === game.id && createdTime <= (game.stopTime ?? Infinity),
      ),
    )
    expect(early).toEqual([])
    expect(clips.every(({ createdTime }) => createdTime <= capturedAt)).toBe(true)
    expect(stills.every(({ takenTime }) => takenTime <= capturedAt)).toBe(true)
  })

  test('marks all that is not public', () => {
    const hidden = tournaments.filter(({ tournament }) => !isPublic(tournament))
    expect(
      new Set(hidden.map(({ tournament }) => (tournament.isTest ? 'test' : tournament.privacy))),
    ).toEqual(new Set(['private', 'unlisted', 'test']))
    const isMarked = (text: string) => text.toLowerCase().includes(hiddenMarker)
    const unmarked = hidden.filter(({ tournament, players, recordings, clips, stills }) => {
      const isComplete =
        isMarked(tournament.id) &&
        isMarked(tournament.name) &&
        players.some(({ name }) => isMarked(name)) &&
        recordings.length > 0 &&
        clips.length > 0 &&
        stills.length > 0
      return (
        !isComplete ||
        !recordings.every(({ videoUrl }) => videoUrl === null || isMarked(videoUrl)) ||
        !clips.every(({ token }) => isMarked(token)) ||
        !stills.every(({ token, url }) => isMarked(token) && isMarked(url))
      )
    })
    expect(unmarked).toEqual([])
    expect(isMarked(JSON.stringify(shown))).toBe(false)
  })

  test('has an event under way at the time of capture', () => {
    const active = tournaments.filter(({ tournament }) => tournament.active)
    expect(active.length).toBeGreaterThanOrEqual(2)
    expect(active.filter(({ tournament }) => tournament.endTime !== null)).toEqual([])
    const open = active.flatMap(matchesOf).filter(({ game }) => game.state !== 'done')
    const inState = (state: GameRow['state']) => open.filter(({ game }) => game.state === state)
    const under = inState('active')
    expect(under.length).toBeWithin(2, 5)
    expect(new Set(under.map(({ game }) => game.cage)).size).toBe(under.length)
    for (const { game } of under) {
      expect(game.startTime ?? 0).toBeWithin(capturedAt - 180, capturedAt)
      expect(game.stopTime).toBeNull()
    }
    const openPauses = tournaments.flatMap(({ pauses }) =>
      pauses.filter(({ stopTime }) => stopTime === null),
    )
    const paused = cages.find(({ status }) => status === 'paused')
    expect(openPauses).toEqual([
      { gameId: paused?.gameId ?? '', idx: 0, startTime: paused?.pausedSince ?? 0, stopTime: null },
    ])
    expect(inState('called').length).toBeGreaterThan(1)
    expect(inState('called').every(({ game }) => game.calledSince !== null)).toBe(true)
    expect(inState('available').length).toBeGreaterThan(0)
    expect(inState('available').every(({ game }) => game.availableSince !== null)).toBe(true)
    expect(inState('hold').length).toBe(1)
    const later = inState('unavailable')
    expect(
      later.some(({ isFight, game }) => isFight && (game.scheduledTime ?? 0) > capturedAt),
    ).toBe(true)
    expect(
      later.some(({ sides }) =>
        sides.every(({ slot }) => slot.playerId === null && slot.prevGameId !== null),
      ),
    ).toBe(true)
    expect(
      later.some(({ sides }) =>
        sides.some(({ player }) => player?.name.startsWith('Bracket Seed') === true),
      ),
    ).toBe(true)
    expect(
      later.filter(({ game }) => game.scheduledTime !== null && game.scheduledTime <= capturedAt),
    ).toEqual([])
    const ended = fights.filter(({ game }) => (game.stopTime ?? 0) > capturedAt - 86_400)
    expect(ended.length).toBeGreaterThan(40)
    const stray = matches.filter(
      ({ game, rows }) => game.state !== 'done' && !rows.tournament.active,
    )
    expect(new Set(stray.map(({ rows }) => rows)).size).toBe(1)
  })

  test('shows the same fights in the cages and in the games', () => {
    expect(cages.map(({ status }) => status).sort()).toEqual([
      'active',
      'assigned',
      'completed',
      'completed',
      'idle',
      'idle',
      'paused',
    ])
    const byLabel = new Map(matches.map((match) => [label(match), match.game]))
    const expected = {
      active: 'active',
      paused: 'active',
      assigned: 'called',
      completed: 'done',
      idle: undefined,
    } as const
    for (const cage of cages) {
      const game = byLabel.get(`${cage.tournamentId} ${cage.gameId}`)
      expect(game?.state).toBe(expected[cage.status])
      if (game) expect(game.cage).toBe(`Cage ${cage.number}`)
      expect(cage.updateTime).toBeLessThanOrEqual(capturedAt)
      expect(cage.pausedSince !== null).toBe(cage.status === 'paused')
    }
    expect(cageQueue.length).toBeGreaterThan(3)
    const waiting = cageQueue.map((row) => `${row.tournamentId} ${row.gameId}`)
    expect(new Set(waiting).size).toBe(waiting.length)
    expect(
      waiting.filter((key) => !['called', 'available'].includes(byLabel.get(key)?.state ?? '')),
    ).toEqual([])
  })

  test('has an upcoming tournament that is not drawn', () => {
    const upcoming = tournaments.filter(
      ({ tournament }) => (tournament.scheduledStartTime ?? 0) > capturedAt + 86_400,
    )
    expect(upcoming.length).toBe(1)
    for (const { tournament, players, games } of upcoming) {
      expect(tournament.active).toBe(false)
      expect(players.filter(isReal).length).toBe(24)
      expect(players.some(({ name }) => name === 'Bracket Seed 4')).toBe(true)
      expect(games.every(({ state }) => state === 'unavailable')).toBe(true)
    }
  })

  test('has names of every kind, and bots that come back', () => {
    const names = new Set(realPlayers.map(({ name }) => name))
    for (const { name } of cast) expect(names).toContain(name)
    expect(names).toContain('Norma L Kurv')
    expect(oddNames.filter((name) => !names.has(name))).toEqual([])
    expect(names).toContain('!?')
    const meetings = fights.filter(({ sides, game }) => {
      const pair = sides
        .map(({ player }) => player?.name)
        .sort()
        .join()
      return game.stopTime !== null && pair === rivals.toSorted().join()
    })
    expect(meetings.length).toBeGreaterThan(1)
    const twins = tournaments.filter(({ players }) => {
      const clean = players.filter(isReal).flatMap(({ name }) => cleanName(name) || [])
      return new Set(clean).size !== clean.length
    })
    expect(twins).toEqual([])
    const counts = [
      ...Map.groupBy(
        fights.flatMap(({ sides }) => sides),
        ({ player }) => player?.name,
      ),
    ].map(([, own]) => own.length)
    expect(Math.max(...counts)).toBeGreaterThan(20)
    expect(share(counts.filter((count) => count <= 3).length, counts.length)).toBeGreaterThan(0.2)
  })

  test('has names as people give them', () => {
    const names = new Set(realPlayers.map(({ name }) => name))
    const kinds: Readonly<Record<string, RegExp>> = {
      'several words': /\S \S+ \S/,
      article: /^The /,
      number: /\d/,
      'Roman numeral': /\b(II|III|IV|VII|XII)\b/,
      'inner capital': /[a-z][A-Z]/,
      capitals: /^[A-Z]{3,}/,
      'lower case': /^[a-z]+ [a-z]+$/,
      apostrophe: /['’]/,
      'title with a dot': /^(Dr|Mr|Mrs|Ms|Sgt)\. /,
      initial: /\b[A-Z]\./,
      Cyrillic: /\p{Script=Cyrillic}/u,
      kana: /\p{Script=Katakana}|\p{Script=Hiragana}/u,
      Polish: /[ąćęłńśźż]/i,
      umlaut: /[äöüß]/i,
      phrase: new RegExp(
        `^(${vocabulary.phrases.map((phrase) => RegExp.escape(phrase)).join('|')})$`,
      ),
    }
    // A small league has some of the rare kinds among the odd names alone.
    const odd = new Set<string>(tournaments.length > 100 ? oddNames : [])
    const missing = Object.entries(kinds).filter(
      ([, kind]) => ![...names].some((name) => !odd.has(name) && kind.test(name)),
    )
    expect(missing.map(([kind]) => kind)).toEqual([])
    const families = [...names].filter((name) =>
      [...name.matchAll(/ /g)].some(({ index }) => names.has(name.slice(0, index))),
    )
    expect(share(families.length, names.size)).toBeWithin(0.02, 0.15)
    const { words: _, ...lists } = vocabulary
    const known = new Set(Object.values(lists).flat())
    const isCompound = (name: string) =>
      [...name.matchAll(/(?<=[a-z])(?=[A-Z])|\B/g)].some(
        ({ index }) => known.has(name.slice(0, index)) && index > 2,
      )
    const real = [...names].filter(
      (name) =>
        known.has(name) ||
        isCompound(name) ||
        name.split(/[^\p{L}\p{N}'-]+/u).some((word) => known.has(word)),
    )
    expect(share(real.length, names.size)).toBeWithin(0.4, 0.65)
  })

  test('has no plain word of the lists as a name', () => {
    const chosen = new Set(oddNames.map(cleanName))
    const plain = new Set(vocabulary.things.map(cleanName)).difference(chosen)
    const names = realPlayers.map(({ name }) => cleanName(name))
    expect(names.filter((name) => plain.has(name))).toEqual([])
  })
})

describe('fame', () => {
  const [, , [, league]] = corpora
  const counts = [
    ...Map.groupBy(
      league.fights.filter(({ game }) => game.state === 'done').flatMap(({ sides }) => sides),
      ({ player }) => cleanName(player?.name ?? ''),
    ).values(),
  ]
    .map(({ length }) => length)
    .sort((a, b) => b - a)
  const at = (rank: number): number => counts[rank - 1] ?? 0

  test('makes some bots have a hundred fights and more, and most few', () => {
    expect(counts.filter((count) => count >= 100).length).toBeWithin(10, 50)
    expect(at(Math.ceil(counts.length / 2))).toBeLessThanOrEqual(5)
  })

  test("follows Zipf's law", () => {
    // Flat at the top, as nobody enters twice at an event; then fights fall as 1 / rank.
    const slope = Math.log(at(1000) / at(100)) / Math.log(10)
    expect(slope).toBeWithin(-1.4, -0.8)
    expect(at(1)).toBeGreaterThan(2.5 * at(100))
  })
})

describe('generateLeague', () => {
  test('gives equal rows for equal options, also when looped over twice', () => {
    const league = generateLeague({ seed: 7, scale: 'sample' })
    const first = [...league.tournaments]
    expect([...league.tournaments]).toEqual(first)
    const again = generateLeague({ seed: 7, scale: 'sample' })
    expect([...again.tournaments]).toEqual(first)
    expect([again.cages, again.cageQueue]).toEqual([league.cages, league.cageQueue])
  })

  test('gives other rows for another seed', () => {
    const names = (seed: number) =>
      [...generateLeague({ seed, scale: 'sample' }).tournaments].flatMap(({ players }) =>
        players.map(({ name }) => name),
      )
    expect(names(1)).not.toEqual(names(2))
  })

  test('makes one event at a time', () => {
    const made: string[] = []
    for (const { tournament } of generateLeague({ seed: 1, scale: 10 }).tournaments) {
      made.push(tournament.id)
      if (made.length === 3) break
    }
    expect(made.length).toBe(3)
  })
})

describe('planEvents', () => {
  test.each(['sample', 1, 10, 100] as const)(
    'spreads events over days of their own (%p)',
    (scale) => {
      const starts = planEvents(scale, createRandom(1)).map(({ startTime }) => startTime)
      expect(Math.min(...starts)).toBeGreaterThan(Date.UTC(2001) / 1000)
      const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0))
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(86_400)
    },
  )
})

describe('scripts/generate.ts', () => {
  const run = (...args: readonly string[]) =>
    runToEnd([process.execPath, 'scripts/generate.ts', ...args], { cwd: projectFolder })

  test('writes the committed snapshot: `bun run generate --out snapshot/sample.cageside` does', async () => {
    const folder = await temporaryFolder()
    const [first, second] = [join(folder, 'first'), join(folder, 'second')]
    const results = await Promise.all([run('--out', first), run('--out', second)])
    expect(results.map(({ code, errors }) => [code, errors])).toEqual([
      [0, ''],
      [0, ''],
    ])
    const bytes = await Bun.file(first).bytes()
    expect(bytes.length).toBeLessThan(2_000_000)
    for (const other of [second, join(projectFolder, 'snapshot/sample.cageside')])
      expect(Buffer.compare(bytes, await Bun.file(other).bytes())).toBe(0)
  })

  test('explains itself', async () => {
    const { output, code } = await run('--help')
    expect(code).toBe(0)
    expect(output).toContain('--scale')
  })

  test.each([
    [[]],
    [['--out', '/nowhere/at/all/league']],
    [['--out', 'x', '--seed', '1.5']],
    [['--out', 'x', '--seed', '4294967296']],
    [['--out', 'x', '--scale', '101']],
    [['--out', 'x', '--size', '2']],
    [['--out', 'x', 'stray']],
    [['--out']],
  ])('refuses %j in one line', async (args) => {
    expect(await run(...args)).toEqual({
      code: 1,
      output: '',
      errors: expect.stringMatching(/^[^\n]+\n$/),
    })
  })
})
