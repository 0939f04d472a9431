import { describe, expect, test } from 'bun:test'
import { readLength } from '../../scripts/import/csv/cells.ts'
import { playerColumns } from '../../scripts/import/csv/columns.ts'
import { isOneLetterApart } from '../../scripts/import/csv/names.ts'
import { readStage } from '../../scripts/import/csv/stages.ts'
import { readTable } from '../../scripts/import/csv/table.ts'
import { readWeight } from '../../scripts/import/csv/weights.ts'
import { causesOf, type Problem } from '../../scripts/import/problems.ts'
import { sheetLeague } from './imports.ts'

type Format = ReturnType<typeof readStage>['format']

/** Result of an import of files with these lines, in the time zone of New York. */
const imported = (
  tournaments: readonly string[],
  fights: readonly string[],
  players: readonly string[] = [],
) => {
  const files = {
    'tournaments.csv': tournaments,
    'players.csv': ['tournament,name', ...players],
    'fights.csv': fights,
  }
  const found = sheetLeague(files, { 'time-zone': 'America/New_York' })
  const { league, doubts: warnings } = found
  const games = league.flatMap((each) => each.games ?? [])
  const slots = league.flatMap((each) => each.slots ?? [])
  const statesOf = (id: string) =>
    slots.filter(({ gameId }) => gameId === id).map(({ state }) => state)
  const problems = [...found.ignored, ...found.problems]
  return {
    ...{ league, games, statesOf, warnings },
    problems: problems.map(({ where, reason }) => ({ where, reason })),
  }
}
const cup = (...cells: readonly string[]) => ['tournament,weight,start,format,active', cells.join()]

test.each([
  ['Blue', 'Axe', 'Blue', 'winner,loser'],
  ['Axe', 'red', 'Red', 'loser,winner'],
  ['Draw', 'Axe', 'draw', 'winner,loser'],
  ['Axe', 'T.I.E.', 'tie', 'loser,winner'],
  ['Axe', 'Blade', 'blue', 'loser,winner'],
  ['Axe', 'Blade', 'Tie', 'tie,tie'],
  ['Axe', 'Blade', 'Rouge', 'winner,loser'],
  ['Axe', 'Blade', 'azul', 'loser,winner'],
  ['Axe', 'Blade', 'ÉGALITÉ', 'tie,tie'],
  ['Blau', 'Axe', 'Blau', 'winner,loser'],
])('%s against %s: the winner %s is a name before it is a corner', (red, blue, winner, states) => {
  const { statesOf, games, problems } = imported(cup('a', '3'), [
    'red,blue,winner',
    `${red},${blue},${winner}`,
  ])
  expect(problems).toEqual([])
  expect(statesOf(games[0]?.id ?? '').join()).toBe(states)
})

test('the position of a fight is its line number, in any bracket and round', () => {
  const { games, problems } = imported(cup('a', '3'), [
    'bracket,round,red,blue,winner',
    ...['W,1,A,B,red', 'W,1,C,D,red', 'EX,,B,D,red', 'W,2,A,C,red', 'EX,,D,B,red'],
  ])
  expect(problems).toEqual([])
  const places = games.map(
    ({ id, bracketId, roundIdx, position }) => `${id} ${bracketId}${roundIdx} ${position}`,
  )
  expect(places).toEqual(['W-1 W0 0', 'W-2 W0 1', 'EX-1 EX0 2', 'W-3 W1 3', 'EX-2 EX0 4'])
})

test('named rounds follow numbered ones, in any order of lines', () => {
  const { games, problems } = imported(cup('a', '3'), [
    'round,red,blue',
    ...['2,A,B', '1,C,D', 'Final,E,F', 'Reset,E,F', 'Final,G,H'],
  ])
  expect(problems).toEqual([])
  expect(games.map(({ roundIdx }) => roundIdx)).toEqual([1, 0, 2, 3, 2])
})

/** An event with lines of bracket, round, corners, winner and method. */
const elimination = (format: string, lines: readonly string[], active = 'no') =>
  imported(cup('a', '3', '', format, active), [
    'bracket,round,red,blue,winner,method',
    ...lines.map((line) => line.replaceAll(' ', ',')),
  ])
/** Places of losers by game. */
const placesOf = (...event: Parameters<typeof elimination>) =>
  elimination(...event).games.map(({ loserPlacement }) => loserPlacement)

const semis = ['W SF a c red', 'W SF b d red']
const double = ['W 1 a b red', 'W 1 c d red', 'L 1 b d red', 'W 2 a c red', 'L 2 c b red']
test.each<[string, string, readonly string[], (number | null)[]]>([
  ['a reset', 'double', [...double, 'W F c a red', 'W F a c red'], [null, 2]],
  ['an upset of who won all', 'double', [...double, 'W F c a red'], [4, null, 3, 2]],
  ['a double forfeit of the final', '', [...semis, 'W F a b  FF'], [3, 3, 2]],
  ['a third place', '', [...semis, 'W 3rd c d red', 'W F a b red'], [4, 2]],
  ['a third place drawn', '', [...semis, 'W 3rd c d draw', 'W F a b red'], [3, 3, 3, 2]],
  ['a third place without a winner', '', [...semis, 'W 3rd c d  FF', 'W F a b red'], [3, 3, 3, 2]],
  ['a third of four by a bye', '', [...semis, 'W 3rd c BYE red', 'W F a b red'], [3, 3, 4, 2]],
  ['a third of three by a bye', '', ['W SF a c red', 'W 3rd c BYE red', 'W F a b red'], [3, 4, 2]],
  [
    'two byes and an exhibition',
    '',
    ['W 1 c d red', 'W 1 e f red', 'W 2 a c red', 'W 2 b e red', 'W F b a red', 'EX 1 f a red'],
    [5, 5, 3, 3, 2, null],
  ],
  [
    'a fight for the third place that is to come',
    '',
    [...semis, 'W 3rd c d', 'W F a b red'],
    [3, 3, null, 2],
  ],
  ['a fight again after a draw', '', ['W 1 a b red', 'W 2 a c draw', 'W 2 a c red'], [3, null, 2]],
  ['no rounds', '', ['W  a b red', 'W  c d red', 'W  a c red'], [null, null, null]],
])('the places after %s are right', (_, format, lines, places) => {
  const found = placesOf(format && 'double elimination', lines)
  expect(found.slice(-places.length)).toEqual(places)
})

test('a grand final whose reset is to come is not the last', () => {
  const [lost, reset] = ['W 3 c a red', 'W 4 c a']
  expect(placesOf('double elimination', [...double, lost], 'yes').at(-1)).toBeNull()
  expect(placesOf('double elimination', [...double, lost, reset]).slice(-2)).toEqual([null, null])
})

test('places in the file override places from fights', () => {
  const files = {
    'tournaments.csv': cup('a', '3'),
    'fights.csv': ['red,blue,winner', 'Axe,Bolt,red', 'Club,Dart,red', 'Axe,Club,red'],
    'players.csv': ['name,place', 'Axe,2', 'Bolt,1', 'Club,3', 'Dart,'],
  }
  const { league, doubts } = sheetLeague(files)
  expect(doubts).toEqual([])
  expect(league[0]?.players?.map(({ placement }) => placement)).toEqual([2, 1, 3, null])
})

