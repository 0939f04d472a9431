import type { files } from '../../scripts/import/csv/columns.ts'
import type { Random } from '../../scripts/league/random.ts'

type FileName = keyof typeof files
/** Lines of cells, headings first, of the files of a folder. */
export type Folder = ReadonlyMap<FileName, readonly (readonly string[])[]>

const bots = [
  ...['Axe', 'Blade', 'Żółw', 'Hammer', 'Hamer', 'Crusher 1', 'Crusher 2', 'Salt & Pepper'],
  ...['Blitz', 'Blitz!', 'Red', 'Draw', '0-0', '💥 Kaboom 💥', 'W'.repeat(140), 'Dart'],
]
/** Cells that are as good as any, and now and then others. */
const drawCell = (
  random: Random,
  usual: readonly string[],
  odd: readonly string[],
  share = 0.06,
): string => random.pick(random.chance(share) ? odd : usual)

const weights = {
  usual: ['3', '30 lb', '1.5 lb', '0.33', '150 g', '1,5 kg', 'Beetleweight', 'UK Ant'],
  odd: ['', '0', 'heavy', 'Heavyweight (China)', 'Sportsman 30lb', '-3'],
}
const formats = {
  usual: ['', 'single elimination', 'double_elimination', 'round robin', 'swiss'],
  odd: ['best of all'],
}
const times = {
  usual: ['2026-03-14 10:00', '2026-03-14', '14.3.2026 18:00', '2026-03-14 9:00 AM', ''],
  odd: ['3/4/2026', '2026-03-15T01:00:00Z', '25:00', '46096.4', '2025-11-02 01:30'],
}
const ends = { usual: ['', '2026-03-15', '2026-03-14 18:00'], odd: ['2026-03-13', '24:00'] }
const flags = { usual: ['', 'no', 'yes', 'ja', '1'], odd: ['maybe'] }

const drawTournaments = (random: Random, ids: readonly string[]): string[][] => [
  ['tournament', 'name', 'weight', 'start', 'end', 'active', 'freestyle', 'format', 'privacy'],
  ...ids.map((id) => [
    drawCell(random, [id], ['', '..', ids[0] ?? ''], 0.01),
    drawCell(random, [`Cup ${id}`, ''], ['=A1'], 0.01),
    ...[weights, times, ends, flags, flags, formats].map(({ usual, odd }) =>
      drawCell(random, usual, odd, 0.02),
    ),
    drawCell(random, ['', 'public', 'unlisted', 'private'], ['secret'], 0.01),
  ]),
]

/** Fights of an elimination, those of the winners first in each round; some wins are left out. */
const drawElimination = (
  random: Random,
  entrants: readonly string[],
  isDouble: boolean,
): string[][] => {
  const lines: string[][] = []
  const play = (bracket: string, round: string, red: string, blue: string) => {
    const isRed = random.chance(0.6)
    lines.push([
      bracket,
      round,
      red,
      blue,
      random.pick([isRed ? 'red' : 'blue', isRed ? red : blue]),
    ])
    return isRed ? ([red, blue] as const) : ([blue, red] as const)
  }
  let winners = entrants
  let losers: string[] = []
  for (let round = 1; winners.length > 1; round += 1) {
    const pairs = winners.flatMap((red, index) =>
      index % 2 === 0 ? [[red, winners[index + 1] ?? random.pick(['BYE', 'bye', '(Bye)'])]] : [],
    )
    const played = pairs.map(([red = '', blue = '']) => play('W', String(round), red, blue))
    winners = played.map(([won]) => won)
    losers.push(...played.map(([, lost]) => lost))
    if (!isDouble && losers.length === 2 && random.chance(0.5))
      play('W', 'Third place', losers[0] ?? '', losers[1] ?? '')
    for (let at = 1; isDouble && losers.length > 1; at += 1) {
      const [red = '', blue = '', ...rest] = losers
      losers = [...rest, play('L', `${round}.${at}`, red, blue)[0]]
    }
    if (!isDouble) losers = losers.slice(-2)
  }
  if (isDouble) {
    const [won, lost] = play('W', 'Final', winners[0] ?? '', losers[0] ?? '')
    if (won !== winners[0] && random.chance(0.6)) play('W', 'Reset', won, lost)
  }
  return lines
}

