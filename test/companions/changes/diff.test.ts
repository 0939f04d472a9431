import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import fc from 'fast-check'
import { fightDetails, fightSummary } from '../../../src/api/fights/view.ts'
import { scheduledMatch } from '../../../src/api/live/view.ts'
import { fightStats } from '../../../src/api/stats/view.ts'
import { bracketGame } from '../../../src/api/tournaments/view.ts'
import { diffArchives as changesOf, diffSteps } from '../../../src/companions/changes/diff.ts'
import { entryOf, matches, namesText } from '../../../src/companions/changes/entry.ts'
import { diffSince } from '../../../src/companions/changes/missed.ts'
import { tournamentRows as rowsOfTournament } from '../../../src/companions/changes/rows.ts'
import { type Change, changeSchemas } from '../../../src/companions/changes/schema.ts'
import { type Archive, noCages, updateArchive } from '../../../src/data/archive/archive.ts'
import { loadTournament } from '../../../src/data/archive/load.ts'
import type { CageRows, TournamentRows } from '../../../src/data/source/rows.ts'
import { nothingExpected } from '../../../src/derived/live/expected.ts'
import { scheduled } from '../../../src/derived/live/schedule.ts'
import { buildArchive } from '../../buildArchive.ts'
import { apply, comparable, type State, stateOf } from '../../changes.ts'
import { present } from '../../present.ts'
import {
  cageRow,
  clipRow,
  fightRows,
  gameRow,
  playerRow,
  recordingRow,
  slotRow,
  stillRow,
  tournamentOf,
  tournamentRow,
} from '../../rows.ts'
import { runs } from '../../runs.ts'
import { sampleLeague as generated } from '../../smallLeague.ts'

interface League {
  readonly tournaments: readonly TournamentRows[]
  readonly cages?: CageRows
}

const load = (rows: TournamentRows) => loadTournament(rows, () => undefined)?.tournament

const archiveOf = ({ tournaments, cages = noCages }: League): Archive =>
  buildArchive(
    'first',
    tournaments.flatMap((rows) => load(rows) ?? []),
    cages,
  )

/** The archive after a change of the rows; tournaments with the same rows are shared. */
const nextArchive = (archive: Archive, before: League, after: League): Promise<Archive> => {
  const known = new Set(before.tournaments)
  const kept = new Set(after.tournaments.map(({ tournament }) => tournament.id))
  const changed = new Map([
    ...before.tournaments
      .filter(({ tournament }) => !kept.has(tournament.id))
      .map(({ tournament }) => [tournament.id, undefined] as const),
    ...after.tournaments
      .filter((rows) => !known.has(rows))
      .map((rows) => [rows.tournament.id, load(rows)] as const),
  ])
  return updateArchive(archive, 'next', changed, after.cages ?? noCages)
}

const now = 1_773_520_000

const small: League = {
  tournaments: [...generated.tournaments]
    .filter(({ tournament: { privacy, isTest } }) => privacy === 'public' && !isTest)
    .toSorted((a, b) => b.tournament.createTime - a.tournament.createTime)
    .slice(0, 3),
  cages: { cages: generated.cages, cageQueue: generated.cageQueue },
}

const described = new Map(
  Object.entries(changeSchemas).map(([type, schema]) => [type, TypeCompiler.Compile(schema)]),
)
const entryAt = (change: Change, seq: number) =>
  entryOf(change, {
    place: { epoch: 'aaaaaaaa', seq },
    time: now,
    version: 'v',
    site: { linkPath: '', hasPages: true },
  })
/** The page about a change; removals have none. */
const pageAbout = (change: Change): string | undefined => {
  if (change.type === 'cage.changed') return '/live'
  if (change.type === 'bot.renamed') return `/b/${change.after.cleanName}`
  if (!('after' in change)) return undefined
  const event = encodeURIComponent(change.tournamentID)
  return 'gameID' in change && change.type !== 'bracket.advanced'
    ? `/w/${event}/${encodeURIComponent(change.gameID)}`
    : `/e/${event}`
}
/** The changes between two archives; each must have its page, and exactly the fields of its type. */
const diffArchives = (before: Archive, after: Archive): readonly Change[] => {
  const changes = changesOf({ archive: before }, after, now)
  for (const change of changes) {
    const sent = JSON.parse(entryAt(change, 1).text)
    expect([change.type, ...(described.get(change.type)?.Errors(sent) ?? [change])]).toEqual([
      change.type,
    ])
    expect(sent.page).toBe(pageAbout(change))
  }
  return changes
}

type Edit = (rows: TournamentRows, n: number) => TournamentRows
const at = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(1, list.length)]
const editOf =
  <Table extends 'games' | 'slots' | 'players' | 'recordings' | 'clips' | 'stills'>(
    table: Table,
    edit: (row: TournamentRows[Table][number], n: number) => Partial<TournamentRows[Table][number]>,
  ): Edit =>
  (rows, n) => {
    const chosen = at<TournamentRows[Table][number]>(rows[table], n)
    return {
      ...rows,
      [table]: rows[table].map((row) => (row === chosen ? { ...row, ...edit(row, n) } : row)),
    }
  }
const removeOf =
  (table: 'recordings' | 'clips' | 'stills' | 'judgeLines'): Edit =>
  (rows, n) => ({
    ...rows,
    [table]: rows[table].filter((_, index) => index !== n % rows[table].length),
  })