test.each([
  ['2026-03-14 10:00', '10:05', '2026-03-14T14:05'],
  ['2026-03-14', '9:00', '2026-03-14T13:00'],
  ['3/14/2026', '1:05 PM', '2026-03-14T17:05'],
  ['3/14/26 9:00', '3/14/26 10:05', '2026-03-14T14:05'],
  ['14/3/2026 09:00', '14/3/2026 10:05', '2026-03-14T14:05'],
  // The date is 14 March in New York.
  ['2026-03-15T01:00:00Z', '21:30', '2026-03-15T01:30'],
  ['2026-03-14 18:00', '00:30', '2026-03-15T04:30'],
  ['14.3.2026 18:00', '12:30 AM', '2026-03-15T04:30'],
  // Daylight saving time begins in this night.
  ['2026-03-07 18:00', '4:00', '2026-03-08T08:00'],
])('a tournament that starts at %s reads the time %s as %s', (start, time, expected) => {
  const { games, problems, warnings } = imported(cup('a', '3', start), [
    'red,blue,start',
    `Axe,Blade,${time}`,
  ])
  expect([...problems, ...warnings]).toEqual([])
  expect(new Date((games[0]?.startTime ?? 0) * 1000).toISOString()).toStartWith(expected)
})

test('fights before the start, or long after it, are doubted', () => {
  const { problems, warnings } = imported(cup('a', '3', '2026-03-14 10:00', 'round robin'), [
    'tournament,red,blue,winner,start',
    'a,Axe,Blade,red,2026-03-14 09:00',
    'a,Axe,Club,red,09:30',
    'a,Blade,Club,red,2026-03-16 09:30',
  ])
  expect(problems).toEqual([])
  expect(warnings).toEqual([
    { where: 'fights.csv:2', reason: "'2026-03-14 09:00' is before the start of the tournament" },
    {
      where: 'fights.csv:3',
      reason: "'09:30' is before the start of the tournament, so it is taken for the next day",
    },
  ])
})

test.each([
  ['3', 3, null, 1361],
  ['30 lb', 30, null, 13_608],
  ['3.0 lbs', 3, null, 1361],
  ['2 pounds', 2, null, 907],
  ['Open 2 pounds', 2, 'Open 2 pounds', 907],
  ['1.5 lb', 2, '1.5 lb', 680],
  ['1,5', 2, '1,5 lb', 680],
  ['0.33 lb', 1, '0.33 lb', 150],
  ['150 g', 1, '150 g', 150],
  ['1,5 kg', 3, '1,5 kg', 1500],
  ['13.6kg', 30, '13.6kg', 13_600],
  ['Beetleweight', 3, 'Beetleweight', 1361],
  ['Beetleweight (UK)', 3, 'Beetleweight (UK)', 1500],
  ['Antweight', 1, 'Antweight', 454],
  ['Antweight (UK)', 1, 'Antweight (UK)', 150],
  ['UK Ant', 1, 'UK Ant', 150],
  ['Ant Weight, Australia', 1, 'Ant Weight, Australia', 150],
  ['plastic ant', 1, 'plastic ant', 454],
  ['heavyweights', 220, 'heavyweights', 99_790],
  ['Heavyweight (China)', 243, 'Heavyweight (China)', 110_000],
  ['Hobbyweight (Brasil)', 12, 'Hobbyweight (Brasil)', 5443],
  ['1.5kg级', 3, '1.5kg级', 1500],
  ['Sportsman 30lb', 30, 'Sportsman 30lb', 13_608],
  ['Open, 5 kg', 11, 'Open, 5 kg', 5000],
])(
  'the weight %j is %p lb, named %j, of %p g',
  (cell, weightClass, weightClassName, weightGrams) => {
    expect(readWeight(cell)).toEqual({ weightClass, weightClassName, weightGrams })
  },
)

test.each<[number, readonly string[]]>([
  [1500, ['Beetleweight GB', 'UK Beetle', 'United Kingdom Beetleweight', 'CN Beetleweight']],
  [454, ['Brazil Ant', 'Brasil Ant', 'BR Ant', 'US Ant', 'USA Ant', 'United States Ant']],
  [100_000, ['Australia Heavy', 'AU Heavy', 'AUS Heavy-weight', '100 kgs']],
  [1500, ['1.500 g', '1,500 g', '1500 g', '1 500 g', '1\u00a0500 g', "1'500 gr", 'Open 1.500 g']],
  [13_600, ['13.600 g', '13,6 kg', '13 600 g', '13.6 kg']],
  [907, ['2 pound', '2 pounds', '2 lbs.', '2,0 lb', 'Open 907 grams', '907g', '907 gs']],
])('%p g are the weight in each of %j', (grams, cells) => {
  for (const cell of cells) expect([cell, readWeight(cell).weightGrams]).toEqual([cell, grams])
})

test.each(['1.500,5 g', 'Open 1 500 g', '1..5 kg'])('the weight %s is refused', (cell) => {
  expect(() => readWeight(cell)).toThrow(`'${cell}' is no weight`)
})

test.each<[Format, Format, readonly string[]]>([
  ['swiss', 'single_elimination', ['Swiss', 'Schweizer System', 'Suisse', 'Suíço', 'Suizo']],
  [
    'round_robin',
    'single_elimination',
    [
      'Group',
      'Groups',
      'Gruppe 1',
      'Gruppen',
      'Grupo A',
      'Grupos',
      'Groupe',
      'Groupes',
      'Pool',
      'Pools',
    ],
  ],
  ['round_robin', 'single_elimination', ['League', 'Liga', 'Round-Robin', 'roundrobin']],
  ['double_elimination', 'single_elimination', ['Double Elim', 'double-elimination']],
  [
    'single_elimination',
    'round_robin',
    [
      'Elimination',
      'Main bracket',
      'Play-off',
      'Playoffs',
      'Grand final',
      'Knock-out',
      'KO',
      'K.O.',
      'Top 8',
    ],
  ],
  ['round_robin', 'round_robin', ['Semifinales', 'Laptop', 'Tokoname']],
])('the class %s in a %s is each of %j', (format, ofTournament, names) => {
  for (const name of names) expect(readStage(name, ofTournament)).toEqual({ name, format })
})

test.each([
  ...[
    '#N/A',
    '#NV',
    '#N/D',
    '#REF!',
    '#BEZUG!',
    '#VALUE!',
    '#WERT!',
    '#VALOR!',
    '#VALEUR!',
    '#NAME?',
  ],
  ...['#DIV/0!', '#NUM!', '#ZAHL!', '#ERROR!', '#n/a', '=A1'],
])('the cell %s is no value', (cell) => {
  const { problems } = imported(cup('a', '3'), ['red,blue', `Axe,${cell}`])
  expect(problems.map(({ reason }) => reason)).toEqual([
    expect.stringContaining(`'${cell}' in 'blue' is no value`),
  ])
})

test.each(['<!doctype html>', ' <html>', '<?xml version="1.0"?>'])(
  'the bytes %j are no file of a sheet',
  (text) => {
    const reports = {
      report: ({ reason }: Problem) => reasons.push(reason),
      ignore: () => undefined,
    }
    const reasons: string[] = []
    readTable('p.csv', Buffer.from(text), playerColumns, reports)
    expect(reasons).toEqual([expect.stringContaining('a web page')])
  },
)

test.each([...['v', 'vs', 'v.', 'VS.', 'x', '×', '-', '–', '—', 'gegen', 'contre', 'contra']])(
  'a cage has the fight of two names with %s between them',
  (word) => {
    const { cages, problems } = sheetLeague({
      'tournaments.csv': cup('a', '3', '2026-03-14 10:00', '', 'yes'),
      'fights.csv': ['tournament,red,blue', 'a,Axe,Bolt'],
      'cages.csv': ['cage,next', `1,Axe ${word} Bolt`],
    })
    expect(problems).toEqual([])
    expect(cages).toMatchObject([{ queue: [{ gameId: 'W-1' }] }])
  },
)

