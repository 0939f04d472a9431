import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import type { TObject, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { insertLeague } from '../../scripts/load.ts'
import { deleteRows, insertRows, updateRows, withProxyUrls } from '../../scripts/rowStatements.ts'
import type { App } from '../../src/app.ts'
import { bulkNames } from '../../src/companions/bulk/tables.ts'
import { createChanges } from '../../src/companions/changes/changes.ts'
import type { Archive, OpenedService, ServedRows } from '../../src/data/archive/archive.ts'
import { openPostgres } from '../../src/data/following/fromPostgres.ts'
import { openMirror } from '../../src/data/mirror/openMirror.ts'
import { openPool, transact } from '../../src/data/source/connection.ts'
import {
  CageQueueRow,
  CageRow,
  TournamentRow,
  type TournamentRows,
  tournamentTables,
} from '../../src/data/source/rows.ts'
import { allTables, columnsOf, rowKey, sqlName, type Table } from '../../src/data/source/tables.ts'
import { createLog } from '../../src/runtime/log.ts'
import { everyAddressOf, everyPageOf } from '../everyAddress.ts'
import { appOf } from '../fixtures.ts'
import { freshDatabase, type TestDatabase } from '../postgres.ts'
import { temporaryFolder } from '../process.ts'
import {
  cageRow,
  clipRow,
  fightRows,
  gameRow,
  playersNamed,
  recordingRow,
  slotRow,
  stillRow,
  tournamentOf,
} from '../rows.ts'
import { until } from '../until.ts'

const surfaces = ['JSON', 'bulk', 'changes', 'page', 'snapshot', 'mirror'] as const
type Surface = (typeof surfaces)[number]

const now = 1_770_003_600
/** Maximum time until a change is served. */
const maxWaitMs = 20_000

const unplayed = {
  winAnnotation: null,
  startTime: null,
  stopTime: null,
  endTime: null,
  timerDuration: null,
}
/** The last tournament has no fight. */
const players = ['Axe', 'Blade', 'Cog', 'Drum', 'Elm']
const done = { id: 'W-0', loserPlacement: 3, scheduledTime: 1_770_000_050 }
const active = {
  ...unplayed,
  id: 'W-1',
  state: 'active',
  startTime: now - 60,
  position: 1,
} as const
const called = { ...unplayed, id: 'W-2', roundIdx: 1, state: 'called' } as const
const later = { ...unplayed, id: 'W-3', roundIdx: 1, state: 'available' } as const
/** An event under way with a fight of each state, and something in every table. */
const event = tournamentOf(
  { id: 'cup', name: 'Cup', active: true },
  players.map((name, index) => ({ id: `p${index}`, name })),
  [
    fightRows(done, 'p0', 'p1'),
    fightRows(active, 'p2', 'p3', null),
    fightRows({ ...called, scheduledTime: now + 900, calledSince: now - 30 }, 'p0', 'p2', null),
    fightRows(later, 'p1', 'p3', null),
    fightRows({ ...later, id: 'W-5', position: 1 }, 'p0', 'p3', null),
  ],
  {
    brackets: [
      { id: 'L', position: 1, name: 'Losers', isExhibition: false, formatType: null },
      { id: 'W', position: 0, name: 'Winners', isExhibition: false, formatType: null },
    ],
    rounds: [
      { bracketId: 'L', idx: 0, name: 'Losers 1', scoreToWin: 1 },
      { bracketId: 'W', idx: 0, name: 'Opening', scoreToWin: 1 },
      { bracketId: 'W', idx: 1, name: 'Final', scoreToWin: 1 },
    ],
    pauses: [
      { gameId: 'W-0', idx: 0, startTime: 1_770_000_120, stopTime: 1_770_000_130 },
      { gameId: 'W-0', idx: 1, startTime: 1_770_000_150, stopTime: 1_770_000_155 },
    ],
    judgeLines: ['Ann: Damage 3-2', 'Bob: Damage 2-3'].map((line, idx) => ({
      gameId: 'W-0',
      idx,
      line,
    })),
    recordings: [recordingRow({ id: 1 }), recordingRow({ id: 2, camera: 'Cage-2-Low' })],
    clips: [clipRow({ token: 'clip-1' })],
    stills: [
      stillRow({ id: 1, playerId: 'p0', isHero: true, isCurated: true }),
      stillRow({ id: 2 }),
    ],
    stillTags: [{ stillId: 1, tag: 'action' }],
  },
)
/** The game is in the losers' bracket and has one corner. */
const cup = {
  ...event,
  games: [...event.games, gameRow({ ...later, id: 'W-4', bracketId: 'L', roundIdx: 0 })],
  slots: [...event.slots, slotRow({ gameId: 'W-4', idx: 1, playerId: 'p1' })],
}
/** A finished tournament with an untimed fight, and a future one. */
const over = tournamentOf(
  { id: 'over', name: 'Over', startTime: 1_769_000_000, endTime: 1_769_009_000 },
  playersNamed('Axe', 'Elm'),
  [fightRows({ startTime: null, stopTime: null, endTime: null }, 'p0', 'p1')],
)
const soon = tournamentOf({ id: 'soon', scheduledStartTime: now + 86_400 }, [], [])
const league = {
  tournaments: [cup, over, soon],
  cages: [
    cageRow({
      number: 2,
      status: 'paused',
      tournamentId: 'cup',
      gameId: 'W-1',
      pausedSince: now - 20,
    }),
    cageRow({ number: 3, status: 'assigned', tournamentId: 'cup', gameId: 'W-3' }),
  ],
  cageQueue: ['W-2', 'W-5'].map((gameId, position) => ({
    cage: 2,
    position,
    tournamentId: 'cup',
    gameId,
  })),
}

interface Edit {
  /** The tournament of the row; the one under way by default. */
  readonly of?: TournamentRows
  /** Finds the row that is changed; the first by default. */
  readonly row?: object
  /** New value of the column; by default one that is found nowhere else. */
  readonly value?: unknown
  /** The new value as spelled in payloads, if different. */
  readonly shown?: string
}
const inCage = { gameId: 'W-1' }
const winners = { id: 'W' }
const opening = { bracketId: 'W' }
const edits: Readonly<Record<string, Edit>> = {
  'tournaments.scheduledStartTime': { row: { id: 'soon' } },
  'brackets.position': { row: winners, value: 5 },
  'brackets.name': { row: winners },
  'brackets.isExhibition': { row: winners },
  'brackets.formatType': { row: winners, value: 'swiss' },
  'rounds.bracketId': { row: { ...opening, idx: 1 }, value: 'L' },
  'rounds.name': { row: opening },
  'rounds.scoreToWin': { row: opening },
  'players.seed': { row: { id: 'p4' } },
  'players.isDisqualified': { row: { id: 'p4' } },
  'players.placement': { of: over },
  'games.bracketId': { value: 'L' },
  'games.roundIdx': { value: 1 },
  'games.position': { value: 5 },
  'games.scheduledTime': { row: { id: 'W-2' } },
  'games.availableSince': { row: { id: 'W-2' } },
  'games.calledSince': { row: { id: 'W-2' } },
  'slots.gameId': { value: 'W-4' },
  'slots.idx': { row: { gameId: 'W-4' }, value: 0 },
  'slots.playerId': { value: 'p3' },
  'slots.isReady': { row: { gameId: 'W-3' } },
  'slots.tapped': { row: inCage },
  'pauses.gameId': { value: 'W-1' },
  'pauses.idx': { value: 5 },
  'pauses.stopTime': { value: 1_770_000_157, shown: '"seconds":37' },
  'judgeLines.gameId': { value: 'W-1' },
  'judgeLines.idx': { value: 5 },
  'recordings.gameId': { value: 'W-1' },
  'clips.gameId': { value: 'W-1' },
  'clips.durationMs': { value: 9_753_000, shown: '9753' },
  'stills.playerId': { value: 'p1' },
  'stillTags.stillId': { value: 2 },
  'cages.tournamentId': { value: 'over' },
  'cages.gameId': { value: 'W-2' },
  'cageQueue.position': { value: 5 },
  'cageQueue.tournamentId': { value: 'over' },
  'cageQueue.gameId': { value: 'W-1' },
}

/** Columns, or whole tables, that some outputs leave out. */
const exceptions: readonly {
  readonly in: readonly Surface[]
  readonly of: readonly string[]
  readonly because: string
}[] = [
  {
    in: surfaces,
    of: ['tournaments.source'],
    because: 'it is for imports, which read it from the database',
  },
  {
    in: ['bulk'],
    of: ['cages', 'cageQueue'],
    because: 'its files are of the archive, without the state of the cages',
  },
  {
    in: ['bulk'],
    of: ['games.scheduledTime', 'games.calledSince', 'games.availableSince', 'slots.tapped'],
    because: 'as in /fights, a fight has no times of waiting; /schedule and /cages have them',
  },
  {
    in: ['bulk'],
    of: ['games.countdown', 'games.timerDuration', 'slots.unstickTime', 'slots.showMotionTime'],
    because: 'a fight is as in /fights, and its clock is in /stats/fight',
  },
  {
    in: ['bulk'],
    of: ['pauses'],
    because: 'a fight is as in /fights, and its pauses are in /stats/fight',
  },
  {
    in: ['changes'],
    of: ['tournaments.updateTime', 'cages.updateTime', 'clips.views', 'clips.likes'],
    because: 'what counts or dates changes is no change of its own',
  },
  {
    in: ['page'],
    of: ['clips', 'stills.id', 'stills.token', 'stills.source', 'stills.takenTime', 'stillTags'],
    because: 'pages show no clips, and of stills the hero picture of a bot alone',
  },
  {
    in: ['page', 'bulk', 'changes'],
    of: ['clips.isCurated', 'stills.isCurated'],
    because: 'no row shows it; it chooses what the legacy galleries show',
  },
  {
    in: ['page'],
    of: [
      'tournaments.isFreestyle',
      'tournaments.weightGrams',
      'tournaments.scoringType',
      'tournaments.allowedWinAnnotations',
      'tournaments.scoreToWin',
    ],
    because: 'pages show how fights went, not by which rules',
  },
  {
    in: ['page'],
    of: [
      'games.countdown',
      'games.timerDuration',
      'games.availableSince',
      'slots.isReady',
      'slots.tapped',
      'slots.unstickTime',
      'slots.showMotionTime',
      'pauses.idx',
      'cages.updateTime',
    ],
    because: 'details of the event software, for programs; the clock of a page is that of the cage',
  },
]

const schemas: Readonly<Record<Table, TObject>> = {
  tournaments: TournamentRow,
  ...tournamentTables,
  cages: CageRow,
  cageQueue: CageQueueRow,
}
const rowsOf = (tournament: TournamentRows): Readonly<Record<Table, readonly object[]>> => ({
  ...tournament,
  ...league,
  tournaments: [over.tournament, soon.tournament],
  recordings: tournament.recordings.map(withProxyUrls),
})
const columns = allTables.flatMap((table) =>
  Object.entries<TSchema>(schemas[table].properties).map(
    ([property, schema]) => [`${table}.${property}`, table, property, schema] as const,
  ),
)

const propertyOf = (row: object, property: string): unknown =>
  new Map(Object.entries(row)).get(property)

/** Another value of a column, if possible one that occurs nowhere else. */
const anotherValue = (schema: TSchema, before: unknown): unknown => {
  const literals: readonly TSchema[] = schema.anyOf ?? []
  return [
    'Sentinel',
    'https://sentinel.example/film',
    ['Sentinel'],
    // Close to the time before, so that it stays between others.
    ...(typeof before === 'number' && before > 1e9 ? [before + 7] : []),
    ...[1_770_000_777, 97_531, 9753, 579],
    ...literals.map(({ const: value }) => value),
    !before,
  ].find((value) => value !== before && Value.Check(schema, value))
}

/** Spellings of a value in payloads; empty if it occurs elsewhere too. */
const spellingsOf = (value: unknown): readonly string[] => {
  if (typeof value === 'number' && value > 500) {
    const seconds = Math.floor(value)
    return [String(seconds), new Date(seconds * 1000).toISOString().slice(0, 19)]
  }
  return /sentinel/i.test(String(value)) ? [String(value)] : []
}

/** Data of a service at some time, and the answers made from it. */
interface Version {
  readonly archive: Archive
  readonly rows: ServedRows | undefined
  readonly answers: Map<string, string>
}
const versionOf = (service: OpenedService): Version => {
  const archive = service.archive()
  if (!archive) throw new Error('nothing is loaded')
  return { archive, rows: service.rows(), answers: new Map() }
}

const readText = async (app: App, path: string): Promise<string> => {
  const bytes = await (await app(new Request(`http://localhost${path}`))).bytes()
  if (path === '/snapshot') return String(Bun.hash(bytes))
  return path.endsWith('.gz') ? gunzipSync(bytes).toString() : new TextDecoder().decode(bytes)
}

const log = createLog('silent')
let database: TestDatabase
let admin: ReturnType<typeof openPool>
let origin: OpenedService
let mirror: OpenedService
let live: App
let server: Bun.Server<undefined>
let first: Version

beforeAll(async () => {
  database = await freshDatabase()
  admin = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  await insertLeague(database.adminUrl, league)
  const changes = createChanges()
  const options = { refreshMs: 20, log }
  origin = openPostgres(database.readerUrl, {
    ...options,
    dataDir: await temporaryFolder(),
    changes: changes.feed,
  })
  await origin.firstLoad
  first = versionOf(origin)
  live = appOf({ ...origin, now: () => now }, { changes })
  server = Bun.serve({
    port: 0,
    // A long poll: once loaded, the mirror waits for the next version.
    fetch: async (request) => {
      for (;;) {
        const archive = origin.archive()
        const response = await live(request)
        const isWaiting = response.status === 304 && mirror.archive() && !request.signal.aborted
        if (!isWaiting) return response
        await until(() => request.signal.aborted || origin.archive() !== archive)
      }
    },
  })
  mirror = openMirror(`http://127.0.0.1:${server.port}/snapshot`, {
    ...options,
    minRefreshMs: 0,
    refreshMs: 0,
    dataDir: await temporaryFolder(),
  })
  await mirror.firstLoad
})
afterAll(async () => {
  await mirror.stop()
  await server.stop(true)
  await origin.stop()
  await admin.end({ timeout: 1 })
  await database.drop()
})

/** Waits for two refreshes that began from now on. */
const refreshed = async (): Promise<void> => {
  for (let look = 0; look < 2; look += 1) {
    const { lastRefresh } = origin.status()
    await until(() => origin.status().lastRefresh !== lastRefresh)
  }
}

/** Writes a row without foreign keys, so that any column can change by itself. */
const write = (table: Table, before: object, after: object, of: TournamentRows): Promise<void> => {
  const id = table in tournamentTables ? of.tournament.id : undefined
  const isSameKey = rowKey(table).every(
    (name) => propertyOf(before, name) === propertyOf(after, name),
  )
  return transact(admin, async (sql) => {
    await sql.unsafe('SET LOCAL session_replication_role = replica')
    if (isSameKey) return updateRows(sql, table, [after], id)
    await deleteRows(sql, table, [before], id)
    await insertRows(sql, table, [after], id)
  })
}

describe('a change of one column', () => {
  let served: Version
  let app: App
  let addresses: ReadonlyMap<Surface, string[]>
  beforeAll(() => {
    const { archive } = first
    served = first
    app = appOf({
      ...origin,
      archive: () => served.archive,
      rows: () => served.rows,
      now: () => now,
    })
    addresses = new Map<Surface, string[]>([
      // The dictionary contains the version.
      [
        'JSON',
        [
          ...everyAddressOf(archive).filter((path) => path !== '/bulk/README.md'),
          '/legacy/randomClips',
        ],
      ],
      ['page', everyPageOf(archive).filter((path) => !path.startsWith('/legacy/'))],
      ['bulk', bulkNames.map((name) => `/bulk/${name}`)],
      ['snapshot', ['/snapshot']],
    ])
  })
  const textAt = async (version: Version, path: string): Promise<string> => {
    served = version
    const text = version.answers.get(path) ?? (await readText(app, path))
    version.answers.set(path, text)
    return text
  }

  /** An output has the new value, or has changed if the value occurs elsewhere too. */
  const isSeen = async (
    surface: Surface,
    after: Version,
    spellings: readonly string[],
  ): Promise<boolean> => {
    const paths = addresses.get(surface) ?? []
    const mustSpell = spellings.length > 0 && (surface === 'JSON' || surface === 'bulk')
    for (const path of paths) {
      const text = await textAt(after, path)
      if (text === (await textAt(first, path))) continue
      if (mustSpell && !spellings.some((each) => text.includes(each))) continue
      // The same path probably shows the next column too.
      paths.splice(paths.indexOf(path), 1)
      paths.unshift(path)
      return true
    }
    return false
  }

  /** Readers of `/changes` get the new value, or must read the tournament again. */
  const isSent = (changes: string, spellings: readonly string[]): boolean =>
    /"reload":true|"type":"tournament\.(added|removed)"/.test(changes) ||
    (spellings.length > 0
      ? spellings.some((each) => changes.includes(each))
      : !changes.includes('"changes":[]'))

  test.each(columns)(
    'a change of the column %s is seen in all outputs',
    async (name, table, property, schema) => {
      const { of = cup, ...edit } = edits[name] ?? {}
      const wanted = Object.entries(edit.row ?? {})
      const before = rowsOf(of)[table].find((row) =>
        wanted.every(([key, value]) => propertyOf(row, key) === value),
      )
      if (!before) throw new Error(`no row of ${table} to change`)
      const value = edit.value ?? anotherValue(schema, propertyOf(before, property))
      const after = { ...before, [property]: value }
      const spellings = edit.shown ? [edit.shown] : spellingsOf(value)
      const { cursor } = JSON.parse(await readText(live, '/changes'))
      await write(table, before, after, of)
      const excepted = surfaces.filter((surface) =>
        exceptions.some(
          ({ in: left, of }) => left.includes(surface) && (of.includes(name) || of.includes(table)),
        ),
      )
      const missing: Surface[] = []
      try {
        if (excepted.includes('snapshot')) await refreshed()
        else
          await until(() => versionOf(origin).archive.version !== first.archive.version, maxWaitMs)
        const changed = versionOf(origin)
        for (const surface of addresses.keys()) {
          if (!(await isSeen(surface, changed, spellings))) missing.push(surface)
        }
        const sent = await readText(live, `/changes?since=${cursor}&limit=1000`)
        if (!isSent(sent, spellings)) missing.push('changes')
        if (changed.archive.version === first.archive.version) missing.push('mirror')
        else
          await until(
            () => versionOf(mirror).archive.version === changed.archive.version,
            maxWaitMs,
          )
      } finally {
        await write(table, after, before, of)
        await until(() => versionOf(origin).archive.version === first.archive.version)
      }
      expect(missing.toSorted()).toEqual(excepted.toSorted())
    },
  )

  test('no exception or edit is for a missing column', () => {
    const names = new Set<string>([...allTables, ...columns.map(([name]) => name)])
    const used = [...Object.keys(edits), ...exceptions.flatMap(({ of }) => of)]
    expect(used.filter((name) => !names.has(name))).toEqual([])
  })
})

test('the key of a table is its primary key, within a tournament', async () => {
  const found = await admin<{ name: string; columns: string[] }[]>`
    SELECT indrelid::regclass::text AS name, json_agg(attname ORDER BY at) AS columns
    FROM pg_index CROSS JOIN unnest(indkey::smallint[]) WITH ORDINALITY AS key (number, at)
    JOIN pg_attribute ON attrelid = indrelid AND attnum = number
    WHERE indisprimary AND indrelid::regclass::text LIKE 'cageside.%' GROUP BY 1`
  const primary = new Map(found.map(({ name, columns }) => [name, columns]))
  for (const table of allTables) {
    const names = new Map(columnsOf(table).map(({ property, name }) => [property, name]))
    const key = rowKey(table).map((property) => names.get(property) ?? property)
    const own = primary.get(`cageside.${sqlName(table)}`) ?? []
    expect([table, key]).toEqual([table, own.filter((name) => name !== 'tournament_id')])
  }
})
