import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { fileNames } from '../../scripts/import/csv/folder.ts'
import { runImport, temporaryFolder } from '../process.ts'
import { reading } from './imports.ts'

type Files = Readonly<Record<string, readonly string[]>>

/** How each program saves a table whose cells are separated by `|`. */
const programs = {
  // German, in Windows-1252.
  Excel: (lines: readonly string[]) =>
    Buffer.from(`${lines.join('\r\n').replaceAll('|', ';')}\r\n`, 'latin1'),
  LibreOffice: (lines: readonly string[]) =>
    Buffer.from(
      `${lines.map((line) => line.replace(/[^|]+/g, '"$&"')).join('\n')}\n`.replaceAll('|', ','),
    ),
  'Google Sheets': (lines: readonly string[]) =>
    Buffer.from(lines.join('\r\n').replaceAll('|', ',')),
} as const
type Program = keyof typeof programs

const folderOf = async (files: Files, program: Program): Promise<string> => {
  const folder = await temporaryFolder()
  for (const [name, lines] of Object.entries(files)) {
    await Bun.write(join(folder, name), programs[program](lines))
  }
  return folder
}

const right: Files = {
  'tournaments.csv': [
    'tournament|name|weight|start|end|active',
    'spring|Frühling|3|2026-03-14 10:00||',
    'autumn|Herbst|150 g|2026-10-17 10:00|2026-10-18|',
  ],
  'players.csv': ['tournament|name|place', 'autumn|Axe|1', 'autumn|Bläde|2'],
  'fights.csv': [
    'tournament|red|blue|winner|method|score|round|fight|start|length',
    'spring|Axe|Blitz|Axe|KO||1|a|10:05|1:35',
    'spring|Cobalt|Dozer|Dozer|JD||1|b|10:15|3:00',
    'spring|Axe|Dozer|red|JD|2-1|2|c|10:30|180',
    'autumn|Axe|Bläde|Axe|KO||1|d|11:00|90',
  ],
  'recordings.csv': ['tournament|fight|camera|address', 'spring|a|Top|https://v.example/a.mp4'],
}

/** Problems expected after adding lines to the good ones, or replacing a heading. */
interface Export {
  readonly program: Program
  readonly status: 0 | 1
  /** File, line and part of the message. */
  readonly mistakes: readonly (readonly [file: string, line: string, reason: string])[]
}

const exports: readonly Export[] = [
  {
    program: 'Excel',
    status: 1,
    mistakes: [
      ['tournaments.csv', 'a|A|etwas|||', "'etwas' is no weight"],
      ['tournaments.csv', 'b|B|3|31.02.2026||', "'31.02.2026' is not a time"],
      ['tournaments.csv', 'spring|Again|3|||', "two tournaments have the id 'spring'"],
      ['tournaments.csv', 'c|C|3|2026-03-14|2026-03-13|', 'it ends before it starts'],
      ['players.csv', 'autumn|AXE|', "'AXE' is the same bot as 'Axe' of this tournament"],
      ['players.csv', 'autumn|Pliers|first', "'first' is not a whole number"],
      ['fights.csv', 'spring|Axe|Blitz|Axel|KO|||e||', "the winner 'Axel' is in neither corner"],
      ['fights.csv', 'spring|Axe|Axe|||||f||', "'Axe' is in both corners"],
      ['fights.csv', 'spirng|Axe|Blitz|||||g||', "tournaments.csv has no tournament 'spirng'"],
      ['fights.csv', 'spring|Axe|Blitz|||||h||0:03:00', "'0:03:00' is seconds or minutes"],
      ['fights.csv', 'spring|Axe|Blitz|||||i|3/4/2026|', "'3/4/2026' has an ambiguous date"],
      ['fights.csv', 'spring|Axe|Blitz|||2:x||j||', "'2:x' is not a score"],
      [
        'fights.csv',
        'spring|Axe|Blitz|||||p||1,5',
        "'1,5' is not a fight length; use seconds such as 95 or 1:35",
      ],
      ['fights.csv', 'spring|Axe|Blitz|||||k|25:00|', "25:00' is not a time"],
      ['fights.csv', 'spring|Axe|Blitz|||||a||', "two fights have the id 'a'"],
      [
        'fights.csv',
        'autumn|Axe|Blada|||||l||',
        "'Blada' is not in players.csv for 'autumn': write 'Bläde'",
      ],
      [
        'fights.csv',
        'autumn|Axe & Bläde|Axe|||||m||',
        "'Axe & Bläde' is several bots: write a fight of each two",
      ],
      ['fights.csv', 'spring||Axe|||||n||', "'red' is empty"],
      ['fights.csv', 'spring|Axe|Blitz|||||o||||x', '12 cells, but 10 headings'],
      ['recordings.csv', 'spring|a|Top|v.example/a.mp4', "'v.example/a.mp4' is not a URL"],
      ['recordings.csv', 'spring|z|Top|https://v.example/b.mp4', "there is no fight 'z'"],
      ['recordings.csv', 'spring|a||https://v.example/b.mp4', "'camera' is empty"],
    ],
  },
  {
    program: 'LibreOffice',
    status: 0,
    mistakes: [
      [
        'fights.csv',
        'spring|Blitz!|Cobalt|red|||2|e|12:00|',
        "'Blitz!' is the same bot as 'Blitz'",
      ],
      [
        'fights.csv',
        'spring|Cobolt|Blitz|red|||2|f|12:10|',
        "'Cobolt' fights once and is one letter from 'Cobalt'",
      ],
      ['fights.csv', 'spring|Axe|Cobalt|red|||2|g|10:31|60', 'still fights in fights.csv:4 then'],
      [
        'fights.csv',
        'spring|Axe|Blitz|red|||2|h|09:15|',
        "'09:15' is before the start of the tournament",
      ],
      ['fights.csv', 'spring|Axe|Dozer||KO|2-0|2|i|13:00|', 'without a winner, the score decides'],
    ],
  },
]