describe('the fight of a cage', () => {
  /** Fights of the events `a`, `b`, which is active, and `c`, and the fight of cage 1 and its queue. */
  const caged = (lines: readonly string[], cells: string) => {
    const { cages, league, problems } = sheetLeague({
      'tournaments.csv': ['tournament,weight,active', 'a,3,no', 'b,3,yes', 'c,3,no'],
      'fights.csv': ['tournament,red,blue,winner', ...lines],
      'cages.csv': `cage,tournament,status,fight,next\n1,${cells}\n`,
    })
    const [cage] = cages ?? []
    const { status, tournamentId, gameId } = cage?.row ?? {}
    const queue = cage?.queue.map((each) => `${each.tournamentId} ${each.gameId}`) ?? []
    return {
      row: [status, tournamentId, gameId].map((each) => each ?? '').join(' '),
      queue: queue.join(),
      problems: problems.map(({ reason }) => reason),
      states: league.flatMap(({ games = [] }) => games.map(({ state }) => state)),
    }
  }

  test.each([
    ['a cage without a status', ['b,Axe,Bolt,'], ',,W-1,', 'assigned b W-1'],
    ['no fight', ['b,Axe,Bolt,'], ',,,', 'idle  '],
    [
      'a fight of an event under way',
      ['a,Axe,Bolt,', 'b,Axe,Bolt,'],
      ',,Axe v Bolt,',
      'assigned b W-1',
    ],
    [
      'a decided fight of an event under way',
      ['a,Axe,Bolt,', 'b,Axe,Bolt,red'],
      ',,Axe v Bolt,',
      'assigned b W-1',
    ],
    [
      'a fight of the named event',
      ['a,Axe,Bolt,', 'b,Axe,Bolt,'],
      'a,,Axe v Bolt,',
      'assigned a W-1',
    ],
    [
      'the first of two meetings',
      ['b,Axe,Bolt,', 'b,Bolt,Axe,'],
      ',,Axe v Bolt,',
      'assigned b W-1',
    ],
    [
      'the next of two meetings',
      ['b,Axe,Bolt,red', 'b,Bolt,Axe,'],
      ',,Axe v Bolt,',
      'assigned b W-2',
    ],
    [
      'the last of two decided meetings',
      ['b,Axe,Bolt,red', 'b,Bolt,Axe,red'],
      ',,Axe v Bolt,',
      'assigned b W-2',
    ],
    ['a bye', ['b,Axe,Freilos,'], ',,Axe v exempt,', 'assigned b W-1'],
  ])('the fight of a cage is found: %s', (_, lines, cells, row) => {
    const found = caged(lines, cells)
    expect([found.row, found.problems]).toEqual([row, []])
  })

  test('the fight of a cage is refused if two events have it', () => {
    expect(caged(['a,Axe,Bolt,', 'c,Axe,Bolt,'], ',,Axe v Bolt,').problems).toEqual([
      "'Axe v Bolt' is in a and c: fill in 'tournament'",
    ])
  })

  test('the queue of a cage follows its fight, within its event, one per line', () => {
    const lines = ['a,Axe,Bolt,', 'b,Axe,Bolt,', 'a,Axe,Club,']
    expect(caged(lines, 'a,,,"Axe v Bolt\nAxe v Club"').queue).toBe('a W-1,a W-2')
    expect(caged(lines, 'a,,,Axe v Club; Axe v Bolt').queue).toBe('a W-2,a W-1')
  })

  test('the fight of an active cage is in progress unless it is decided', () => {
    expect(caged(['b,Axe,Bolt,'], ',active,W-1,').states).toEqual(['active'])
    expect(caged(['b,Axe,Bolt,red'], ',paused,W-1,').states).toEqual(['done'])
    expect(caged(['b,Axe,Bolt,'], ',called,W-1,').states).toEqual(['available'])
  })
})

test('a cage takes the waiting fight if another event with that fight is over', () => {
  const { cages, problems } = sheetLeague({
    'tournaments.csv': ['tournament,weight', 'a,3', 'b,3'],
    'fights.csv': ['tournament,red,blue,winner', 'a,Axe,TBD,', 'b,Axe,Bolt,red'],
    'cages.csv': ['cage,fight', '1,W-1'],
  })
  expect(problems).toEqual([])
  expect(cages).toMatchObject([{ row: { tournamentId: 'a', gameId: 'W-1' } }])
})

test.each([
  'Ann: Damage 3-2|Ben: Damage 2-3',
  'Ann: Damage 3-2 <br> Ben: Damage 2-3',
  'Ann: Damage 3-2<br/>Ben: Damage 2-3',
  'Ann: Damage 3-2<br />Ben: Damage 2-3',
  '"Ann: Damage 3-2\nBen: Damage 2-3"',
])('the cell %j is of two judges', (cell) => {
  const { league } = imported(cup('a', '3'), ['red,blue,winner,judges', `Axe,Bolt,red,${cell}`])
  expect(league[0]?.judgeLines).toMatchObject([
    { line: 'Ann: Damage 3-2' },
    { line: 'Ben: Damage 2-3' },
  ])
})

test.each([
  'Tournament;"bot 1,,,,,,,,";BOT2;winner name;round;arena;time;duration',
  'Turnier;Rot;Blau;Sieger;Runde;Käfig;Uhrzeit;Dauer',
  'torneo;rojo;azul;ganador;ronda;jaula;hora;duración',
  'tournoi;rouge;bleu;vainqueur;tour;cage;heure;durée',
  'torneio;vermelho;azul;vencedor;rodada;gaiola;início;duração',
])('headings in other words are understood: %s', (headings) => {
  const { games, problems } = imported(cup('a', '3', '2026-03-14 10:00'), [
    headings,
    'a;Axe;Blade;Axe;2;1;10:05;1:30',
  ])
  expect(problems).toEqual([])
  expect(games).toMatchObject([
    { roundIdx: 1, cage: 'Cage 1', startTime: 1773497100, timerDuration: 90 },
  ])
})

test('a line broken within a cell is named by its first line', () => {
  const lines = ['red,blue,winner', 'Axe,Blade,red', 'Axe,Blade,"No\nbody"', 'Axe,Blade,Nobody']
  const { problems } = imported(cup('a', '3'), lines)
  expect(problems.map(({ where }) => where)).toEqual(['fights.csv:3', 'fights.csv:5'])
})

test.each(['0', '0 lb', '', 'heavy-ish', '3 stone', '-3', '-3 kg', 'B-3'])(
  'the cell %j is no weight',
  (cell) => {
    expect(() => readWeight(cell)).toThrow(`'${cell}' is no weight: write pounds such as 3`)
  },
)

test.each([
  ['EX', 'EX', true],
  ['EX-2', 'EX-2', true],
  ['EX1', 'EX1', true],
  ['Exhibition', 'Exhibition', true],
  ['EXPERT', 'EXPERT', false],
  ['EXTRA-1', 'EXTRA-1', false],
  ['Losers', 'L', false],
  ['lower bracket', 'L', false],
  ['Upper', 'W', false],
  ['', 'W', false],
  ['Group A', 'Group A', false],
])('the bracket %j is %s, an exhibition: %p', (cell, id, isExhibition) => {
  const { league } = imported(cup('a', '3'), ['red,blue,bracket', `Axe,Blade,${cell}`])
  expect(league[0]?.brackets).toMatchObject([{ id, isExhibition }])
})

