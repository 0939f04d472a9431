import { describe, expect, test } from 'bun:test'
import {
  doubtAbout,
  readAddress,
  readCage,
  readCount,
  readFlag,
  readId,
  readLength,
  readScore,
  readTime,
  readTimeFrom,
  readWord,
  writeTime,
} from '../../scripts/import/csv/cells.ts'
import { outcomeOf, readBracket, readMethod } from '../../scripts/import/csv/words.ts'
import { CellError } from '../../scripts/import/problems.ts'

const midnight = Date.UTC(2026, 2, 14) / 1000
const options = { timeZone: 'UTC', dates: undefined }

test.each([
  ['12:05 AM', 5],
  ['1:05 am', 65],
  ['12:05 PM', 725],
  ['11:05 p.m.', 1385],
  ['15:05 PM', 905],
])('the cell %s is a time', (time, minutes) => {
  expect(readTime(`2026-03-14 ${time}`, options)).toBe(midnight + minutes * 60)
})

test.each(['14:05 AM', '25:05 PM', '99:05 AM', '24:00', '25:61', '12:60 PM'])(
  'the cell %s is no time',
  (time) => {
    expect(() => readTime(`2026-03-14 ${time}`, options)).toThrow(CellError)
  },
)

test('a time before 1970 is refused, even if only its zone makes it so', () => {
  const ahead = { ...options, timeZone: 'Europe/Berlin' }
  expect(() => readTime('1970-01-01', ahead)).toThrow(CellError)
  expect(readTime('1970-01-01', options)).toBe(0)
})

test.each<[string, 'dmy' | 'mdy' | undefined, string]>([
  ['13/3/2026', undefined, '2026-03-13'],
  ['3/13/2026', undefined, '2026-03-13'],
  ['4/3/2026', 'dmy', '2026-03-04'],
  ['4/3/2026', 'mdy', '2026-04-03'],
  ['4.3.2026', 'mdy', '2026-03-04'],
])('the date %s in the order %p is %s', (cell, dates, date) => {
  expect(readTime(cell, { ...options, dates })).toBe(Date.parse(date) / 1000)
})

test.each<[string, 'dmy' | 'mdy' | undefined]>([
  ['12/3/2026', undefined],
  ['12/12/2026', undefined],
  ['3/13/2026', 'dmy'],
  ['13/3/2026', 'mdy'],
])('the date %s in the order %p is refused', (cell, dates) => {
  expect(() => readTime(cell, { ...options, dates })).toThrow(CellError)
})

test.each([
  ['2026-03-14T10:00Z', 10],
  ['2026-03-14 10:00-04:00', 14],
  ['2026-03-14 10:00+0400', 6],
  ['2026-03-14 10:00', 9],
])('the time %s has its own zone, or the zone of the event', (cell, hour) => {
  const berlin = { ...options, timeZone: 'Europe/Berlin' }
  expect(readTime(cell, berlin)).toBe(midnight + hour * 3600)
})

test.each(['46095.42', '46095,42', '46095'])(
  'the number %s in a date cell is refused with a remedy',
  (cell) => {
    expect(() => readTime(cell, options)).toThrow(': format these cells as date and time')
  },
)

test.each([
  [0, '2026-03-14 00:00'],
  [605, '2026-03-14 00:10:05'],
  [-1, '2026-03-13 23:59:59'],
])('%i seconds after midnight are written as they are read', (seconds, cell) => {
  expect(writeTime(midnight + seconds, options)).toBe(cell)
  expect(readTime(cell, options)).toBe(midnight + seconds)
})

describe('an event that starts at 10:00', () => {
  const from = midnight + 10 * 3600
  test.each([
    ['10:00', 10, false],
    ['9:59', 33 + 59 / 60, true],
    ['22:00', 22, false],
    ['00:00', 24, true],
    ['2026-03-14 10:00', 10, false],
    ['2026-03-14 9:59', 9 + 59 / 60, true],
    ['2026-03-15 09:00', 33, false],
  ])('an event at 10:00 has a fight at %s at hour %p, doubted: %p', (cell, hour, isDoubted) => {
    const unix = readTimeFrom(cell, from, options)
    expect(unix).toBe(midnight + Math.round(hour * 3600))
    expect(doubtAbout(cell, unix, from, options) !== undefined).toBe(isDoubted)
  })

  test('an event in the evening has fights up to half a day later without a doubt', () => {
    const evening = midnight + 18 * 3600
    for (const [cell, isDoubted] of [
      ['6:00', false],
      ['6:01', true],
    ] as const) {
      const unix = readTimeFrom(cell, evening, options)
      expect([cell, doubtAbout(cell, unix, evening, options) !== undefined]).toEqual([
        cell,
        isDoubted,
      ])
    }
  })
})

test('counts have up to nine digits, lengths in seconds up to five', () => {
  expect(readCount('999999999')).toBe(999_999_999)
  expect(readLength('99999')).toBe(99_999)
  expect(readLength('0:1:35')).toBe(95)
  for (const read of [() => readCount('1234567890'), () => readLength('100000')])
    expect(read).toThrow(CellError)
})