const edits: readonly Edit[] = [
  editOf('players', (_, n) => ({ name: `Renamed ${n % 9}` })),
  editOf('players', ({ isBye }) => ({ isBye: !isBye })),
  editOf('players', (_, n) => ({ seed: n })),
  editOf('games', (_, n) => ({
    state:
      (['unavailable', 'available', 'called', 'hold', 'active', 'done'] as const)[n % 6] ?? 'done',
  })),
  editOf('games', (_, n) => ({ state: 'active' as const, startTime: now + n })),
  editOf('games', (_, n) => ({ state: 'done' as const, winAnnotation: 'KO', stopTime: now + n })),
  editOf('games', (_, n) => ({ scheduledTime: now + n, cage: `Cage ${n % 6}` })),
  editOf('games', (_, n) => ({ notice: `Notice ${n}` })),
  editOf('games', (_, n) => ({ loserPlacement: n % 20 })),
  editOf('slots', (_, n) => ({
    state: n % 2 ? ('winner' as const) : ('loser' as const),
    score: n % 5,
  })),
  (rows, n) => editOf('slots', () => ({ playerId: at(rows.players, n)?.id ?? null }))(rows, n),
  editOf('slots', () => ({ playerId: null })),
  editOf('recordings', (_, n) => ({ httpStatus: 200 + (n % 300) })),
  editOf('recordings', (_, n) => ({ proxy72Url: `https://small.example/${n}` })),
  (rows, n) => editOf('recordings', () => ({ gameId: at(rows.games, n)?.id ?? 'W-0' }))(rows, n),
  (rows, n) => ({
    ...rows,
    recordings: [
      ...rows.recordings,
      recordingRow({ id: 90_000_000 + n, gameId: at(rows.games, n)?.id ?? 'W-0' }),
    ],
  }),
  (rows, n) => ({
    ...rows,
    clips: [...rows.clips, clipRow({ token: `new-${n}`, gameId: at(rows.games, n)?.id ?? 'W-0' })],
  }),
  (rows, n) => ({ ...rows, stills: [...rows.stills, stillRow({ id: 80_000_000 + n })] }),
  editOf('clips', ({ isPublic }) => ({ isPublic: !isPublic })),
  editOf('clips', (_, n) => ({ name: `Clip ${n}`, views: n })),
  editOf('stills', (_, n) => ({ source: `Source ${n % 4}` })),
  removeOf('recordings'),
  removeOf('clips'),
  removeOf('stills'),
  removeOf('judgeLines'),
  (rows, n) => {
    const gone = at(rows.games, n)?.id
    const others = <Row extends { readonly gameId: string }>(list: readonly Row[]): Row[] =>
      list.filter(({ gameId }) => gameId !== gone)
    return {
      ...rows,
      games: rows.games.filter(({ id }) => id !== gone),
      slots: others(rows.slots),
      recordings: others(rows.recordings),
      clips: others(rows.clips),
      pauses: others(rows.pauses),
      judgeLines: others(rows.judgeLines),
    }
  },
  (rows, n) => ({ ...rows, tournament: { ...rows.tournament, name: `Cup ${n % 7}` } }),
  ({ tournament, ...rows }, n) => ({
    ...rows,
    tournament: { ...tournament, privacy: n % 2 ? 'private' : 'public' },
  }),
  ({ tournament, ...rows }, n) => ({
    ...rows,
    tournament: { ...tournament, active: n % 2 === 0, updateTime: tournament.updateTime + n },
  }),
]

const cageEdit = ({ tournaments, cages = noCages }: League, n: number): CageRows => {
  const rows = at(tournaments, n)
  const fight = {
    tournamentId: rows?.tournament.id ?? '',
    gameId: at(rows?.games ?? [], n)?.id ?? '',
  }
  const number = 1 + (n % 6)
  if (n % 3 === 0) {
    return { ...cages, cageQueue: [{ cage: number, position: 0, ...fight }] }
  }
  const status = (['idle', 'assigned', 'active', 'completed'] as const)[n % 4] ?? 'idle'
  return {
    ...cages,
    cages: [
      ...cages.cages.filter((row) => row.number !== number),
      ...(n % 5 === 0 ? [] : [cageRow({ number, status, updateTime: n, ...fight })]),
    ],
  }
}

const edited = (league: League, n: number, edit: number): League => {
  const rows = at(league.tournaments, n)
  const change = edits[edit]
  if (!change || !rows) return { ...league, cages: cageEdit(league, n) }
  return {
    ...league,
    tournaments: league.tournaments.map((each) => (each === rows ? change(rows, n) : each)),
  }
}

const readerOf = (archive: Archive) => (id: string) => {
  const tournament = archive.dataset.tournamentsByID.get(id)
  return tournament && rowsOfTournament(tournament)
}
const replay = (state: State, changes: readonly Change[], archive: Archive): State =>
  changes.reduce((now, change) => apply(now, change, readerOf(archive)), state)

const batches = fc.array(
  fc.array(fc.record({ n: fc.nat(5000), edit: fc.nat(edits.length) }), {
    minLength: 1,
    maxLength: 4,
  }),
  { minLength: 1, maxLength: 6 },
)

type Steps = readonly (readonly { readonly n: number; readonly edit: number }[])[]
/** The archive after each batch of edits of the small league, and the changes of each batch. */
const follow = async (steps: Steps) => {
  let league = small
  let archive = archiveOf(league)
  const archives = [archive]
  const feed: (readonly Change[])[] = []
  for (const step of steps) {
    const next = step.reduce((rows, { n, edit }) => edited(rows, n, edit), league)
    const after = await nextArchive(archive, league, next)
    feed.push(diffArchives(archive, after))
    archives.push(after)
    archive = after
    league = next
  }
  return { archives, feed, archive }
}

describe('the changes from one version to another', () => {
  test('changes lead from any earlier state to the last one', async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.nat(), async (steps, cursor) => {
        const { archives, feed, archive } = await follow(steps)
        const start = cursor % archives.length
        const from = present(archives[start])
        const [end, first] = [stateOf(archive), stateOf(from)]
        const isKnown = (name: string): boolean =>
          archives.slice(start).every(({ bots }) => bots.some((bot) => bot.cleanName === name))
        const bots = new Map([...first.bots].filter(([name]) => isKnown(name)))
        const reached = replay(first, feed.slice(start).flat(), archive)
        const known = { ...end, bots }
        expect(comparable(reached, known)).toEqual(comparable(end, known))
      }),
      { numRuns: runs(30) },
    )
  }, 120_000)

  test('changes continue from a saved archive and the changes since', async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.nat(), fc.nat(), async (steps, saved, told) => {
        const { archives, feed, archive } = await follow(steps)
        const save = saved % archives.length
        const last = save + (told % (archives.length - save))
        const [left, reader] = [present(archives[save]), present(archives[last])]
        const before = feed.slice(save, last).flat()
        const rest = diffSince({ archive: left, changes: before }, archive, now)
        const isReload = (change: Change): boolean =>
          change.type === 'tournament.added' || ('reload' in change && change.reload)
        expect(rest === undefined).toBe(before.some(isReload))
        if (!rest) return
        const [end, first] = [stateOf(archive), stateOf(reader)]
        const none = { ...end, bots: new Map() }
        const reached = replay(first, rest, archive)
        expect(comparable(reached, none)).toEqual(comparable(end, none))
        if (last === archives.length - 1) expect(rest).toEqual([])
      }),
      { numRuns: runs(30) },
    )
  }, 120_000)
})