const drawFights = (random: Random, ids: readonly string[]): string[][] => {
  const headings =
    'bracket,round,red,blue,winner,tournament,method,score,stage,label,fight,cage,start,length,scheduled,judges,notice,video'
  const lines = ids.flatMap((id) => {
    const entrants = random.shuffle(bots).slice(0, random.int(2, 8))
    const structured = random.chance(0.55)
      ? drawElimination(random, entrants, random.chance(0.5))
      : Array.from({ length: random.int(1, 14) }, () => [
          drawCell(
            random,
            ['', 'W', 'L', 'EX', 'Losers bracket', 'Group A'],
            ['RR', 'EXPERT', '..'],
          ),
          drawCell(random, ['', '1', '2', '-1', 'Final', 'Semis'], ['0', '99999']),
          ...[0, 1].map(() =>
            drawCell(random, entrants, [
              '',
              'TBD',
              'BYE',
              'Winner of 3',
              'Axe & Blade',
              'Nobody',
              '#N/A',
            ]),
          ),
          drawCell(random, ['red', 'blue', '', ...entrants], ['draw', 'Nobody', 'azul', 'tie']),
        ])
    const isStaged = random.chance(0.3)
    let minute = 600
    return structured.map((line) => {
      minute += random.int(0, 9)
      const clock = `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`
      return [
        ...line,
        drawCell(random, [id], ['', 'none']),
        drawCell(random, ['KO', 'JD', 'tap out', 'FF', ''], ['DQ', 'Aufgabe', 'pin']),
        drawCell(random, ['', '', '2-1', '1 : 0'], ['0-3', '2-2', '5-3', '120-95', 'x']),
        isStaged ? drawCell(random, ['Group A', 'Finals', 'Day 1: swiss'], ['', 'Top 8']) : '',
        drawCell(random, ['', ''], ['Q1-02']),
        drawCell(random, ['', '', ''], ['final', 'W-1', '..']),
        drawCell(random, ['1', '2', 'Cage 1', ''], ['01', 'Main']),
        drawCell(random, [clock, clock, ''], ['2026-03-14 10:05', '9:59', '12:05 AM', '24:00']),
        drawCell(random, ['', '95', '1:35', '0:45'], ['00:03:00', '01:35:00', 'long']),
        drawCell(random, ['', ''], [clock]),
        drawCell(random, ['', ''], ['Ann: Damage 2-5 | Ben: Damage 3-4', 'Ann: 1<br>Ben: 2']),
        drawCell(random, ['', ''], ['late']),
        drawCell(
          random,
          ['', ''],
          ['https://v.example/a.mp4 https://youtu.be/dQw4w9WgXcQ?t=9', 'a.mp4'],
        ),
      ]
    })
  })
  return [headings.split(','), ...lines]
}

const drawPlayers = (random: Random, ids: readonly string[]): string[][] => [
  ['tournament', 'name', 'seed', 'disqualified', 'place', 'team', 'driver'],
  ...ids.flatMap((id) =>
    random
      .shuffle(bots)
      .slice(0, random.int(0, 1) * bots.length)
      .map((name, index) => [
        id,
        drawCell(random, [name], ['', 'BYE', bots[0] ?? '']),
        drawCell(random, ['', String(index + 1)], ['first']),
        drawCell(random, ['', 'no'], ['yes']),
        drawCell(random, ['', ''], ['1', '0']),
        drawCell(random, ['', 'Team Ä'], ['!']),
        drawCell(random, ['', 'Ann'], ['']),
      ]),
  ),
]

