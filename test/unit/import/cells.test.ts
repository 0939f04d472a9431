import { expect, test } from 'bun:test'
import { readFlag, readId, readTime } from '../../../scripts/import/csv/cells.ts'
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
  ['ja', true],
  ['WAHR', true],
  ['Sí', true],
  ['VRAI', true],
  ['nein', false],
  ['FALSCH', false],
  ['FAUX', false],
  ['', false],
])('%j, as spreadsheets in other languages have it, is %p', (cell, isSet) => {
  expect(readFlag(cell)).toBe(isSet)
})

test('an unknown word is neither yes nor no', () => {
  expect(() => readFlag('maybe')).toThrow("'maybe' is neither yes nor no")
})

test.each([
  ['K.O.', 'KO'],
  ['Knockout', 'KO'],
  ['Tap-out', 'TO'],
  ['Forfeit', 'FF'],
  ['no contest', 'NO CONTEST'],
  ['Nocaute', 'KO'],
  ['击倒', 'KO'],
  ['Nocaute técnico', 'TKO'],
  ['desistência', 'TO'],
  ['Desistencia', 'TO'],
  ['Aufgabe', 'TO'],
  ['认输', 'TO'],
  ['ギブアップ', 'TO'],
  ['Decisão dos juízes', 'JD'],
  ['Juryentscheid', 'JD'],
  ['判定', 'JD'],
  ['Judges’ Decision', 'JD'],
  ['W.O.', 'FF'],
  ['kampflos', 'FF'],
  ['Desclassificação', 'DQ'],
  ['失格', 'DQ'],
  ['pin', 'PIN'],
  ['压制', '压制'],
  ['', null],
])('the method %j is %p', (cell, method) => {
  expect(readMethod(cell)).toBe(method)
})

test.each([
  ['Verliererrunde', 'L'],
  ['Repescagem', 'L'],
  ['胜者组', 'W'],
  ['Losers bracket', 'L'],
  ['Fun', 'Fun'],
])('the bracket %j is %s', (cell, bracket) => {
  expect(readBracket(cell)).toBe(bracket)
})

test.each([
  ['红方', 'red'],
  ['AZUL', 'blue'],
  ['引き分け', 'draw'],
  ['Égalité', 'draw'],
  ['Axe', undefined],
])('the winner %j is %p', (cell, outcome) => {
  expect<string | undefined>(outcomeOf(cell)).toBe(outcome)
})