const players = ['Axe', 'Bolt', 'Cog', 'Dart'].map((name, index) =>
  playerRow({ id: `p${index}`, name }),
)
const open = {
  state: 'available',
  cage: null,
  winAnnotation: null,
  startTime: null,
  stopTime: null,
  endTime: null,
} as const
const cup = (game: Partial<Parameters<typeof gameRow>[0]>, winner: 0 | 1 | null = null) =>
  tournamentOf({ id: 'cup', name: 'Cup', active: true }, players, [
    fightRows({ ...open, ...game }, 'p0', 'p1', winner),
  ])
const changesBetween = (before: TournamentRows, after: TournamentRows) =>
  diffArchives(archiveOf({ tournaments: [before] }), archiveOf({ tournaments: [after] }))

describe('the type of a change', () => {
  const types = (before: TournamentRows, after: TournamentRows) =>
    changesBetween(before, after)
      .map(({ type }) => type)
      .filter((type) => type !== 'tournament.changed')

  test('the type of a change follows the course of a fight', () => {
    const called = cup({ state: 'called', calledSince: now })
    const active = cup({ state: 'active', startTime: now })
    const done = cup({ state: 'done', startTime: now, stopTime: now + 90, winAnnotation: 'KO' }, 0)
    expect(types(cup({}), called)).toEqual(['fight.called'])
    expect(types(called, active)).toEqual(['fight.started'])
    expect(types(active, done)).toEqual(['fight.ended'])
    expect(types(done, active)).toEqual(['fight.corrected'])
    expect(types(active, called)).toEqual(['fight.corrected'])
    const available = cup({ state: 'available', availableSince: now })
    expect(types(cup({ state: 'hold' }), available)).toEqual(['schedule.changed'])
    expect(types(cup({}), done)).toEqual(['fight.ended'])
    const games = [fightRows(open, 'p0', null)]
    const halfFilled = tournamentOf({ id: 'cup', name: 'Cup', active: true }, players, games)
    expect(types(halfFilled, active)).toEqual(['fight.started', 'bracket.advanced'])
    expect(types(halfFilled, called)).toEqual(['fight.called', 'bracket.advanced'])
    expect(types(cup({}), cup({ scheduledTime: now }))).toEqual(['schedule.changed'])
    expect(types(cup({}), cup({ name: 'Final' }))).toEqual(['fight.corrected'])
  })

  test('fight.ended comes with the first outcome, in any order of writing', () => {
    const active = cup({ state: 'active', startTime: now })
    const stopped = { state: 'done', startTime: now, stopTime: now + 90 } as const
    const undecided = cup(stopped)
    const decided = cup({ ...stopped, winAnnotation: 'KO' }, 0)
    expect(types(active, undecided)).toEqual(['fight.corrected'])
    expect(types(undecided, decided)).toEqual(['fight.ended'])
    expect(types(undecided, cup(stopped, 0))).toEqual(['fight.ended'])
    expect(types(undecided, cup({ ...stopped, winAnnotation: 'DF' }))).toEqual(['fight.ended'])
    const slots = undecided.slots.map((slot) => ({ ...slot, state: 'tie' as const }))
    expect(types(undecided, { ...undecided, slots })).toEqual(['fight.ended'])
    expect(types(cup(stopped, 0), decided)).toEqual(['fight.corrected'])
    expect(types(decided, undecided)).toEqual(['fight.corrected'])
  })

  test('places given by the league ask for a reload, places that follow from a result do not', () => {
    const stopped = { state: 'done', startTime: now, stopTime: now + 90 } as const
    const over = (winner: 0 | 1, placement: number | null) =>
      tournamentOf(
        { id: 'cup', active: false, formatType: 'round_robin' },
        [playerRow({ id: 'p0', placement }), playerRow({ id: 'p1', name: 'Other' })],
        [fightRows({ ...stopped, winAnnotation: 'KO' }, 'p0', 'p1', winner)],
      )
    expect(load(over(0, null))?.players.map(({ placement }) => placement)).toContain(1)
    const reloads = (before: TournamentRows, after: TournamentRows) =>
      changesBetween(before, after).some((change) => 'reload' in change && change.reload)
    expect(types(over(0, null), over(1, null))).toEqual(['fight.corrected'])
    expect(reloads(over(0, null), over(1, null))).toBe(false)
    expect(reloads(over(0, null), over(0, 2))).toBe(true)
  })

  const filmed = {
    ...cup({ state: 'done', startTime: now, stopTime: now + 90, winAnnotation: 'KO' }, 0),
    recordings: [recordingRow({ id: 7 })],
    clips: [clipRow({ token: 'a' })],
    stills: [stillRow({ id: 3, playerId: 'p0' })],
  }
  const onFirst = <Row extends object>(rows: readonly Row[], over: Partial<Row>): Row[] =>
    rows.map((row, index) => (index === 0 ? { ...row, ...over } : row))

  test.each<[string, Partial<TournamentRows>]>([
    ['type', { tournament: { ...filmed.tournament, formatType: 'double_elimination' } }],
    ['scoring', { tournament: { ...filmed.tournament, scoringType: 'rounds' } }],
    ['list of annotations', { tournament: { ...filmed.tournament, allowedWinAnnotations: [] } }],
    ['name of a bracket', { brackets: onFirst(filmed.brackets, { name: 'Other' }) }],
    ['kind of a bracket', { brackets: onFirst(filmed.brackets, { isExhibition: true }) }],
    ['format of a bracket', { brackets: onFirst(filmed.brackets, { formatType: 'swiss' }) }],
    ['name of a round', { rounds: onFirst(filmed.rounds, { name: 'Other' }) }],
    ['points of a round', { rounds: onFirst(filmed.rounds, { scoreToWin: 3 }) }],
    ['seed of a player', { players: onFirst(filmed.players, { seed: 7 }) }],
    ['bye of a player', { players: onFirst(filmed.players, { isBye: true }) }],
    ['exclusion of a player', { players: onFirst(filmed.players, { isDisqualified: true }) }],
    ['team of a player', { players: onFirst(filmed.players, { team: 'Sparks' }) }],
    ['driver of a player', { players: onFirst(filmed.players, { driver: 'Kim' }) }],
    ['name of a player', { players: onFirst(filmed.players, { name: 'Other' }) }],
  ])('another %s asks for a reload', (_, over) => {
    const reloads = changesBetween(filmed, { ...filmed, ...over }).map(
      (change) => 'reload' in change && change.reload,
    )
    expect(reloads).toContain(true)
  })

  test('a value that follows another row is no change of its own, also after a restart', () => {
    const cages = {
      cages: [cageRow({ number: 1, status: 'active', tournamentId: 'cup', gameId: 'W-0' })],
      cageQueue: [],
    }
    const { tournament, games, slots } = cup({ state: 'active', startTime: now })
    const rows = { ...filmed, games, slots, tournament: { ...tournament, startTime: now } }
    const changed = (over: Partial<TournamentRows>, expected: string): void => {
      const archive = archiveOf({ tournaments: [rows], cages })
      const after = archiveOf({ tournaments: [{ ...rows, ...over }], cages })
      const changes = diffArchives(archive, after)
      const types = changes.map(({ type }): string => type)
      expect(types.filter((type) => type !== 'cage.changed')).toEqual([expected])
      expect(diffSince({ archive, changes }, after, now + 60)).toEqual([])
    }
    changed({ games: onFirst(rows.games, { startTime: now + 9 }) }, 'fight.corrected')
    for (const over of [{ name: 'Other' }, { weightClass: 3 }, { weightClassName: 'Beetle' }])
      changed({ tournament: { ...rows.tournament, ...over } }, 'tournament.changed')
  })

  test('a game of another round is won with the points of that round', () => {
    const rounds = [1, 3].map((scoreToWin, idx) => ({ bracketId: 'W', idx, name: 'R', scoreToWin }))
    const [before, after] = [0, 1].map((roundIdx) => ({ ...cup({ roundIdx }), rounds }))
    const changes = changesBetween(present(before), present(after))
    expect(changes).toMatchObject([
      { type: 'fight.corrected' },
      { type: 'bracket.advanced', after: { scoreToWin: 3 } },
    ])
  })

  test('a robot that is renamed has another name in its clips, in either corner', () => {
    for (const id of ['p0', 'p1']) {
      const renamed = players.map((row) => (row.id === id ? { ...row, name: 'Other' } : row))
      expect(types(filmed, { ...filmed, players: renamed })).toContain('clip.changed')
    }
  })

  test('a clip, and recordings that change places, are of another fight of the same two', () => {
    const rematch = (clip: string, ...games: readonly string[]) =>
      tournamentOf(
        { id: 'cup' },
        players,
        ['W-0', 'W-1'].map((id) => fightRows({ id }, 'p0', 'p1')),
        {
          clips: [clipRow({ token: 'a', gameId: clip })],
          recordings: games.map((gameId, id) => recordingRow({ id: id + 1, gameId })),
        },
      )
    const before = rematch('W-0', 'W-0', 'W-1')
    expect(types(before, rematch('W-1', 'W-0', 'W-1'))).toEqual(['clip.changed'])
    expect(types(before, rematch('W-0', 'W-1', 'W-0'))).toEqual(Array(2).fill('recording.changed'))
  })

  test('a tournament that is added names its bots, and no byes', () => {
    const rows = tournamentOf({}, [...players, { id: 'b', name: 'Late', isBye: true }], [])
    const after = archiveOf({ tournaments: [rows] })
    expect(diffArchives(archiveOf({ tournaments: [] }), after)).toMatchObject([
      { type: 'tournament.added', bots: ['axe', 'bolt', 'cog', 'dart'] },
    ])
  })

  test('more than 200 changes are a reload, and the results', () => {
    const cupOf = (count: number, cameras: number, winner: 0 | null) => {
      const ids = Array.from({ length: count }, (_, index) => `W-${index}`)
      const state = winner === null ? 'active' : 'done'
      const recordings = ids.flatMap((gameId, index) =>
        Array.from({ length: cameras }, (_, camera) =>
          recordingRow({ id: index * cameras + camera, gameId }),
        ),
      )
      const fights = ids.map((id) => fightRows({ ...open, id, state }, 'p0', 'p1', winner))
      return tournamentOf({ id: 'cup' }, players, fights, { recordings })
    }
    const between = (count: number, cameras: number) =>
      changesBetween(cupOf(count, 0, null), cupOf(count, cameras, 0)).map((change) =>
        'reload' in change ? `reload ${change.reload}` : change.type,
      )
    expect(new Set(between(15, 12))).toEqual(new Set(['fight.ended', 'recording.added']))
    const ended = (count: number) => Array.from({ length: count }, () => 'fight.ended')
    expect(between(20, 12)).toEqual(['reload true', ...ended(20)])
    expect(between(200, 1)).toEqual(['reload true', ...ended(200)])
    expect(between(201, 0)).toEqual(['reload true'])
    const begun = changesBetween(cupOf(20, 0, 0), cupOf(20, 12, null))
    expect(begun.map(({ type }) => type)).toEqual(['tournament.changed'])
  })

  test('each further tournament is a reload with its results after 4,000 changed rows', () => {
    const cupOf = (n: number, isAfter: boolean) => {
      const notice = isAfter ? 'changed' : ''
      const fights = Array.from({ length: isAfter ? 99 : 100 }, (_, index) =>
        fightRows({ ...open, id: `W-${index}`, notice, state: 'active' }, 'p0', 'p1', null),
      )
      const last = fightRows({ id: 'W-last' }, 'p0', 'p1', isAfter ? 0 : null)
      const ended = isAfter ? last : fightRows({ ...open, id: 'W-last' }, 'p0', 'p1', null)
      const isHome = (n === 50) === isAfter
      return tournamentOf({ id: `cup ${n}` }, players, [...fights, ended], {
        clips: n % 50 === 0 && isHome ? [clipRow({ token: 'moves' })] : [],
        stills: isAfter ? [] : [stillRow({ id: n + 1 })],
        recordings: [recordingRow({ id: n + 1, camera: notice || 'Overhead' })],
      })
    }
    const archives = [false, true].map((isAfter) =>
      archiveOf({ tournaments: Array.from({ length: 60 }, (_, n) => cupOf(n, isAfter)) }),
    )
    const [before, after] = [present(archives[0]), present(archives[1])]
    const changes = diffArchives(before, after)
    const count = (wanted: string) => changes.filter(({ type }) => type === wanted).length
    expect([count('fight.removed'), count('fight.ended'), count('still.removed')]).toEqual([
      60, 60, 60,
    ])
    expect(changes.filter((change) => 'reload' in change && change.reload).length).toBe(60)
    expect(count('fight.corrected')).toBe(40 * 99)
    expect(changes.find(({ type }) => type === 'clip.removed')).toBeUndefined()
    expect(comparable(replay(stateOf(before), changes, after), stateOf(after))).toEqual(
      comparable(stateOf(after), stateOf(before)),
    )
  })

  test('addresses are encoded', () => {
    const of = (state: 'active' | 'called') =>
      tournamentOf({ id: 'a/b', name: state, active: true }, players, [
        fightRows({ ...open, id: 'W/0?', state }, 'p0', 'p1', null),
      ])
    const urls = changesBetween(of('called'), of('active')).map(({ url }) => url)
    expect(urls).toEqual(['/tournaments/a%2Fb', '/tournaments/a%2Fb/fights/W%2F0%3F'])
  })

  test('a result is published whole, with its value before', () => {
    const active = cup({ state: 'active', startTime: now })
    const done = cup({ state: 'done', startTime: now, stopTime: now + 90, winAnnotation: 'KO' }, 0)
    expect(changesBetween(active, done)).toContainEqual(
      expect.objectContaining({
        type: 'fight.ended',
        tournamentID: 'cup',
        gameID: 'W-0',
        bots: ['axe', 'bolt'],
        url: '/tournaments/cup/fights/W-0',
        before: expect.objectContaining({ state: 'active', stopTime: 0, player1wins: 0 }),
        after: expect.objectContaining({
          player1: 'Axe',
          player1wins: 1,
          winAnnotation: 'KO',
          matchLength: 90,
        }),
      }),
    )
  })

  test.each([
    ['another fight', 'p2', 'recording.changed'],
    ['a game that is no fight', null, 'recording.removed'],
  ] as const)('a recording that moves to %s is no longer of the first', (_, opponent, expected) => {
    const filmed = (second: string) => {
      const fights = [
        fightRows({ id: 'W-0' }, 'p0', 'p1'),
        fightRows({ id: 'W-1' }, 'p3', opponent),
      ]
      const recordings = ['W-0', second].map((gameId, id) => recordingRow({ id, gameId }))
      return tournamentOf({ id: 'cup' }, players, fights, { recordings })
    }
    expect(types(filmed('W-0'), filmed('W-1'))).toEqual([expected])
  })

  test('a robot that advances fills a slot', () => {
    const final = (playerId: string | null) => {
      const rows = cup({ state: 'done' }, 0)
      const game = gameRow({ ...open, id: 'W-1', position: 1, name: 'Final' })
      return {
        ...rows,
        games: [...rows.games, game],
        slots: [...rows.slots, slotRow({ gameId: 'W-1', playerId, prevGameId: 'W-0' })],
      }
    }
    const [change, ...others] = changesBetween(final(null), final('p0'))
    expect(others).toEqual([])
    expect(change).toMatchObject({
      type: 'bracket.advanced',
      gameID: 'W-1',
      after: { slots: [{ playerID: 'p0', prevGameID: 'W-0' }, { playerID: '' }] },
    })
  })

  test('a fight that another game feeds from now on is another game of the bracket, too', () => {
    const fed = (prevGameId: string | null): TournamentRows => {
      const rows = cup({})
      return { ...rows, slots: rows.slots.map((slot) => ({ ...slot, prevGameId })) }
    }
    expect(types(fed(null), fed('W-9'))).toEqual(['fight.corrected', 'bracket.advanced'])
  })

  test('a result is no correction of other fights of the two, which show it in their records', () => {
    const withOthers = (rows: TournamentRows, scheduledTime: number): TournamentRows => {
      const others = [
        fightRows({ ...open, id: 'W-1', scheduledTime }, 'p0', 'p2'),
        fightRows({ ...open, id: 'W-2', scheduledTime }, 'p1', 'p3'),
      ]
      return {
        ...rows,
        games: [...rows.games, ...others.flatMap(({ games }) => games)],
        slots: [...rows.slots, ...others.flatMap(({ slots }) => slots)],
      }
    }
    const active = cup({ state: 'active', startTime: now })
    const done = cup({ state: 'done', startTime: now, stopTime: now + 9, winAnnotation: 'KO' }, 0)
    expect(types(withOthers(active, now), withOthers(done, now + 60))).toEqual([
      'fight.ended',
      'schedule.changed',
      'schedule.changed',
    ])
  })

  test('a fight against a bye is none, and still a game', () => {
    const bye = players.map((row) => (row.id === 'p1' ? { ...row, isBye: true } : row))
    const after = { ...cup({}), players: bye }
    expect(types(cup({}), after)).toEqual(['fight.removed', 'bracket.advanced'])
  })

  test('nothing changes if equal rows are read again', async () => {
    const again = { ...small, tournaments: structuredClone(small.tournaments) }
    const before = archiveOf(small)
    const after = await nextArchive(before, small, again)
    expect(after.dataset.tournaments[0]).not.toBe(before.dataset.tournaments[0])
    expect(after.clips.newestFirst.length * after.stills.newestFirst.length).toBeGreaterThan(0)
    expect(diffArchives(before, after)).toEqual([])
  })

  test('nothing changes with a counter or the time of the last update', () => {
    const before = { ...cup({ state: 'done' }, 0), clips: [clipRow({ token: 'a', views: 3 })] }
    const after = {
      ...before,
      tournament: { ...before.tournament, updateTime: now },
      clips: [clipRow({ token: 'a', views: 4 })],
    }
    expect(changesBetween(before, after)).toEqual([])
  })
})