test.each(['https://', 'ftp://a.example/b', 'a.example', 'http:/a'])(
  'the cell %s is no URL',
  (cell) => {
    expect(() => readAddress(cell)).toThrow('is not a URL that begins with https://')
  },
)

test.each([
  ['2', 'Cage 2'],
  ['02', 'Cage 2'],
  ['cage 2', 'Cage 2'],
  ['CAGE 02', 'Cage 2'],
  ['Cage 12345', 'Cage 12345'],
  ['12345', '12345'],
  ['Main', 'Main'],
  ['', null],
])('the cage %j is %p', (cell, cage) => {
  expect(readCage(cell)).toBe(cage)
})

test.each(['.', '..', 'x'.repeat(129)])('the cell %s is no id', (id) => {
  expect(() => readId(id)).toThrow(CellError)
})

test.each(['...', 'a/b', '50%25', '?#', 'x'.repeat(128)])('the cell %s is an id', (id) => {
  expect(readId(id)).toBe(id)
})

test.each([
  ['ja WAHR Waar Sí si verdadero OUI VRAI sì vero tak prawda sim verdadeiro x 1 Y', true],
  ['nein FALSCH nee onwaar falso NON FAUX nie fałsz não nao 0 n', false],
])('truth values of spreadsheets in other languages, %s, are %p', (cells, isSet) => {
  for (const cell of cells.split(' ')) expect([cell, readFlag(cell)]).toEqual([cell, isSet])
  expect(readFlag('')).toBe(false)
})

test('an unknown word is neither yes nor no', () => {
  expect(() => readFlag('maybe')).toThrow("'maybe' is neither yes nor no")
})

test.each([
  ['K.O., Knockout, Nocaute, noqueó, hors combat, kampfunfähig, nokaut, 击倒, ノックアウト', 'KO'],
  [
    'Nocaute técnico, technischer K.O., K.O. technique, KO tecnico, 技术击倒, テクニカルノックアウト',
    'TKO',
  ],
  [
    'Tap-out, desistência, Desistencia, rendición, Abandon, abandono, abbandono, resa, Aufgabe',
    'TO',
  ],
  ['opgegeven, poddanie, 认输, ギブアップ, タップ, 降参', 'TO'],
  ['Decisão dos juízes, Juryentscheid, Judges’ Decision, Punktsieg, decisión de los jueces', 'JD'],
  ['Décision des juges, ai punti, op punten, decyzja sędziów, 判定, 裁判判定', 'JD'],
  [
    'W.O., Forfeit, kampflos, Forfait, não compareceu, no presentado, assenza, walkower, 不戦勝',
    'FF',
  ],
  ['Desclassificação, descalificado, Disqualifié, squalifica, 失格, 取消资格', 'DQ'],
  ['no contest', 'NO CONTEST'],
  ['pin', 'PIN'],
  ['压制', '压制'],
  ['', null],
])('the methods %j are read as %p', (cells, method) => {
  for (const cell of cells.split(', ')) expect([cell, readMethod(cell)]).toEqual([cell, method])
})

test.each([
  [
    'Verliererrunde, perdedores, Repescagem, repêchage, perdenti, verliezers, 败者组, Losers bracket, LB',
    'L',
  ],
  ['Gewinnerrunde, ganadores, vencedores, gagnants, vincitori, wygrani, 胜者组, Upper', 'W'],
  ['Fun', 'Fun'],
])('the brackets %j are read as %s', (cells, bracket) => {
  for (const cell of cells.split(', ')) expect([cell, readBracket(cell)]).toEqual([cell, bracket])
})

test.each([
  ['rot rojo ROUGE rosso rood czerwony vermelha 红方 赤', 'red'],
  ['blau AZUL bleu blu blauw niebieski 蓝 青コーナー', 'blue'],
  ['tie unentschieden empate nul Égalité pareggio gelijkspel remis 平局 引き分け', 'draw'],
  ['Axe', undefined],
])('the winners %j are read as %p', (cells, outcome) => {
  for (const cell of cells.split(' '))
    expect<unknown>([cell, outcomeOf(cell)]).toEqual([cell, outcome])
})

test.each(['points_by_judges', 'Points by judges', 'points-by  JUDGES'])(
  'the cell %j is a word of the list',
  (cell) => {
    const words = ['best_of', 'points_by_judges'] as const
    expect(readWord(cell, words)).toBe('points_by_judges')
    expect(readWord('', words)).toBe('best_of')
    expect(() => readWord('points', words)).toThrow('must be one of best_of, points_by_judges')
  },
)

test.each([
  ['2-1', [2, 1]],
  ['2 – 1', [2, 1]],
  ['1-3,3-0,3-2', [2, 1]],
  ['11-9 | 7-11 | 8-11', [1, 2]],
  ['3-0; 3-1', [2, 0]],
  ['11-9 11-7', [2, 0]],
  ['1-1,2-1', [1, 0]],
  ['', undefined],
])('the score %j is read as %p', (cell, score) => {
  expect<unknown>(readScore(cell)).toEqual(score)
})

test.each(['2-1,', '2-1,x', '1-2-3', '2:1:0'])('the score %j is refused', (cell) => {
  expect(() => readScore(cell)).toThrow(`'${cell}' is not a score`)
})