describe('a character that cannot be read', () => {
  const read = (bytes: Uint8Array) => {
    const problems: Problem[] = []
    const report = ({ where, reason }: Problem): void => void problems.push({ where, reason })
    const rows = readTable('p.csv', bytes, playerColumns, { report, ignore: report })
    return {
      names: rows.map(({ cells }) => cells.name),
      problems: problems.map(({ where, reason }) => `${where} ${reason}`),
    }
  }
  const lines = (...names: readonly string[]) =>
    ['tournament,name', ...names.map((name) => `a,${name}`)].join('\r\n')
  /** Text in which `?` is a byte that begins no character. */
  const damaged = (text: string) =>
    Buffer.concat(text.split(/(?=\?)/).map((part) => Buffer.from(part))).map((byte) =>
      byte === 0x3f ? 0xe9 : byte,
    )

  test('an unreadable character is reported with line and column, and leaves out its line', () => {
    expect(read(Buffer.from(lines('Axe', 'Bl\0a\0de', 'Club')))).toEqual({
      names: ['Axe', 'Club'],
      problems: ['p.csv:3:5 a NUL character'],
    })
    expect(read(damaged(lines('Żółw', '"Two\nlines, ?"', 'Club', 'Caf? Ż')))).toEqual({
      names: ['Żółw', 'Club'],
      problems: ['p.csv:4:8 bytes that are not UTF-8', 'p.csv:6:6 bytes that are not UTF-8'],
    })
    const utf16 = Buffer.from(`\ufeff${lines('Axe', 'Blade\ud83d', 'Club')}`, 'utf16le')
    expect(read(utf16)).toEqual({
      names: ['Axe', 'Club'],
      problems: ['p.csv:3:8 bytes that are not UTF-16LE'],
    })
    expect(read(Buffer.from('tournament,na\0me\na,Axe'))).toEqual({
      names: [],
      problems: ['p.csv:1:14 a NUL character'],
    })
  })

  test('a character of Windows-1252, or a written U+FFFD, is not unreadable', () => {
    expect(read(damaged(lines('Caf?')))).toEqual({ names: ['Café'], problems: [] })
    expect(read(Buffer.from(lines('Caf\ufffd')))).toEqual({ names: ['Caf\ufffd'], problems: [] })
  })
})

describe('a file of players', () => {
  const read = (text: string | Uint8Array) => {
    const problems: string[] = []
    const reports = {
      report: ({ where, reason }: Problem) => problems.push(`${where} ${reason}`),
      ignore: () => undefined,
    }
    const rows = readTable('p.csv', Buffer.from(text), playerColumns, reports)
    return { names: rows.map(({ cells }) => cells.name), problems }
  }
  /** A file with a mark of UTF-8, and a byte that is none. */
  const damagedUtf8 = Uint8Array.of(0xef, 0xbb, 0xbf, ...Buffer.from('name\nCaf\xe9', 'latin1'))
  const others = (count: number) => Array.from({ length: count }, (_, index) => `x${index}`).join()

  test.each([
    [
      'in UTF-16 with the high byte first',
      Buffer.from('\ufeffname\nŻółw', 'utf16le').swap16(),
      'Żółw',
    ],
    ['with SEP=;', 'SEP=;\nname;team\nŻółw;A, B', 'Żółw'],
    ['with one column, whose separator is a comma', 'name\nAxe\tBolt', 'Axe\tBolt'],
    ['with a bot that is named as its column', 'name\nName', 'Name'],
    ['with a name of 4,096 characters', `name\n${'x'.repeat(4096)}`, 'x'.repeat(4096)],
    ['with 1,000 columns', `name,${others(999)}\nAxe`.concat(','.repeat(999)), 'Axe'],
    ['with a column that is nearly another', 'name,nane\nAxe,x', 'Axe'],
  ])('a file of players %s is read', (_, text, name) => {
    const { names, problems } = read(text)
    expect([names, problems]).toEqual([[name], []])
  })

  test.each([
    ['with a NUL in its first cell', 't\0ournament,name\na,Axe', 'p.csv:1:2 a NUL character'],
    ['with a mark and a byte that is no UTF-8', damagedUtf8, 'p.csv:2:4 bytes that are not UTF-8'],
    ['with a column twice', 'name,name\nAxe,Bolt', "p.csv:1 the column 'name' is there twice"],
    [
      'with a name of 4,097 characters',
      `name\n${'x'.repeat(4097)}\n`,
      "p.csv:2 'name' has 4097 characters, more than 4096",
    ],
    [
      'with 1,001 columns',
      `name,${others(1000)}\nAxe\n`,
      'p.csv:1 more than 1000 columns with a heading',
    ],
    [
      'with a single quotation mark',
      'name,team\nAxe,"A\nBolt,B\n',
      'p.csv:2 a quotation mark is not closed from here on',
    ],
  ])('a file of players %s is refused', (_, text, problem) => {
    const { names, problems } = read(text)
    expect(names).toEqual([])
    expect(problems).toEqual([expect.stringContaining(problem)])
  })
})

test.each([
  ['State', "'State'"],
  ['Bot 1', "'Bot 1'"],
  // Spreadsheets write cleared columns like this.
  ['State,,', "'State'"],
])('the heading %s beside others is ignored, and means no other column', (heading, ignored) => {
  const { problems, games } = imported(cup('a', '3'), [
    `red,blue,${heading}`.replace('red', heading === 'Bot 1' ? 'Player 1' : 'red'),
    'Axe,Bolt,complete',
  ])
  expect(games).toHaveLength(1)
  expect(problems.map(({ reason }) => reason.split(';')[0])).toEqual([ignored])
})

test('a second heading of one corner is not taken for the other corner', () => {
  const { problems } = imported(cup('a', '3'), ['player 1,bot 1,winner', 'Axe,Axe,Axe'])
  expect(problems.map(({ reason }) => reason).filter((reason) => /unknown/.test(reason))).toEqual(
    [],
  )
})

test('a method needs both bots', () => {
  const { problems } = imported(cup('a', '3'), ['red,blue,method', 'Axe,TBD,KO'])
  expect(problems).toMatchObject([{ where: 'fights.csv:2' }])
})

test.each([
  ['that are decided without times', ['Axe,Bolt,red,,'], true],
  [
    'that are decided without times, and one that waits',
    ['Axe,Bolt,red,,', 'Axe,Club,,10:30,'],
    true,
  ],
  ['that are decided, and one with a time', ['Axe,Bolt,red,10:10,', 'Axe,Club,red,,'], false],
  ['that are not decided', ['Axe,Bolt,,,'], false],
])('an event with fights %s begins at its planned time: %p', (_, lines, isPlanned) => {
  const opening = Date.UTC(2026, 2, 14, 14) / 1000
  const { league, problems } = imported(cup('a', '3', '2026-03-14 10:00', 'round robin'), [
    'red,blue,winner,start,scheduled',
    ...lines,
  ])
  expect(problems).toEqual([])
  expect(league[0]?.tournament.startTime ?? null).toBe(isPlanned ? opening : null)
})

test('a planned time without a date is on the day of the event', () => {
  const { games, problems } = imported(cup('a', '3', '2026-03-14 10:00'), [
    'red,blue,scheduled',
    'Axe,Bolt,14:30',
  ])
  expect(problems).toEqual([])
  expect(games[0]?.scheduledTime).toBe(Date.UTC(2026, 2, 14, 18, 30) / 1000)
})

/** Doubts about the lines of a tournament, with its bots listed in players.csv or without. */
const doubtsAbout = (...lines: readonly string[]) =>
  imported(cup('a', '3', '2026-03-14 10:00', 'round robin'), [
    'tournament,red,blue,winner,start,length',
    ...lines.map((line) => `a,${line}`),
  ]).warnings.map(({ where, reason }) => `${where} ${reason}`)