describe('removals', () => {
  const filmed = {
    ...cup({ state: 'done' }, 0),
    recordings: [recordingRow({ id: 7 })],
    clips: [clipRow({ token: 'clip-a' })],
    stills: [stillRow({ id: 3 })],
  }
  const empty = archiveOf({ tournaments: [] })
  const full = archiveOf({
    tournaments: [filmed],
    cages: {
      cages: [cageRow({ number: 1, status: 'completed', tournamentId: 'cup', gameId: 'W-0' })],
      cageQueue: [],
    },
  })

  test('a tournament goes with one removal by id, and its cage without a word of it', () => {
    const changes = diffArchives(full, empty)
    expect(changes).toMatchObject([
      { type: 'tournament.removed', tournamentID: 'cup', bots: [] },
      { type: 'cage.changed', cageNumber: 1, after: { status: 'idle', match: null } },
    ])
    expect(JSON.stringify(changes)).not.toMatch(/axe|bolt/i)
    expect(JSON.stringify(changes[1])).not.toContain('cup')
    expect(diffSince({ archive: full, changes: [] }, empty, now)).toEqual(changes)
  })

  test('a cage that leaves the league changes to null', () => {
    const cages = { cages: [cageRow({ number: 3 })], cageQueue: [] }
    const before = archiveOf({ tournaments: [], cages })
    const changes = diffArchives(before, empty)
    expect(changes).toMatchObject([{ type: 'cage.changed', cageNumber: 3, after: null }])
    expect(diffSince({ archive: before, changes }, empty, now)).toEqual([])
    expect(diffSince({ archive: before, changes }, before, now)).toMatchObject([
      { type: 'cage.changed', cageNumber: 3, after: { cageNumber: 3 } },
    ])
  })

  test('a change of players is a change of the tournament that names who comes and who leaves', () => {
    const [before, after] = ['Axe', 'Bolt'].map((name) => ({
      ...cup({}),
      players: [playerRow({ id: 'p1', name: 'Stays' }), playerRow({ id: 'p2', name })],
      games: [],
      slots: [],
    }))
    const [change] = before && after ? changesBetween(before, after) : []
    expect(change).toMatchObject({ type: 'tournament.changed', tournamentID: 'cup' })
    expect(change?.bots.toSorted()).toEqual(['axe', 'bolt', 'stays'])
  })

  test('a fight takes its recordings and clips along', () => {
    const without = { ...cup({}), games: [], slots: [], stills: filmed.stills }
    const changes = changesBetween(filmed, without)
    expect(changes.map(({ type }) => type)).toEqual(['fight.removed', 'tournament.changed'])
  })

  test('a fight that stops being one for a while gets its recordings and clips again', () => {
    const [red] = filmed.slots
    const [archive, later] = [filmed, { ...filmed, slots: red ? [red] : [] }].map((rows) =>
      archiveOf({ tournaments: [rows] }),
    )
    if (!archive || !later) throw new Error('no archives')
    const changes = diffArchives(archive, later)
    expect(changes[0]).toMatchObject({ type: 'fight.removed' })
    expect(diffSince({ archive, changes }, later, now)).toEqual([])
    const back = diffSince({ archive, changes }, archive, now)?.map(({ type }) => type)
    expect(back).toContain('recording.added')
    expect(back).toContain('clip.added')
    expect(diffArchives(later, archive).map(({ type }) => type)).toContain('recording.added')
  })

  test('a bot keeps no name of a tournament that is gone', () => {
    const named = (id: string, name: string, createTime: number) =>
      tournamentOf(
        { id, name: id, createTime, startTime: createTime },
        [playerRow({ id: 'p0', name })],
        [],
      )
    const older = named('older', 'B O L T', 1_000)
    const a = archiveOf({ tournaments: [older] })
    const b = archiveOf({ tournaments: [older, named('newer', 'Bolt!', 2_000)] })
    const rename = diffArchives(a, b).filter(({ type }) => type === 'bot.renamed')
    expect(rename).toMatchObject([{ before: { name: 'B O L T' }, after: { name: 'Bolt!' } }])
    const back = diffArchives(b, a).filter(({ type }) => type === 'bot.renamed')
    expect(back).toMatchObject([{ tournamentID: 'older', after: { name: 'B O L T' } }])
    expect(JSON.stringify(back)).not.toContain('Bolt!')
  })
})

