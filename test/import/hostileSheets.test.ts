import { expect, test } from 'bun:test'
import { causesOf } from '../../scripts/import/problems.ts'
import { createRandom } from '../../scripts/league/random.ts'
import { sheetLeague } from './imports.ts'

const tournaments = 'tournament,weight,start,active\nspring,3,2026-03-14 10:00,yes\n'
const fights = [
  ['tournament', 'red', 'blue', 'winner', 'method', 'score', 'round', 'start', 'length'],
  ['spring', 'Axe', 'Blitz', 'Axe', 'KO', '', '1', '10:05', '1:35'],
  ['spring', 'Cobalt', 'Dozer', 'red', 'JD', '2-1', '1', '10:15', '180'],
  ['spring', 'Żółw', 'Édge', '', '', '', '1', '', ''],
  ['spring', 'Axe', 'Cobalt', 'blue', '', '', '2', '11:00', '90'],
]
const saved = (rows: readonly (readonly string[])[], separator = ',') =>
  `${rows
    .map((row) =>
      row.map((cell) => (/[",;\t\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)),
    )
    .map((row) => row.join(separator))
    .join('\n')}\n`
const withCell = (line: number, heading: string, cell: string) =>
  saved(
    fights.map((row, index) =>
      index === line - 1 ? row.map((each, at) => (fights[0]?.[at] === heading ? cell : each)) : row,
    ),
  )

const read = (text: string | Uint8Array) => {
  const files = { 'tournaments.csv': tournaments, 'fights.csv': text }
  const { league, problems, doubts } = sheetLeague(files)
  return { games: league.flatMap(({ games = [] }) => games), problems: causesOf(problems), doubts }
}

test.each([
  ['a mark', `\ufeff${saved(fights)}`],
  ['UTF-16', Buffer.from(`\ufeff${saved(fights)}`, 'utf16le')],
  ['UTF-16 without a mark', Buffer.from(saved(fights), 'utf16le')],
  ['only carriage returns', saved(fights).replaceAll('\n', '\r')],
  ['tabs', saved(fights, '\t')],
  ['a line sep=;', `sep=;\n${saved(fights, ';')}`],
  ['trailing commas', saved(fights).replaceAll('\n', ',,,,\n')],
  ['a title', `My league,,\n${saved(fights)}`],
  ['a title of one cell', `"Results, all of them"\n\n${saved(fights, ';')}`],
  ['several lines above', `My league\nSpring, 2026\n\n${saved(fights, '\t')}`],
  ['a title that is a heading', `Tournament,Spring Bash\n${saved(fights)}`],
  ['totals', `${saved(fights)}Total,4,,,3,5\n`],
  ['totals in German, below an empty line', `${saved(fights)}\n,,Gesamt: 4 Kämpfe,,,\n`],
  ['an empty column before', saved(fights.map((row) => ['', ...row]))],
  ['an empty column between', saved(fights.map(([id = '', ...row]) => [id, '', ...row]))],
  ['empty lines between', saved(fights).replaceAll('\n', '\n,,,\n\n')],
  ['empty lines before', `\n,,,\n${saved(fights)}`],
  ['1,000 empty columns', saved(fights.map((row) => [...row, ...Array(1000).fill('')]))],
  ['300,000 columns without a heading', saved(fights).replace('\n', `${','.repeat(300_000)}\n`)],
  ['7:05 PM', withCell(2, 'start', '7:05 PM')],
  ['a padded name of the winner', withCell(2, 'winner', ' Axe  ')],
  ['a quoted name of the winner', withCell(2, 'winner', '"Axe"')],
  ['a name of the winner in other quotes', withCell(2, 'winner', '“ Axe ”')],
  ['invisible characters around the winner', withCell(2, 'winner', '\u200bAxe\u200e')],
  ['a cell kept as text', withCell(2, 'winner', "'-")],
  ['a line of empty quotes', `${saved(fights)}"","",""\n`],
  ['a wide name of the winner', withCell(2, 'winner', 'Ａｘｅ')],
  ['a space that does not break', withCell(2, 'winner', 'Axe\u00a0')],
  ['accents of their own', withCell(4, 'winner', 'Z\u0307o\u0301lw')],
])('a sheet with %s is read', (_, text) => {
  const { games, problems } = read(text)
  expect([games.length, problems]).toEqual([4, []])
})

