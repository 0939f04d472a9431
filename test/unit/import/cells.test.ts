import { expect, test } from 'bun:test'
import { readFlag, readId, readTime, readWord } from '../../../scripts/import/csv/cells.ts'
import { outcomeOf, readBracket, readMethod } from '../../../scripts/import/csv/words.ts'
import { CellError } from '../../../scripts/import/problems.ts'

const midnight = Date.UTC(2026, 2, 14) / 1000
const options = { timeZone: 'UTC', dates: undefined }

test.each([
  ['12:05 AM', 5],
  ['1:05 am', 65],
  ['12:05 PM', 725],
  ['11:05 p.m.', 1385],
  ['15:05 PM', 905],
])('%s is a time', (time, minutes) => {
  expect(readTime(`2026-03-14 ${time}`, options)).toBe(midnight + minutes * 60)
})

test.each(['14:05 AM', '25:05 PM', '99:05 AM', '24:00', '25:61', '12:60 PM'])(
  '%s is no time',
  (time) => {
    expect(() => readTime(`2026-03-14 ${time}`, options)).toThrow(CellError)
  },
)

test('a time before 1970 is none, also by its zone', () => {
  const ahead = { ...options, timeZone: 'Europe/Berlin' }
  expect(() => readTime('1970-01-01', ahead)).toThrow(CellError)
  expect(readTime('1970-01-01', options)).toBe(0)
})

test.each(['.', '..', 'x'.repeat(129)])('%s is no id', (id) => {
  expect(() => readId(id)).toThrow(CellError)
})

test.each(['...', 'a/b', '50%25', '?#', 'x'.repeat(128)])('%s is an id', (id) => {
  expect(readId(id)).toBe(id)
})

test.each([
  ['ja WAHR Waar Sí si verdadero OUI VRAI sì vero tak prawda sim verdadeiro x 1 Y', true],
  ['nein FALSCH nee onwaar falso NON FAUX nie fałsz não nao 0 n', false],
])('truth values of spreadsheets in other languages: %s are %p', (cells, isSet) => {
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
])('each method of %j is %p', (cells, method) => {
  for (const cell of cells.split(', ')) expect([cell, readMethod(cell)]).toEqual([cell, method])
})

test.each([
  [
    'Verliererrunde, perdedores, Repescagem, repêchage, perdenti, verliezers, 败者组, Losers bracket, LB',
    'L',
  ],
  ['Gewinnerrunde, ganadores, vencedores, gagnants, vincitori, wygrani, 胜者组, Upper', 'W'],
  ['Fun', 'Fun'],
])('each bracket of %j is %s', (cells, bracket) => {
  for (const cell of cells.split(', ')) expect([cell, readBracket(cell)]).toEqual([cell, bracket])
})

test.each([
  ['rot rojo ROUGE rosso rood czerwony vermelha 红方 赤', 'red'],
  ['blau AZUL bleu blu blauw niebieski 蓝 青コーナー', 'blue'],
  ['tie unentschieden empate nul Égalité pareggio gelijkspel remis 平局 引き分け', 'draw'],
  ['Axe', undefined],
])('each winner of %j is %p', (cells, outcome) => {
  for (const cell of cells.split(' '))
    expect<unknown>([cell, outcomeOf(cell)]).toEqual([cell, outcome])
})

test.each(['points_by_judges', 'Points by judges', 'points-by  JUDGES'])(
  'of some words %j is one',
  (cell) => {
    const words = ['best_of', 'points_by_judges'] as const
    expect(readWord(cell, words)).toBe('points_by_judges')
    expect(readWord('', words)).toBe('best_of')
    expect(() => readWord('points', words)).toThrow('none of best_of, points_by_judges')
  },
)