describe('the readers of a change', () => {
  const between = (
    before: readonly TournamentRows[],
    after: readonly TournamentRows[],
    cages: readonly [CageRows, CageRows] = [noCages, noCages],
  ) =>
    diffArchives(
      archiveOf({ tournaments: before, cages: cages[0] }),
      archiveOf({ tournaments: after, cages: cages[1] }),
    )
  const heardBy = (changes: readonly Change[], filter: { bot: string } | { tournament: string }) =>
    changes
      .map((change, index) => ({
        change,
        entry: entryAt(change, index + 1),
      }))
      .filter(({ entry }) =>
        matches(
          {
            types: undefined,
            bots: 'bot' in filter ? namesText([filter.bot]) : undefined,
            tournament: 'tournament' in filter ? filter.tournament : undefined,
          },
          entry,
        ),
      )
      .map(({ change }) => change.type)
  const cupOf = (red: string | null, blue: string | null, game = {}, extra = {}) =>
    tournamentOf(
      { id: 'cup', name: 'Cup' },
      players,
      [fightRows({ ...open, ...game }, red, blue), fightRows({ ...open, id: 'W-1' }, 'p2', 'p3')],
      extra,
    )

  test('readers of a bot get its replacement in a fight to come', () => {
    const changes = between([cupOf('p0', 'p1')], [cupOf('p2', 'p1')])
    for (const bot of ['axe', 'cog', 'bolt']) expect(heardBy(changes, { bot })).not.toEqual([])
    expect(heardBy(changes, { bot: 'dart' })).toEqual([])
  })

  test('readers of both bots get a still that becomes one of the other', () => {
    const still = (playerId: string) => ({ stills: [stillRow({ id: 3, playerId })] })
    const changes = between(
      [cupOf('p0', 'p1', {}, still('p0'))],
      [cupOf('p0', 'p1', {}, still('p1'))],
    )
    for (const bot of ['axe', 'bolt']) expect(heardBy(changes, { bot })).toContain('still.changed')
    expect(heardBy(changes, { bot: 'cog' })).toEqual([])
  })

  test('readers of a bot get that it comes to a game whose other corner is open, or leaves it', () => {
    const [free, taken] = [[cupOf(null, null)], [cupOf('p0', null)]]
    for (const changes of [between(free, taken), between(taken, free)])
      expect(heardBy(changes, { bot: 'axe' })).toEqual(['bracket.advanced'])
  })

  test('readers of both names get the end of a fight whose bot is renamed', () => {
    const rows = cupOf('p0', 'p1', { state: 'done', winAnnotation: 'KO' })
    const renamed = rows.players.map((row) => (row.id === 'p0' ? { ...row, name: 'Blade' } : row))
    const changes = between([cupOf('p0', 'p1')], [{ ...rows, players: renamed }])
    for (const bot of ['axe', 'blade']) expect(heardBy(changes, { bot })).toContain('fight.ended')
  })

  test('readers of a bot get its withdrawal', () => {
    const rows = cupOf('p1', 'p2')
    const without = rows.players.filter(({ id }) => id !== 'p0')
    expect(heardBy(between([rows], [{ ...rows, players: without }]), { bot: 'axe' })).toEqual([
      'tournament.changed',
    ])
  })

  test.each(['clips', 'recordings'] as const)(
    'readers of the bots of both fights get %s that move between them',
    (table) => {
      const moved = (gameId: string) =>
        cupOf(
          'p0',
          'p1',
          { state: 'done' },
          {
            clips: [clipRow({ token: 'a', gameId: table === 'clips' ? gameId : 'W-0' })],
            recordings: [recordingRow({ id: 7, gameId: table === 'recordings' ? gameId : 'W-0' })],
          },
        )
      const changes = between([moved('W-0')], [moved('W-1')])
      for (const bot of ['axe', 'dart']) {
        expect(heardBy(changes, { bot })).toEqual([
          table === 'clips' ? 'clip.changed' : 'recording.changed',
        ])
      }
    },
  )

  test('readers of a bot get that its cage is cleared, which names no bot of a hidden fight', () => {
    const busy: CageRows = {
      cages: [cageRow({ number: 1, status: 'assigned', tournamentId: 'cup', gameId: 'W-0' })],
      cageQueue: [],
    }
    const cleared = between([cupOf('p0', 'p1')], [cupOf('p0', 'p1')], [busy, noCages])
    expect(heardBy(cleared, { bot: 'axe' })).toEqual(['cage.changed'])
    expect(heardBy(cleared, { bot: 'cog' })).toEqual([])
    expect(heardBy(cleared, { tournament: 'cup' })).toEqual(['cage.changed'])
    const hidden = between([cupOf('p0', 'p1')], [], [busy, noCages])
    expect(JSON.stringify(hidden)).not.toMatch(/axe/i)
    expect(heardBy(hidden, { bot: 'axe' })).toEqual(['tournament.removed', 'cage.changed'])
    expect(heardBy(hidden, { tournament: 'cup' })).toEqual(['tournament.removed', 'cage.changed'])
    const left = between([cupOf('p0', 'p1')], [cupOf('p0', null)], [busy, busy])
    expect(left.find(({ type }) => type === 'cage.changed')?.bots).toEqual([])
    const waiting = { cage: 1, position: 0, tournamentId: 'cup', gameId: 'W-1' }
    const queued = [busy, { ...busy, cageQueue: [waiting] }] as const
    const called = between([cupOf('p0', 'p1')], [cupOf('p0', 'p1')], queued)
    for (const bot of ['axe', 'cog']) expect(heardBy(called, { bot })).toEqual(['cage.changed'])
    const other = { ...cupOf('p0', 'p1'), tournament: tournamentRow({ id: 'other' }) }
    const both = [cupOf('p0', 'p1'), other]
    const elsewhere = [
      busy,
      { ...busy, cageQueue: [{ ...waiting, tournamentId: 'other' }] },
    ] as const
    for (const tournament of ['cup', 'other'])
      expect(heardBy(between(both, both, elsewhere), { tournament })).toEqual(['cage.changed'])
  })

  test('readers of any bot get a removal of any kind', () => {
    const full = cupOf(
      'p0',
      'p1',
      { state: 'done' },
      {
        recordings: [recordingRow({ id: 7 })],
        clips: [clipRow({ token: 'a' })],
        stills: [stillRow({ id: 3 })],
      },
    )
    const bare = { ...full, recordings: [], clips: [], stills: [] }
    const kinds = ['recording.removed', 'clip.removed', 'still.removed'] as const
    expect(heardBy(between([full], [bare]), { bot: 'nobody' })).toEqual([...kinds])
  })

  describe('media that move to another tournament', () => {
    const cupWith = (id: string, hasMedia: boolean) =>
      tournamentOf({ id, name: id }, players, [fightRows({ state: 'done' }, 'p0', 'p1', 0)], {
        recordings: hasMedia ? [recordingRow({ id: 7 })] : [],
        clips: hasMedia ? [clipRow({ token: 'a' })] : [],
        stills: hasMedia ? [stillRow({ id: 3 })] : [],
      })

    test.each([
      ['older', 'newer'],
      ['newer', 'older'],
    ])(
      'readers of both tournaments get moved media, and nothing is removed: %s to %s',
      (from, to) => {
        const before = [from, to].map((id) => cupWith(id, id === from))
        const after = [from, to].map((id) => cupWith(id, id === to))
        const changes = between(before, after)
        const kinds = ['recording.changed', 'clip.changed', 'still.changed'] as const
        expect(changes.map(({ type }) => type)).toEqual([...kinds])
        for (const tournament of [from, to]) {
          expect(heardBy(changes, { tournament })).toEqual([...kinds])
        }
        const left = archiveOf({ tournaments: before })
        const end = archiveOf({ tournaments: after })
        const [a, b] = [stateOf(left), stateOf(end)]
        const reached = changes.reduce((state, change) => apply(state, change, () => undefined), a)
        expect(comparable(reached, b)).toEqual(comparable(b, b))
        expect(diffSince({ archive: left, changes }, end, now)).toEqual([])
        const back = diffSince({ archive: left, changes }, left, now)
        expect(back?.map(({ type }) => type)).toEqual([...kinds])
      },
    )

    test('media that move from a hidden tournament are removed first, then added without its name', () => {
      const changes = between([cupWith('from', true), cupWith('to', false)], [cupWith('to', true)])
      expect(changes.map(({ type }) => type)).toEqual([
        'tournament.removed',
        'recording.added',
        'clip.added',
        'still.added',
      ])
    })
  })
})

