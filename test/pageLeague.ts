import { join } from 'node:path'
import { followsFromOutcome } from '../src/api/fights/outcomes.ts'
import type { Archive } from '../src/data/archive/archive.ts'
import { checkCages, checkTournament } from '../src/data/source/check.ts'
import type {
  CageRow,
  CageRows,
  GameRow,
  SlotRow,
  TournamentRows,
} from '../src/data/source/rows.ts'
import { readSnapshot } from '../src/data/source/snapshot.ts'
import { archiveWithCages } from './fixtures.ts'
import { projectFolder } from './process.ts'

/** A part of the sample league: every format, an event under way, and a future one. */
export interface PageLeague {
  readonly tournaments: readonly TournamentRows[]
  readonly cages: CageRows
  readonly now: number
}

const shown: ReadonlySet<string> = new Set([
  'cg_apr26_12lb',
  '30ffa53072bfab19',
  'cg_feb26_30lb',
  '092633de6e3593b1',
  'cg_feb26_3lb_freestyle',
  'cg_dec25_12lb',
])

/** Names that people have used to break pages. */
export const hostileNames = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(2)</script>',
  "'; alert(3) //",
  '</title></svg><b>',
  'W'.repeat(300),
  'a b '.repeat(75).trim(),
  'روبوت الدمار ١',
  '\u202Eevil\u202D bot',
  '🤖👨‍👩‍👧‍👦🔥 Ember',
  'Z\u0301\u0302\u0303\u0304\u0305algo',
  '&amp;&lt;',
  '$&1 {{2}} %00',
  'Ember Storm',
] as const

export const loadPageLeague = async (): Promise<PageLeague> => {
  const ignore = (): void => undefined
  const snapshot = await readSnapshot(join(projectFolder, 'snapshot/sample.cageside'))
  const tournaments = [...snapshot.tournaments()].flatMap((unchecked) => {
    const rows = checkTournament(unchecked, ignore)
    return rows && shown.has(rows.tournament.id) ? [rows] : []
  })
  return { tournaments, cages: checkCages(snapshot.cages, ignore), now: snapshot.capturedAt }
}

/** The same league with hostile names for players, events, clips and rounds. */
export const withHostileNames = ({ tournaments, ...rest }: PageLeague): PageLeague => ({
  ...rest,
  tournaments: tournaments.map((rows, number) => {
    const name = (index: number): string => hostileNames[index % hostileNames.length] ?? ''
    return {
      ...rows,
      tournament: { ...rows.tournament, name: name(number) },
      players: rows.players.map((player, index) => ({
        ...player,
        name: player.isBye ? player.name : `${name(index)} ${index}`.slice(0, 300),
      })),
      rounds: rows.rounds.map((round, index) => ({ ...round, name: name(index) })),
      clips: rows.clips.map((clip, index) => ({ ...clip, name: name(index) })),
      stillTags: rows.stillTags.map((tag, index) => ({ ...tag, tag: `${name(index)} ${index}` })),
    }
  }),
})

export const archiveOfLeague = ({ tournaments, cages }: PageLeague): Archive =>
  archiveWithCages(cages, ...tournaments)

const otherMethods: Readonly<Record<string, string>> = { KO: 'JD', JD: 'TO', TO: 'TKO', TKO: 'KO' }
const otherStates = {
  pending: 'pending',
  tie: 'tie',
  winner: 'loser',
  loser: 'winner',
  winner_by_default: 'loser_by_default',
  loser_by_default: 'winner_by_default',
} as const

const isWinner = ({ state }: SlotRow): boolean => state.startsWith('winner')

/** Games of a tournament, each before the games that it feeds. */
const feedersFirst = (
  games: readonly GameRow[],
  slots: ReadonlyMap<string, readonly SlotRow[]>,
) => {
  const byID = new Map(games.map((game) => [game.id, game]))
  const ordered = new Set<GameRow>()
  const visit = (game: GameRow): void => {
    for (const { prevGameId } of slots.get(game.id) ?? []) {
      const source = prevGameId === null ? undefined : byID.get(prevGameId)
      if (source && !ordered.has(source)) visit(source)
    }
    ordered.add(game)
  }
  for (const game of games) visit(game)
  return ordered
}

/** Games whose corners depend on an outcome. */
const gamesFromOutcomes = (league: PageLeague): ReadonlySet<string> =>
  new Set(
    archiveOfLeague(league).dataset.tournaments.flatMap(({ info, games }) =>
      [...games.values()].flatMap((game) =>
        [game.red, game.blue].every((corner) => followsFromOutcome(game, corner))
          ? `${info.id} ${game.id}`
          : [],
      ),
    ),
  )