test.each([
  ['', '2-1', 'winner,2 loser,1'],
  ['', '1 : 2', 'loser,1 winner,2'],
  ['red', '1-2', 'winner,1 loser,2'],
  ['draw', '1-1', 'tie,1 tie,1'],
  ['', '1-1', 'pending,null pending,null'],
  ['red', '', 'winner,1 loser,0'],
])('a winner of %j and a score of %j give: %s', (winner, score, expected) => {
  const { league } = imported(cup('a', '3'), [
    'red,blue,winner,score',
    `Axe,Blade,${winner},${score}`,
  ])
  const slots = league[0]?.slots?.map((slot) => `${slot.state},${slot.score}`)
  expect(slots?.join(' ')).toBe(expected)
})

test.each(['player 3', 'Bot3', 'Green corner', 'player 4 name'])(
  'a melee with a column %j is refused',
  (heading) => {
    const { problems } = imported(cup('a', '3'), [`red,blue,${heading}`, 'Axe,Bolt,Cog'])
    expect(problems).toEqual([
      {
        where: 'fights.csv:1',
        reason: `'${heading}' is a third corner: write a melee as place in players.csv, or as a fight of each two in bracket EX`,
      },
    ])
  },
)

test.each([...['Axe & Blade', 'Axe + Blade', 'Axe, Blade', 'Axe/Blade', 'Axe and Blade']])(
  'the pair %s in one corner is refused, but a bot named Salt & Pepper is fine',
  (team) => {
    const { problems } = imported(cup('a', '3'), [
      'tournament,red,blue',
      'a,Axe,Salt & Pepper',
      'a,Blade,Club',
      `a,"${team}",Club`,
    ])
    expect(problems).toEqual([
      {
        where: 'fights.csv:4',
        reason: `'${team}' is several bots: write a fight of each two, in bracket EX`,
      },
    ])
  },
)

describe('names that are probably mistyped', () => {
  test('names that differ only in marks are doubted once per spelling', () => {
    expect(doubtsAbout('Blitz,Axe', 'BLITZ,Club', 'Blitz!,Dart', 'blitz!,Edge')).toEqual([
      "fights.csv:4 'Blitz!' is the same bot as 'Blitz' (fights.csv:2), as marks alone differ: " +
        'write one of them, or add a letter or digit if they are two bots',
    ])
  })

  test('names that differ only in case and spaces are the same', () => {
    expect(doubtsAbout('Blitz Bot,Axe', 'BlitzBot,Club', 'blitz  bot,Dart')).toEqual([])
  })

  test.each([
    ['hammer', 'hamer', true],
    ['hammer', 'hammer', false],
    ['hammer', 'hanner', false],
    ['hammer', 'hamemr', true],
    ['hammer', 'xhmmer', false],
    ['hammer', 'hamxx', false],
    ['hammer', 'ammers', false],
  ])('the names %s and %s are one letter apart: %p', (one, other, isApart) => {
    expect([isOneLetterApart(one, other), isOneLetterApart(other, one)]).toEqual([isApart, isApart])
  })

  test.each([
    [['Hammer,Axe', 'Hammer,Club', 'Hamer,Dart'], "fights.csv:4 'Hamer' fights once and is one"],
    [['Hammer,Axe', 'Hammer,Club', 'Hmamer,Dart'], "'Hmamer' fights once and is one letter from"],
    [['Hammer,Axe', 'Hanner,Club', 'Hammar,Dart', 'Hammer,Edge'], "'Hammar' fights once"],
    [['Axt,Blade', 'Axt,Club', 'Axxt,Dart'], "fights.csv:4 'Axxt' fights once"],
    [
      ['Hammer,Axe', 'Hamer,Dart'],
      "fights.csv:3 'Hamer' fights once and is one letter from 'Hammer'",
    ],
    // These met, are numbered, are too short, or fought more than once.
    [['Hammer,Hamer', 'Hammer,Club'], undefined],
    [['Crusher 1,Axe', 'Crusher 1,Club', 'Crusher 2,Dart'], undefined],
    [['Hex,Axe', 'Hex,Club', 'Vex,Dart'], undefined],
    [['Hammer,Axe', 'Hammer,Club', 'Hamer,Dart', 'Hamer,Edge'], undefined],
  ])('mistyped names in %j are doubted: %p', (lines, expected) => {
    expect(doubtsAbout(...lines)).toEqual(
      expected === undefined ? [] : [expect.stringContaining(expected)],
    )
  })
})

test('bots that are both listed by one event are not mistyped', () => {
  const lines = ['a,Hammer,Axe', 'a,Hammer,Club', 'a,Hamer,Dart']
  const { warnings } = imported(
    cup('a', '3', '', 'round robin'),
    ['tournament,red,blue', ...lines],
    ['Hammer', 'Hamer', 'Axe', 'Club', 'Dart'].map((name) => `a,${name}`),
  )
  expect(warnings).toEqual([])
})

test.each([
  ['2026-03-14 18:00', '12:00', Date.UTC(2026, 2, 14, 22) / 1000],
  ['2026-03-14', '12:00', null],
  ['2026-03-14', '', Date.UTC(2026, 2, 15, 3, 59, 59) / 1000],
])('an event that ends %j, with a fight at %j, ends at %p', (end, time, endTime) => {
  const { league, problems } = imported(
    ['tournament,weight,start,end', `a,3,2026-03-14 10:00,${end}`],
    ['red,blue,winner,time,duration', `Axe,Bolt,red,${time},60`],
  )
  expect(problems).toEqual([])
  expect(league[0]?.tournament.endTime).toBe(endTime)
})

test('the line of a fight can name its films', () => {
  const files = {
    'tournaments.csv': cup('a', '3'),
    'fights.csv': [
      'tournament,red,blue,video',
      'a,Axe,Bolt,https://youtu.be/dQw4w9WgXcQ?t=95 https://media.example/b.mp4|http://media.example/c.mp4',
      'a,Axe,Bolt,https://youtube.com/@league',
    ],
  }
  const { footage, problems } = sheetLeague(files)
  expect(problems).toMatchObject([
    {
      where: 'fights.csv:3',
      reason: "'https://youtube.com/@league' shows no single film of YouTube",
    },
  ])
  expect(footage).toMatchObject([
    { tournament: 'a', fight: 'W-1', row: { camera: 'Film 1' } },
    { fight: 'W-1', row: { camera: 'Film 2', videoUrl: 'https://media.example/b.mp4' } },
    { fight: 'W-1', row: { camera: 'Film 3', videoUrl: 'http://media.example/c.mp4' } },
  ])
})