describe('the columns of a fight', () => {
  const done = { state: 'done', startTime: now, stopTime: now + 90, winAnnotation: 'KO' } as const
  const states: Readonly<Record<string, TournamentRows>> = {
    done: cup(done, 0),
    called: cup({ state: 'called', calledSince: now }),
    available: cup({ state: 'available', availableSince: now }),
  }
  const { cages } = archiveOf({ tournaments: [] })
  const answers = (each: TournamentRows): string => {
    const tournament = load(each)
    const fight = tournament?.fights[0]
    if (!tournament || !fight) throw new Error('no fight')
    return JSON.stringify([
      fightSummary(fight),
      fightDetails(tournament, fight, nothingExpected),
      fightStats(fight),
      bracketGame(fight),
      ...(fight.state === 'pending'
        ? [scheduledMatch(scheduled(fight, cages, now, nothingExpected), () => ({}))]
        : []),
    ])
  }
  /** Another value of the same kind. */
  const otherThan = (value: unknown): unknown =>
    typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : 'Other'
  const guesses: readonly unknown[] = [1, 'Other', true, now + 7]
  const tables = ['games', 'slots'] as const
  const columns = Object.entries(states).flatMap(([state, rows]) =>
    tables.flatMap((table) =>
      Object.entries(rows[table][0] ?? {}).map(
        ([column, value]) => [state, table, column, value, rows] as const,
      ),
    ),
  )

  test.each(columns)(
    '%s: a change of only %s.%s is a change in every place that shows it',
    (...each) => {
      const [, table, column, current, rows] = each
      for (const value of current === null ? guesses : [otherThan(current)]) {
        const edited: TournamentRows = {
          ...rows,
          [table]: rows[table].map((row, index) =>
            index === 0 ? { ...row, [column]: value } : row,
          ),
        }
        let shown: string
        try {
          shown = answers(edited)
        } catch {
          // These rows are refused by their schema, or are no fight any more.
          continue
        }
        if (shown === answers(rows)) continue
        expect(changesBetween(rows, edited)).not.toEqual([])
      }
    },
  )
})