const drawCages = (
  random: Random,
  ids: readonly string[],
  fights: readonly (readonly string[])[],
): string[][] => {
  const fight = (): string => {
    const [, , red = '', blue = ''] = random.pick(fights)
    const pair = `${red} v ${blue}`
    return drawCell(random, ['', 'W-1', pair, pair, pair], ['L-1', 'TBD v ?', 'nothing'])
  }
  return [
    ['cage', 'status', 'fight', 'next', 'tournament'],
    ...Array.from({ length: random.int(0, 3) }, (_, index) => [
      drawCell(random, [String(index + 1), `Cage ${index + 1}`], ['Main', '1']),
      drawCell(random, ['', 'active', 'called', 'done', 'idle', 'pause'], ['busy']),
      fight(),
      Array.from({ length: random.int(0, 2) }, fight).join(random.pick([' | ', '; ', '\n'])),
      drawCell(random, [ids[0] ?? '', ''], ['none']),
    ]),
  ]
}

const drawRecordings = (random: Random, ids: readonly string[]): string[][] => [
  ['tournament', 'fight', 'cage', 'start', 'camera', 'address', 'proxy720', 'proxy72'],
  ...Array.from({ length: random.int(0, 5) }, (_, index) => [
    drawCell(random, [...ids, ''], ['none']),
    drawCell(random, ['', 'W-1', 'W-2'], ['none']),
    drawCell(random, ['1', '2'], ['', '9']),
    drawCell(random, [`2026-03-14 1${index}:04:07.25`, `2026-03-14 10:0${index}`], ['', 'never']),
    drawCell(random, ['Top', 'Cage-1-Sky'], ['']),
    drawCell(random, [`https://v.example/${index}.mp4`], ['', 'a.mp4', 'https://youtube.com/@x']),
    drawCell(random, ['', ''], ['https://v.example/small.mp4', 'x']),
    '',
  ]),
]

/** A folder as people write it: mostly right, with mistakes of every kind here and there. */
export const drawFolder = (random: Random): Folder => {
  const ids = ['cup-3lb', 'Cup 30', 'open'].slice(0, random.int(1, 3))
  const fights = drawFights(random, ids)
  return new Map<FileName, readonly (readonly string[])[]>([
    ['tournaments.csv', drawTournaments(random, ids)],
    ['players.csv', drawPlayers(random, ids)],
    ['fights.csv', fights],
    ['cages.csv', drawCages(random, ids, fights.slice(1))],
    ['recordings.csv', drawRecordings(random, ids)],
  ])
}

/** The folder after an edit: lines are gone or move, cells have those of other lines. */
export const editFolder = (folder: Folder, random: Random): Folder =>
  new Map(
    [...folder].map(([name, [headings = [], ...lines]]) => {
      const share = name === 'tournaments.csv' ? 0.1 : 0.06
      const kept = lines
        .filter(() => !random.chance(share))
        .map((line) =>
          line.map((cell, index) => {
            if (random.chance(share / 3)) return random.pick(lines)[index] ?? ''
            // A letter is gone.
            return random.chance(share / 6) ? cell.slice(1) : cell
          }),
        )
      const first = random.chance(0.2) ? random.int(0, kept.length) : 0
      return [name, [headings, ...kept.slice(first), ...kept.slice(0, first)]]
    }),
  )

/** The files as some program saves them: with a separator, an encoding and line breaks. */
export const saveFolder = (folder: Folder, random: Random): Map<string, Uint8Array> =>
  new Map(
    [...folder].map(([name, lines]) => {
      const [separator, lineBreak] = [
        random.pick([',', ',', ';', '\t']),
        random.pick(['\n', '\r\n', '\r']),
      ]
      const quoted = (cell: string): string =>
        /[",;\t\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
      const text = `${lines.map((line) => line.map(quoted).join(separator)).join(lineBreak)}${lineBreak}`
      const encoding = random.pick(['utf8', 'utf8', 'utf16le', 'latin1'] as const)
      const bytes = Buffer.from(encoding === 'utf16le' ? `\ufeff${text}` : text, encoding)
      return [name, encoding === 'utf16le' && random.chance(0.5) ? bytes.swap16() : bytes]
    }),
  )