describe('stages', () => {
  const staged = (format: string, ...lines: readonly string[]) => {
    const { league, problems, warnings } = imported(cup('a', '3', '', format), [
      'tournament,stage,bracket,round,red,blue,winner,score',
      ...lines.map((line) => `a,${line}`),
    ])
    expect([...problems, ...warnings]).toEqual([])
    return league[0] ?? { tournament: { id: '' } }
  }

  test.each([
    ['', 'Group A', 'single_elimination', 'Group A', 'round_robin'],
    ['', 'Gruppe 2', 'single_elimination', 'Gruppe 2', 'round_robin'],
    ['', 'Swiss', 'single_elimination', 'Swiss', 'swiss'],
    ['', 'Day 1: Swiss', 'single_elimination', 'Day 1', 'swiss'],
    ['', 'Finals', 'single_elimination', 'Finals', null],
    ['double elimination', 'Playoffs', 'double_elimination', 'Playoffs', null],
    [
      'double elimination',
      'Semis: single elimination',
      'double_elimination',
      'Semis',
      'single_elimination',
    ],
    ['round robin', 'Top 8', 'round_robin', 'Top 8', 'single_elimination'],
    ['round robin', 'First day', 'round_robin', 'First day', null],
    ['swiss', '', 'round_robin', 'Swiss', 'swiss'],
    ['swiss', 'Finals', 'round_robin', 'Finals', 'single_elimination'],
  ])('format %j, stage %j: %s with %j, %p', (format, stage, ofTournament, id, formatType) => {
    const { tournament, brackets } = staged(format, `${stage},,,Axe,Bolt,red,`)
    expect(tournament).toMatchObject({ formatType: ofTournament })
    expect(brackets).toMatchObject([{ id, formatType }])
  })

  test('an unknown format is refused', () => {
    const { problems } = imported(cup('a', '3'), ['stage,red,blue', 'Day 1: best of all,Axe,Bolt'])
    expect(problems[0]?.reason).toStartWith("'best of all' must be one of single_elimination,")
  })

  test('only the elimination links fights and gives places', () => {
    const {
      slots = [],
      games = [],
      brackets,
    } = staged(
      'double elimination',
      ...['Group A,,1,Axe,Bolt,red,', 'Group B,,1,Club,Drum,red,', 'Group A,,2,Axe,Bolt,red,'],
      ...['Finals,,1,Axe,Bolt,red,2-0', 'Finals,,2,Axe,Club,red,'],
      ...['Finals,Losers,1,Club,Bolt,red,', 'Finals,,3,Axe,Club,red,2-1'],
    )
    expect(brackets?.map(({ name, formatType }) => [name, formatType])).toEqual([
      ['Group A', 'round_robin'],
      ['Group B', 'round_robin'],
      ['Finals', null],
      ['Finals, Losers', null],
    ])
    expect(
      slots.flatMap(({ gameId, prevGameId }) => (prevGameId ? [`${prevGameId} ${gameId}`] : [])),
    ).toEqual([
      'Finals-1 Finals-2',
      'Finals-2 Finals-L-1',
      'Finals-1 Finals-L-1',
      'Finals-2 Finals-3',
      'Finals-L-1 Finals-3',
    ])
    expect(games.map(({ loserPlacement }) => loserPlacement)).toEqual([
      ...[null, null, null, null, null, 3, 2],
    ])
  })

  test.each([
    ['swiss', 'EX', { id: 'EX', isExhibition: true, formatType: null }],
    ['swiss', 'W', { id: 'Finals W', isExhibition: false, formatType: 'single_elimination' }],
  ])('an exhibition has no stage and no format: %s, %s', (format, bracket, expected) => {
    expect(staged(format, `Finals,${bracket},,Axe,Bolt,red,`).brackets).toMatchObject([expected])
  })

  test.each(['constructor', 'toString', '__proto__'])(
    'a bracket, its round and bots can be named %s',
    (name) => {
      const { brackets, players } = staged('single elimination', `,${name},1,${name},Bolt,red,`)
      expect(brackets).toMatchObject([{ id: name, name }])
      expect(players?.map((player) => player.name)).toContain(name)
    },
  )

  test('a best of nine is won by five, and higher scores are points', () => {
    const { rounds } = staged('round robin', ',,1,Axe,Bolt,red,5-4', ',,2,Axe,Bolt,red,6-4')
    expect(rounds?.map(({ scoreToWin }) => scoreToWin)).toEqual([5, 1])
  })

  test.each([
    [
      ['0', '1'],
      ['0', 'Round 1'],
      [0, 1],
    ],
    [['01', '1'], ['Round 1'], [0, 0]],
    [
      ['Final', '1', '2'],
      ['Final', 'Round 1', 'Round 2'],
      [0, 1, 2],
    ],
    [
      ['2', '1', 'Final'],
      ['Round 2', 'Round 1', 'Final'],
      [1, 0, 2],
    ],
  ])('the rounds %j are named %j, and have the places %j', (cells, names, places) => {
    const { rounds, games } = staged('', ...cells.map((cell) => `,,${cell},Axe,Bolt,,`))
    expect(rounds?.map(({ name }) => name)).toEqual(names)
    expect(games?.map(({ roundIdx }) => roundIdx)).toEqual(places)
  })

  test('a bracket with only bad lines does not exist', () => {
    const { league } = imported(cup('a', '3'), ['bracket,red,blue', 'W,Axe,Bolt', 'L,Axe,Axe'])
    expect(league[0]?.brackets?.map(({ id }) => id)).toEqual(['W'])
  })

  test('a best of three is won by two', () => {
    const { rounds } = staged(
      'round robin',
      ...[',,1,Axe,Bolt,red,2-1', ',,2,Axe,Club,red,120-95', ',,3,Axe,Bolt,,2-2'],
    )
    expect(rounds?.map(({ scoreToWin }) => scoreToWin)).toEqual([2, 1, 1])
  })
})

test('a bot in two fights at one time is doubted, with the line of the other', () => {
  expect(
    doubtsAbout(
      'Axe,Blade,red,10:00,3:00',
      'Club,Axe,red,10:02,3:00',
      'Dart,Axe,red,10:05,3:00',
      'Dart,Edge,red,10:20,',
    ),
  ).toEqual(["fights.csv:3 'axe' still fights in fights.csv:2 then: write the right start"])
})

test.each([
  ['no result', ['W SF a c red', 'W F a b'], 'fights.csv:3', 'this fight has no result'],
  [
    'no end',
    ['W 1 a c red', 'W 1 b d red'],
    'tournaments.csv:2',
    '2 bots are left at its end (a, b)',
  ],
  [
    'no end, with many bots',
    ['W 1 a b red', 'W 1 c d red', 'W 1 e f red', 'W 1 g h red', 'W 1 i j red', 'W 1 k l red'],
    'tournaments.csv:2',
    '6 bots are left at its end (a, c, e, g, i):',
  ],
  [
    'no rounds',
    ['W  a b red', 'W  c d red', 'W  a c red'],
    'fights.csv:4',
    'its loser won a fight of',
  ],
  [
    'a rematch',
    ['W SF a c red', 'W F a b red', 'W X c b red'],
    'fights.csv:4',
    'out before: write EX',
  ],
])('an event without places because of %s says why', (_, lines, where, reason) => {
  const { warnings } = elimination('', lines)
  expect(warnings).toEqual([{ where, reason: expect.stringContaining(reason) }])
  expect(warnings[0]?.reason).toStartWith("'a' has no places: ")
  expect(elimination('', lines, 'yes').warnings).toEqual([])
})

test.each([
  ['125', 125],
  ['1:35', 95],
  ['01:35:00', 95],
  ['0:01:35', 95],
  ['00:45:00', 45],
  ['03:00:00', 180],
  ['0:00:00', 0],
  ['94,5', 95],
  ['94.4', 94],
  ['1:35,2', 95],
  ['0:01:35.250', 95],
  ['95 s', 95],
  ['8,5 Sek.', 9],
  ['2 min', 120],
  ['1m35s', 95],
  ['1 min 35', 95],
])('a length of %s is %i seconds', (cell, seconds) => {
  expect(readLength(cell)).toBe(seconds)
})

test.each(['0:03:00', '00:08:00'])('a length of %s, minutes or seconds, is refused', (cell) => {
  expect(() => readLength(cell)).toThrow(`'${cell}' is seconds or minutes`)
})

test.each([
  ['2-1', '', 'fights.csv:2  without a winner, the score decides this fight: write the winner'],
  ['2-1', 'red', ''],
  ['1-1', '', ''],
  [
    '1-2',
    'red',
    "fights.csv:2  the winner has fewer points than the loser: '1-2' is red, then blue",
  ],
  ['2-0', 'Blade', "fights.csv:2  the winner has fewer points than the loser: '2-0' is red, then"],
  ['0-2', 'blue', ''],
  ['2-1', 'draw', ''],
])(
  'a score of %s with the winner %j is doubted if it decides or contradicts',
  (score, winner, doubt) => {
    const { warnings, problems } = imported(cup('a', '3', '', 'round_robin'), [
      'tournament,red,blue,winner,score',
      `a,Axe,Blade,${winner},${score}`,
    ])
    expect(problems).toEqual([])
    const found = warnings.map(({ where, reason }) => `${where}  ${reason}`)
    expect(found).toEqual(doubt === '' ? [] : [expect.stringContaining(doubt)])
  },
)