test('fight rows of changes have the corners of the fight, as in /bulk', () => {
  let fights = 0
  for (const tournament of archiveOf(small).dataset.tournaments) {
    const { fights: rows } = rowsOfTournament(tournament)
    for (const fight of tournament.fights) {
      const { player1, player2 } = fightDetails(tournament, fight, nothingExpected)
      expect(present(rows.get(fight.id)).corners).toEqual([player1, player2])
      fights += 1
    }
  }
  expect(fights).toBeGreaterThan(40)
})

test('URLs of a change have the prefix of the service; its page has one only if there are pages', () => {
  const [change] = changesBetween(cup({}), cup({ notice: 'Delayed' }))
  for (const hasPages of [true, false]) {
    const site = { linkPath: '/api', hasPages }
    const place = { epoch: 'aaaaaaaa', seq: 1 }
    const { text } = entryOf(present(change), { place, time: now, version: 'v', site })
    const { url, page } = JSON.parse(text)
    expect([url, page]).toEqual([
      '/api/tournaments/cup/fights/W-0?v=v',
      hasPages ? '/api/w/cup/W-0' : undefined,
    ])
  }
})

test('a called fight that gets another cage is not called again', () => {
  const called = { state: 'called', calledSince: now, cage: 'Cage 1' } as const
  expect(changesBetween(cup(called), cup({ ...called, cage: 'Cage 2' }))).toMatchObject([
    { type: 'schedule.changed', before: { cage: 'Cage 1' }, after: { cage: 'Cage 2' } },
  ])
})