/** The same league with fights in its cages and queues whose corners depend on outcomes. */
export const withDecidedCages = (league: PageLeague): PageLeague => {
  const { now, tournaments } = league
  const decided = gamesFromOutcomes(league)
  const event = tournaments.find(({ tournament }) => tournament.active)
  const tournamentId = event?.tournament.id ?? ''
  const found = (event?.games ?? []).filter(
    ({ id, state }) => state !== 'unavailable' && decided.has(`${tournamentId} ${id}`),
  )
  const done = found.filter(({ state }) => state === 'done').slice(-1)
  const [active, ...waiting] = found.filter(({ state }) => state !== 'done')
  const placed = ({ id }: GameRow) => ({ gameId: id, tournamentId })
  const cage = (number: number, status: CageRow['status'], game: GameRow | undefined) =>
    game ? [{ number, status, ...placed(game), pausedSince: null, updateTime: now - 60 }] : []
  return {
    ...league,
    tournaments: tournaments.map((rows) => ({
      ...rows,
      games: rows.games.map((game) =>
        game === active ? { ...game, state: 'active', startTime: now - 60 } : game,
      ),
    })),
    cages: {
      cages: [
        ...cage(1, 'active', active),
        ...cage(2, 'assigned', waiting[0]),
        ...cage(4, 'completed', done[0]),
      ],
      cageQueue: waiting
        .slice(1)
        .map((game, position) => ({ cage: 4 + position, position: 0, ...placed(game) })),
    },
  }
}

const swapTournament = (
  rows: TournamentRows,
  hasChangedCorners: (gameID: string) => boolean,
): TournamentRows => {
  const before = Map.groupBy(rows.slots, ({ gameId }) => gameId)
  const byes = new Set(rows.players.filter(({ isBye }) => isBye).map(({ id }) => id))
  const after = new Map<string, readonly SlotRow[]>()
  for (const game of feedersFirst(rows.games, before)) {
    const slots = before.get(game.id) ?? []
    // A bye defeats nobody.
    const isSwapped =
      game.state === 'done' &&
      slots.every(({ playerId }) => playerId !== null && !byes.has(playerId))
    const moved = slots.map((slot) => {
      const old = before.get(slot.prevGameId ?? '') ?? []
      const now = after.get(slot.prevGameId ?? '') ?? []
      const from = old.find(({ playerId }) => playerId !== null && playerId === slot.playerId)
      const comes = from && now.find((each) => isWinner(each) === isWinner(from))
      const isDecided = now.some(isWinner)
      return {
        ...slot,
        playerId: comes && isDecided ? comes.playerId : slot.playerId,
        state: isSwapped ? otherStates[slot.state] : slot.state,
        score:
          isSwapped && slot.score !== null ? slot.score + (isWinner(slot) ? 0 : 3) : slot.score,
        tapped: !slot.tapped,
      }
    })
    const isKnown = moved.every(({ playerId }) => playerId !== null && !byes.has(playerId))
    after.set(
      game.id,
      isKnown && hasChangedCorners(game.id)
        ? moved.map((slot, index) => {
            const { playerId, state, score, tapped } = moved[1 - index] ?? slot
            return { ...slot, playerId, state, score, tapped }
          })
        : moved,
    )
  }
  return {
    ...rows,
    slots: rows.slots.flatMap(
      ({ gameId, idx }) => after.get(gameId)?.filter((each) => each.idx === idx) ?? [],
    ),
    games: rows.games.map((game) => ({
      ...game,
      winAnnotation: otherMethods[game.winAnnotation ?? ''] ?? game.winAnnotation,
      timerDuration: game.timerDuration === null ? null : game.timerDuration + 1,
      stopTime: game.stopTime === null ? null : game.stopTime + 1,
      notice: 'The result was changed',
    })),
    judgeLines: [],
    clips: rows.clips.map((clip) => ({ ...clip, name: 'Another outcome' })),
  }
}

/** The same league with every outcome reversed: other bots advance, in the other corners. */
export const withSwappedOutcomes = (league: PageLeague): PageLeague => {
  const changed = gamesFromOutcomes(league)
  return {
    ...league,
    tournaments: league.tournaments.map((rows) =>
      swapTournament(rows, (gameID) => changed.has(`${rows.tournament.id} ${gameID}`)),
    ),
  }
}