test.each([
  [['KO', 'W', 'TKO'], "'KO' without a winner is a draw (3 lines in all): write the winner"],
  [['won'], "'WON' without a winner is a draw: write the winner"],
  [['FF', 'DQ', ''], undefined],
])('the methods %j without a winner are doubted if a bot has won by them', (methods, doubt) => {
  const { warnings, problems } = imported(cup('a', '3', '', 'round_robin'), [
    'red,blue,winner,method',
    ...methods.map((method, index) => `Axe,Bolt ${index},,${method}`),
    'Axe,Club,draw,JD',
    'Axe,Dart,Dart,KO',
  ])
  expect(problems).toEqual([])
  const found = warnings.map(({ where, reason }) => `${where}  ${reason}`)
  expect(found).toEqual(doubt === undefined ? [] : [expect.stringContaining(`:2  ${doubt}`)])
})

test('an empty round, as in merged cells, is the round of the line before in its bracket', () => {
  const { league, games, problems } = imported(cup('a', '3', '', 'double_elimination'), [
    'bracket,round,red,blue',
    ...['W,1,a,b', 'W,,c,d', 'L,Losers 1,e,f', 'W,2,a,c', 'L,,g,h', 'W,,e,i'],
  ])
  expect(problems).toEqual([])
  expect(games.map(({ bracketId, roundIdx }) => `${bracketId}${roundIdx}`).join(' ')).toBe(
    'W0 W0 L0 W1 L0 W1',
  )
  expect(league[0]?.rounds?.map(({ name }) => name)).toEqual(['Round 1', 'Losers 1', 'Round 2'])
})

test('a pair in one cell is reported if the columns of corners are missing', () => {
  const { problems } = imported(cup('a', '3'), ['id,Match,Result', '1,Axe vs. Blade,KO'])
  const reason =
    "is missing: each corner has a column of its own, so split cells such as 'Axe v Blade'"
  expect(problems.map((each) => each.reason).slice(1)).toEqual([
    `the column 'red' ${reason}`,
    `the column 'blue' ${reason}`,
  ])
})

test('German headings for method, class and active events are understood', () => {
  const { league, games, problems } = imported(
    ['Turnier;Klasse;aktiv', 'a;1,5 kg;ja'],
    ['Rote Ecke;Blaue Ecke;Sieger;Art', 'Axe;Blitz;Blitz;Aufgabe'],
  )
  expect(problems).toEqual([])
  expect([league[0]?.tournament.active, games[0]?.winAnnotation]).toEqual([true, 'TO'])
})

test.each([
  // The line of the cage's fight is bad, or the line of another fight.
  ['Axe v Bolt', ['a,Axe,Bolt,Edge,'], ['fights.csv:2']],
  ['bolt vs AXE', ['a,Axe,Bolt,red,KO,x'], ['fights.csv:2']],
  ['final', ['a,Axe,Bolt,Edge,final'], ['fights.csv:2']],
  // Numbers of fights move when a line is left out.
  ['W-2', ['a,Axe,Bolt,Edge,', 'a,Club,Dart,,'], ['fights.csv:2']],
  ['Axe v Bolt', ['b,Axe,Bolt,,'], ['fights.csv:2']],
  ['Axe v Club', ['a,Axe,Bolt,Edge,', 'a,Club,Dart,,'], ['fights.csv:2', 'cages.csv:2']],
  ['Axe v Club', ['a,Axe,Bolt,,'], ['cages.csv:2']],
])('the cage of %s with the fights %j lists only causes: %j', (fight, fights, places) => {
  const files = {
    'tournaments.csv': cup('a', '3'),
    'fights.csv': ['tournament,red,blue,winner,fight', ...fights],
    'cages.csv': ['cage,fight', `1,${fight}`],
  }
  const { problems } = sheetLeague(files)
  expect(causesOf(problems).map(({ where }) => where)).toEqual(places)
})

test.each([
  ['tournaments.csv', ['tournament,wieght', 'a,3'], /^tournaments.csv:1$/],
  ['tournaments.csv', ['tournament,weight', 'a,'], /^tournaments.csv:2$/],
  ['tournaments.csv', ['tournament,weight', 'a,enormous'], /^tournaments.csv:2$/],
  ['players.csv', ['tournament,name,seed', 'a,Axe,first', 'a,Bolt,'], /^players.csv:2$/],
  ['players.csv', ['tournament,name', 'a,Axe,,,x', 'a,Bolt'], /^players.csv:2$/],
  ['fights.csv', ['tournament,red', 'a,Axe'], /^fights.csv:1$/],
])('a mistake in %s, %j, hides its consequences in other files', (name, lines, own) => {
  const files = {
    'tournaments.csv': cup('a', '3'),
    'players.csv': ['tournament,name', 'a,Axe', 'a,Bolt'],
    'fights.csv': ['tournament,red,blue,winner', 'a,Axe,Bolt,red', 'a,Axe,Bolt,blue'],
    'cages.csv': ['cage,fight,next', '1,Axe v Bolt,Bolt v Axe'],
    'recordings.csv': ['tournament,fight,camera,address', 'a,W-1,Top,https://v.example/a.mp4'],
    [name]: lines,
  }
  const { problems } = sheetLeague(files)
  const places = new Set(causesOf(problems).map(({ where }) => where))
  expect([...places]).toEqual([expect.stringMatching(own)])
})

test.each(['0', '12345', 'Cage 12345', 'North', 'cage'])('the cell %s is no cage', (cage) => {
  const files = {
    'tournaments.csv': cup('a', '3'),
    'fights.csv': ['tournament,red,blue', 'a,Axe,Bolt'],
    'cages.csv': ['cage,fight', `${cage},`],
  }
  expect(sheetLeague(files).problems).toMatchObject([
    { where: 'cages.csv:2', reason: `'${cage}' is not a cage; write its number, such as 1` },
  ])
})

describe('exports of bracket software', () => {
  test.each([
    [
      'Challonge',
      [
        'identifier,state,round,player1_name,player2_name,winner_name,loser_name,scores_csv,started_at',
        'A,complete,1,Axe,Blade,Axe,Blade,1-0,2026-03-14T10:00:00.000-04:00',
        'B,complete,-1,Club,Blade,Blade,Club,0-1,2026-03-14T10:10:00.000-04:00',
      ],
      ['state', 'loser_name'],
      ['A W', 'B L'],
    ],
    [
      'start.gg',
      [
        'Set ID,Full Round Text,Round,Entrant 1,Entrant 2,Winner,Station',
        '71,Winners Final,2,Axe,Blade,Axe,1',
      ],
      ['Full Round Text'],
      ['W:1 W'],
    ],
  ])('the columns of %s are understood, or reported as ignored', (_, lines, ignored, fights) => {
    const { games, problems } = imported(cup('a', '3'), lines)
    const list = ignored.map((heading) => `'${heading}'`).join(', ')
    expect(problems.map(({ reason }) => reason.split(';')[0])).toEqual([list])
    expect(games.map(({ name, bracketId }) => `${name} ${bracketId}`)).toEqual(fights)
    expect(games.every(({ state }) => state === 'done')).toBe(true)
  })

  test('the list of attendees of start.gg is one of players, by either tag', () => {
    const problems: Problem[] = []
    const report = (problem: Problem): void => void problems.push(problem)
    const lines = ['Id,GamerTag,Short GamerTag,Admin Notes,Checked In', '1,Acme | Axe,Axe,,yes']
    const only = ['Id,Short GamerTag', '1,Axe']
    for (const each of [lines, only]) {
      const rows = readTable('players.csv', Buffer.from(`${each.join('\n')}\n`), playerColumns, {
        report,
        ignore: () => undefined,
      })
      expect([rows[0]?.cells.name, problems]).toEqual([each === only ? 'Axe' : 'Acme | Axe', []])
    }
  })

  test('fights without a tournament belong to the only one', () => {
    const fights = ['red,blue', 'Axe,Blade']
    expect(imported(cup('a', '3'), fights, []).games).toHaveLength(1)
    const { problems } = imported(['tournament,weight', 'a,3', 'b,3'], fights)
    const reason = "'tournament' is empty, and tournaments.csv has 2: write its id in each line"
    expect(problems).toEqual([{ where: 'fights.csv:2', reason }])
  })
})