test.each(['createTime', 'scheduledStartTime', 'startTime'])(
  'a tournament that its %s makes the newest renames its bots',
  (time) => {
    const named = (id: string, name: string, value: number) =>
      tournamentOf(
        {
          id,
          name: id,
          createTime: 1000,
          startTime: null,
          scheduledStartTime: null,
          [time]: value,
        },
        [playerRow({ id: 'p0', name })],
        [],
      )
    const at = (value: number): Archive =>
      archiveOf({
        tournaments: [named('a', 'B O L T', 3000), named('b', 'Bolt', value)],
      })
    const changes = diffArchives(at(2000), at(4000))
    expect(changes).toMatchObject([
      { type: 'tournament.changed', tournamentID: 'b' },
      { type: 'bot.renamed', before: { name: 'B O L T' }, after: { name: 'Bolt' } },
    ])
    // A process that starts with the previous archive finds the changes again.
    expect(diffSince({ archive: at(2000), changes }, at(2000), now)).toMatchObject([
      { type: 'tournament.changed', tournamentID: 'b' },
      { type: 'bot.renamed', before: { name: 'Bolt' }, after: { name: 'B O L T' } },
    ])
  },
)

test('two versions are compared in steps of a tournament, or of a bot if entrants differ', () => {
  const rowsOf = (notice: string, suffix: string) =>
    Array.from({ length: 40 }, (_, n) =>
      tournamentOf(
        { id: `t${n}` },
        [{ id: `a${n}`, name: `Axe ${n} ${suffix}` }, { id: `b${n}` }],
        [fightRows({ notice }, `a${n}`, `b${n}`)],
      ),
    )
  const stepsTo = (suffix: string): number => {
    const [before, after] = [rowsOf('one', ''), rowsOf('two', suffix)].map((tournaments) =>
      archiveOf({ tournaments }),
    )
    return Array.from(diffSteps({ archive: present(before) }, present(after), 0)).length
  }
  expect(stepsTo('')).toBe(2 * 40)
  expect(stepsTo('new')).toBe(2 * 40 + 3 * 40)
})
