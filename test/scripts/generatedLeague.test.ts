import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { generateLeague, parseScale, type Scale } from '../../scripts/league/league.ts'
import { hiddenMarker } from '../../scripts/league/names.ts'
import { planEvents } from '../../scripts/league/plan.ts'
import { createRandom } from '../../scripts/league/random.ts'
import { cleanName, isPlaceholderName } from '../../src/data/league/cleanName.ts'
import { checkCages, checkTournament } from '../../src/data/source/check.ts'
import {
  type GameRow,
  gameStates,
  type PlayerRow,
  type SlotRow,
  type TournamentRow,
  type TournamentRows,
} from '../../src/data/source/rows.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
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
  ['seed 1', load(1, 'sample')],
  ['seed 2', load(2, 'sample')],
] as const

describe.each(corpora)('a generated league (%s)', (_, league) => {
  const { tournaments, matches, fights, capturedAt, cages, cageQueue } = league
  const shown = tournaments.filter(({ tournament }) => isPublic(tournament))

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

  test('has all states of games and cages at the time of capture', () => {
    expect(new Set(matches.map(({ game }) => game.state))).toEqual(new Set(gameStates))
    expect(cages.map(({ status }) => status).sort()).toEqual([
      ...(['active', 'assigned', 'completed', 'completed', 'idle', 'idle', 'paused'] as const),
    ])
  })
})

describe('generateLeague', () => {
  test('gives equal rows for equal options, also when looped over twice, and others for another seed', () => {
    const [[, first], [, second]] = corpora
    const { tournaments, cages, cageQueue } = generateLeague({ seed: 2, scale: 'sample' })
    for (let loop = 0; loop < 2; loop += 1)
      expect(Bun.deepEquals([...tournaments], second.tournaments)).toBe(true)
    expect([cages, cageQueue]).toEqual([second.cages, second.cageQueue])
    const names = (league: typeof first) =>
      league.tournaments.flatMap(({ players }) => players.map(({ name }) => name))
    expect(names(first)).not.toEqual(names(second))
  })

  // The sample of seed 1 is committed. When others are meant, take what the failure shows.
  test.each([
    [2, 'sample', 'b3f6fef955ae'],
    [1, 1, 'e22acc0e6d1b'],
  ] as const)('seed %p at scale %p gives the rows it gave', (seed, scale, digest) => {
    const hash = new Bun.CryptoHasher('sha1')
    const { tournaments, ...rest } = generateLeague({ seed, scale })
    // Neither a new column without values nor the order of columns changes anything.
    const valuesOf = (row: object) =>
      Object.entries(row)
        .filter(([, value]) => value !== null)
        .sort()
    const withValues = (_: string, value: unknown) =>
      value instanceof Object && !Array.isArray(value) ? valuesOf(value) : value
    hash.update(JSON.stringify(rest, withValues))
    for (const rows of Iterator.from(tournaments).take(24))
      hash.update(JSON.stringify(rows, withValues))
    expect(hash.digest('hex').slice(0, 12)).toBe(digest)
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
    const path = join(await temporaryFolder(), 'league.cageside')
    expect(await run('--out', path)).toMatchObject({ code: 0, errors: '' })
    const bytes = await Bun.file(path).bytes()
    expect(bytes.length).toBeLessThan(2_000_000)
    const committed = await Bun.file(join(projectFolder, 'snapshot/sample.cageside')).bytes()
    expect(Buffer.compare(bytes, committed)).toBe(0)
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