/** The good files with lines appended. */
const withLines = (mistakes: Export['mistakes']): Files =>
  Object.fromEntries(
    Object.entries(right).map(([name, lines]) => [
      name,
      [...lines, ...mistakes.flatMap(([file, line]) => (file === name ? [line] : []))],
    ]),
  )

test.each(exports)('$program: every mistake is named with its file and line', async (each) => {
  const { program, mistakes, status } = each
  const folder = await folderOf(withLines(mistakes), program)
  const found = await runImport(['csv', folder, '--out', join(folder, 'out.cageside')])
  expect([found.status, program === 'Excel' ? mistakes.length >= 20 : true]).toEqual([status, true])
  const counts = new Map<string, number>()
  for (const [file, , reason] of mistakes) {
    const added = (counts.get(file) ?? 0) + 1
    counts.set(file, added)
    const where = `${file}:${(right[file]?.length ?? 0) + added} `
    const lines = found.out.split('\n').filter((line) => line.includes(where))
    expect([where, reason, lines.some((line) => line.includes(reason))]).toEqual([
      where,
      reason,
      true,
    ])
  }
  const order: readonly string[] = fileNames
  const lines = found.out.split('\n').filter((line) => /^ +\w+\.csv:\d/.test(line))
  expect(lines.length).toBeGreaterThan(mistakes.length / 2)
  expect(lines.filter((line, index) => lines.indexOf(line) < index)).toEqual([])
  for (const list of found.out.split(/^(?=\S)/m)) {
    const places = [...list.matchAll(/^ +(\w+\.csv):(\d+)/gm)].map(
      ([, file = '', line]) => 1e6 * order.indexOf(file) + Number(line),
    )
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  }
})

test('Google Sheets: wrong headings, an unknown column and a cut line are named', async () => {
  const folder = await folderOf(
    {
      'tournaments.csv': ['tournament|naem|wieght', 'spring|S|3'],
      'fights.csv': ['tournament|red|blue|Referee', 'spring|Axe|Blitz|Ann', 'spring|Ax'],
    },
    'Google Sheets',
  )
  const { out, status } = await runImport(['csv', folder, '--out', join(folder, 'out.cageside')])
  expect(status).toBe(1)
  for (const reason of [
    "tournaments.csv:1  unknown column 'naem': write 'name'",
    "tournaments.csv:1  unknown column 'wieght': write 'weight'",
    "fights.csv:1  'Referee'; there are: ",
    'fights.csv:3       the file ends within this line',
  ]) {
    expect(out).toContain(reason)
  }
})

test('corrected and shortened files give the /bulk bytes of a fresh import', async () => {
  const added = exports.flatMap(({ program, mistakes }) =>
    program === 'LibreOffice' ? mistakes : [],
  )
  const folder = await folderOf(withLines(added), 'LibreOffice')
  const out = join(folder, 'out.cageside')
  const importInto = (path: string) => runImport(['csv', folder, '--out', path, '--yes'])
  expect((await importInto(out)).status).toBe(0)
  const corrected = {
    ...right,
    'tournaments.csv': (right['tournaments.csv'] ?? []).slice(0, 2),
    'players.csv': [
      'tournament|name|place',
      'spring|Axe|1',
      'spring|Blitz|2',
      'spring|Cobalt|',
      'spring|Dozer|3',
    ],
    'fights.csv': (right['fights.csv'] ?? [])
      .slice(0, 4)
      .map((line) => line.replace('Blitz|Axe|KO', 'Blitz|Blitz|JD')),
    'recordings.csv': (right['recordings.csv'] ?? []).map((line) => line.replace('a.mp4', 'z.mp4')),
  }
  for (const [name, lines] of Object.entries(corrected)) {
    await Bun.write(join(folder, name), programs.Excel(lines))
  }
  const fresh = join(folder, 'fresh.cageside')
  for (const path of [out, fresh]) expect((await importInto(path)).status).toBe(0)
  const bulk = await Promise.all(
    [out, fresh].map((path) =>
      reading(path, (_, app) =>
        Promise.all(
          ['tournaments', 'players', 'fights', 'recordings', 'bots']
            .flatMap((name) => [`${name}.ndjson.gz`, `${name}.csv.gz`])
            .map(async (name) => {
              const response = await app(new Request(`http://localhost/bulk/${name}`))
              return [name, response.status, Bun.hash(await response.bytes())]
            }),
        ),
      ),
    ),
  )
  expect(bulk[0]).toEqual(bulk[1])
  expect(bulk[0]?.every(([, status]) => status === 200)).toBe(true)
})