test.each([
  ['My league,,\nAxe,Blitz,Axe\n', 'fights.csv:1', 'no heading of this line is known'],
  [
    saved(fights).replace('\n', `${',x'.repeat(100_000)}\n`),
    'fights.csv:1',
    'more than 1000 columns',
  ],
  ['wnner\nAxe\n', 'fights.csv:1', "unknown column 'wnner': write 'winner'"],
  [saved(fights, '|'), 'fights.csv:1', 'no heading of this line is known'],
  [saved([fights[0] ?? [], ...fights]), 'fights.csv:2', 'the headings once more'],
  ['red,blue\nred,blue\nAxe,Blitz\n', 'fights.csv:2', 'the headings once more'],
  ['', 'fights.csv', 'the file is empty'],
  ['\n\n', 'fights.csv', 'the file is empty'],
  ['<!DOCTYPE html><html>', 'fights.csv', 'a web page, such as one to sign in, not CSV'],
  ['PK\u0003\u0004\0\0', 'fights.csv', 'a workbook, not CSV'],
  ['red,blue\nAxe', 'fights.csv:2', 'the file ends within this line'],
  [saved(fights).replace('Cobalt', '"Cobalt'), 'fights.csv:3', 'a quotation mark is not closed'],
  [withCell(2, 'red', '#REF!'), 'fights.csv:2', "'#REF!' in 'red' is no value"],
  [withCell(2, 'blue', '#N/A'), 'fights.csv:2', "'#N/A' in 'blue' is no value"],
  [withCell(2, 'winner', '=IF(A1;B1)'), 'fights.csv:2', 'is no value: mend its formula'],
  [withCell(2, 'start', '46095.42013'), 'fights.csv:2', 'format these cells as date and time'],
  [withCell(2, 'start', '1/2/26'), 'fights.csv:2', 'ambiguous date'],
  [withCell(3, 'score', '2-Jan'), 'fights.csv:3', "'2-Jan' is not a score"],
  [withCell(2, 'method', 'x'.repeat(1e7)), 'fights.csv:2', "'method' has 10000000 characters"],
  [withCell(2, 'winner', 'A\0xe'), 'fights.csv:2:19', 'a NUL character'],
])('the mistake in sheet %# is listed with its line', (text, where, reason) => {
  expect(read(text).problems[0]).toMatchObject({
    where,
    reason: expect.stringContaining(reason),
  })
})

const oddCells = [
  '',
  ' ',
  'Axe',
  'é',
  '"',
  '""',
  ',',
  ';',
  '\t',
  '-1',
  '0',
  '46095.4',
  '1/2/26',
  '25:00',
]
const more = [
  '#N/A',
  '=A1',
  '2-1',
  '🤖',
  '..',
  'red',
  'RED',
  '\u200b',
  'null',
  '__proto__',
  'x'.repeat(5000),
]

test('every line of 1,000 damaged sheets is a fight or is listed', () => {
  const random = createRandom(36)
  const pick = <T>(list: readonly T[]): T | undefined =>
    list[Math.floor(random.next() * list.length)]
  for (let round = 0; round < 1000; round += 1) {
    const rows = fights.map((row) => [...row])
    for (let change = 0; change < 3; change += 1) {
      const row = pick(rows.slice(1)) ?? []
      const at = Math.floor(random.next() * row.length)
      const kind = pick(['cell', 'swap', 'double', 'cut', 'longer'])
      if (kind === 'cell') row[at] = pick([...oddCells, ...more]) ?? ''
      if (kind === 'swap') row.push(...row.splice(at, 1))
      if (kind === 'double') row.splice(at, 0, row[at] ?? '')
      if (kind === 'cut') row.length = at
      if (kind === 'longer') row.push('', '')
    }
    const { games, problems } = read(saved(rows))
    const filled = rows.slice(1).filter((row) => row.some((cell) => cell.trim() !== ''))
    const listed = new Set(problems.map(({ where }) => where.split(':', 2).join(':')))
    const isListed = problems.some(({ where }) => where === 'fights.csv')
    const found = games.length + listed.size
    expect([saved(rows), isListed || found >= filled.length]).toEqual([saved(rows), true])
    for (const { where, reason } of problems) {
      expect(where).toStartWith('fights.csv')
      expect(reason.length).toBeGreaterThan(5)
    }
  }
})