test.each<[string, string, string | undefined, string]>([
  ['active', 'fighting live NOW', 'active', 'done'],
  ['paused', 'pause', 'active', 'done'],
  ['assigned', 'called ready next', undefined, 'done'],
  ['completed', 'over finished', undefined, 'done'],
  ['idle', 'free empty closed', undefined, 'done'],
])(
  'a cage that is %s, or %s, has its fight %s, and a decided one stays %s',
  (status, words, state, decided) => {
    for (const word of [status, ...words.split(' ')]) {
      const { league, cages, problems } = sheetLeague({
        'tournaments.csv': cup('a', '3'),
        'fights.csv': ['red,blue,winner', 'Axe,Blade,', 'Club,Dart,red'],
        'cages.csv': ['cage,status,fight', `1,${word},Axe v Blade`, `2,${word},Club v Dart`],
      })
      expect(problems).toEqual([])
      expect(cages?.map(({ row }) => String(row?.status))).toEqual([status, status])
      const games = league.flatMap((each) => each.games ?? [])
      const hasCage = (number: number) => (status === 'idle' ? undefined : `Cage ${number}`)
      expect(games.map(({ cage }) => cage ?? undefined)).toEqual([hasCage(1), hasCage(2)])
      const before = games[0]?.state === 'active' ? 'active' : undefined
      expect([before, games[1]?.state]).toEqual([state, decided])
    }
  },
)

describe('a line of fights.csv', () => {
  const row = (headings: string, line: string, tournament: readonly string[] = cup('a', '3')) => {
    const { games, problems, league } = imported(tournament, [`red,blue,${headings}`, line])
    expect(problems).toEqual([])
    return { game: games[0], league: league[0] }
  }

  test('a fight in fights.csv has no method, length or end before its result', () => {
    const { game } = row(
      'start,length,score,method',
      'Axe,Bolt,10:05,90,1-1,',
      cup('a', '3', '2026-03-14 10:00'),
    )
    expect(game).toMatchObject({
      state: 'available',
      winAnnotation: null,
      timerDuration: null,
      stopTime: null,
      endTime: null,
    })
  })

  test('a fight in fights.csv has a unique id from its bracket, cut to 100 characters, without spaces', () => {
    expect(row('bracket', 'Axe,Bolt,Group  A').game?.id).toBe('Group-A-1')
    expect(row('bracket', `Axe,Bolt,${'x'.repeat(101)}`).game?.id).toBe(`${'x'.repeat(100)}-1`)
    const { games } = imported(cup('a', '3'), [
      'red,blue,fight,bracket',
      ...['Axe,Bolt,W-2,', 'Axe,Club,,', 'Axe,Dart,,A b', 'Axe,Edge,,A-b'],
    ])
    expect(games.map(({ id }) => id)).toEqual(['W-2', 'W-2-2', 'A-b-1', 'A-b-1-2'])
  })

  test('a single film in fights.csv is named Film', () => {
    const { footage } = sheetLeague({
      'tournaments.csv': cup('a', '3'),
      'fights.csv': ['red,blue,video', 'Axe,Bolt,https://v.example/a.mp4'],
    })
    expect(footage.map((each) => each.row.camera)).toEqual(['Film'])
  })

  test('several bots of players.csv in one corner are refused as such', () => {
    const { problems } = imported(
      cup('a', '3'),
      ['red,blue', 'Axe & Bolt,Club'],
      ['a,Axe', 'a,Bolt', 'a,Club'],
    )
    expect(problems).toMatchObject([{ reason: expect.stringContaining('is several bots') }])
  })

  test.each([
    [['red,1-2', 'red,0-3'], 'the winner has fewer points than the loser, and of 1 more lines'],
    [[',2-1', ',3-0'], 'the score decides this fight, and of 1 more lines'],
  ])('the lines %j of fights.csv are doubted once, with the number of others', (lines, doubt) => {
    const { warnings } = imported(cup('a', '3', '', 'round robin'), [
      'red,blue,winner,score',
      ...lines.map((line) => `Axe,Bolt,${line}`),
    ])
    expect(warnings).toMatchObject([{ reason: expect.stringContaining(doubt) }])
  })
})

describe('a line of tournaments.csv', () => {
  const [start, end] = [Date.UTC(2026, 2, 14, 14) / 1000, Date.UTC(2026, 2, 14, 22) / 1000]
  const event = (headings: string, cells: string) => {
    const { league, problems } = imported(
      [`tournament,weight${headings}`, `a,3${cells}`],
      ['red,blue', 'Axe,Bolt'],
    )
    expect(problems).toEqual([])
    return league[0]?.tournament
  }

  test('an event in tournaments.csv is created at its start and updated at its end, or at its start', () => {
    const times = ',start,end'
    expect(event(times, ',2026-03-14 10:00,2026-03-14 18:00')).toMatchObject({
      name: 'a',
      createTime: start,
      scheduledStartTime: start,
      endTime: end,
      updateTime: end,
    })
    expect(event(times, ',2026-03-14 10:00,')).toMatchObject({ endTime: null, updateTime: start })
    expect(event(times, ',,')).toMatchObject({
      createTime: undefined,
      updateTime: undefined,
    })
    // An event may end at its start.
    expect(event(times, ',2026-03-14 10:00,2026-03-14 10:00')).toMatchObject({ endTime: start })
  })

  test('an active event in tournaments.csv has no end', () => {
    const cells = ',2026-03-14 10:00,2026-03-14 18:00,yes'
    expect(event(',start,end,active', cells)).toMatchObject({ active: true, endTime: null })
  })

  test('an event in tournaments.csv is public by default, and has its name and kind', () => {
    expect(event('', '')).toMatchObject({ privacy: 'public', isFreestyle: false, name: 'a' })
    expect(event(',name,privacy,freestyle', ',Bash,unlisted,yes')).toMatchObject({
      name: 'Bash',
      privacy: 'unlisted',
      isFreestyle: true,
    })
  })
})

test('players.csv has seeds from 0, places from 1, teams and drivers', () => {
  const { league, problems } = sheetLeague({
    'tournaments.csv': cup('a', '3'),
    'players.csv': ['name,seed,place,team,driver', 'Axe,0,0,,', 'Bolt,,1,Sparks,Ann'],
    'fights.csv': ['red,blue', 'Axe,Bolt'],
  })
  expect(problems).toEqual([])
  expect(league[0]?.players).toMatchObject([
    { seed: 0, placement: null, team: null, driver: null },
    { seed: null, placement: 1, team: 'Sparks', driver: 'Ann' },
  ])
})
