import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  answerTable,
  createTable,
  type RowShape,
  readTableRequest,
} from '../../../src/api/legacy/dataTables.ts'
import { cpuMs } from '../cpuTime.ts'

const shape: RowShape = { fields: ['id', 'bot', 'length'], numericFields: new Set(['length']) }
const rows = [
  { id: 'W-10', bot: 'Blåde', length: '9' },
  { id: 'W-2', bot: 'axe', length: '120' },
  { id: 'EX-1', bot: "Mr. O'Clank", length: '-1' },
  { id: 'L-0', bot: 'Axe Two', length: '9' },
]
const table = createTable(rows, shape)
const all = { start: 0, length: -1 }
const ask = (query: string, page = all) =>
  answerTable(table, readTableRequest(new Map(new URLSearchParams(query)), shape, page))
const idsOf = (query: string, page = all) => ask(query, page).data.map(({ id }) => id)

const columns = shape.fields.map((field, index) => `columns[${index}][data]=${field}`).join('&')

describe('a table', () => {
  test('a table without parameters has every row in order', () => {
    expect(ask('')).toEqual({ recordsTotal: 4, recordsFiltered: 4, data: rows })
  })

  test('a table reads at most a hundred columns', () => {
    const query = Array.from({ length: 101 }, (_, at) => `columns[${at}][data]=bot`).join('&')
    const request = readTableRequest(new Map(new URLSearchParams(query)), shape, all)
    expect(request.columns).toHaveLength(100)
  })

  test('a table compares a column that is repeated in the order once', () => {
    const query = Array.from({ length: 100 }, (_, at) => `order[${at}][column]=2`).join('&')
    const { order } = readTableRequest(new Map(new URLSearchParams(query)), shape, all)
    expect(order).toEqual([{ field: 'length', isDescending: false }])
  })

  test.each([
    [0, 2, ['W-10', 'W-2']],
    [2, 2, ['EX-1', 'L-0']],
    [3, 10, ['L-0']],
    [4, 10, []],
    [2 ** 31 - 1, 2 ** 31 - 1, []],
    [1, -1, ['W-2', 'EX-1', 'L-0']],
    [0, 0, []],
  ])('a table from row %i on has %i rows', (start, length, ids) => {
    expect(idsOf('', { start, length })).toEqual(ids)
    expect(ask('', { start, length })).toMatchObject({ recordsTotal: 4, recordsFiltered: 4 })
  })

  test.each([
    ['order[0][column]=2&order[0][dir]=asc', ['EX-1', 'W-10', 'L-0', 'W-2']],
    ['order[0][column]=2&order[0][dir]=desc', ['W-2', 'W-10', 'L-0', 'EX-1']],
    ['order[0][column]=2&order[1][column]=0', ['EX-1', 'L-0', 'W-10', 'W-2']],
    [
      'order[0][column]=2&order[0][dir]=desc&order[1][column]=0&order[1][dir]=asc',
      ['W-2', 'L-0', 'W-10', 'EX-1'],
    ],
    ['order[0][column]=0', ['EX-1', 'L-0', 'W-2', 'W-10']],
    ['order[0][column]=1', ['W-2', 'L-0', 'W-10', 'EX-1']],
    ['order[0][column]=1&order[0][dir]=DESC', ['EX-1', 'W-10', 'L-0', 'W-2']],
    ['order[0][column]=7&order[1][column]=0', ['EX-1', 'L-0', 'W-2', 'W-10']],
    ['order[0][column]=-1', ['W-10', 'W-2', 'EX-1', 'L-0']],
    ['order[0][column]=__proto__', ['W-10', 'W-2', 'EX-1', 'L-0']],
    ['order[1][column]=0', ['W-10', 'W-2', 'EX-1', 'L-0']],
  ])('a table is ordered by ?%s, with and without names of columns', (query, ids) => {
    expect(idsOf(`${columns}&${query}`)).toEqual(ids)
    expect(idsOf(query)).toEqual(ids)
  })

  test('a table is ordered by the columns that it has, in its own places', () => {
    const own = 'columns[0][data]=&columns[1][data]=length&columns[2][data]=constructor'
    expect(idsOf(`${own}&order[0][column]=1`)).toEqual(['EX-1', 'W-10', 'L-0', 'W-2'])
    for (const column of [0, 2]) {
      expect(idsOf(`${own}&order[0][column]=${column}`)).toEqual(rows.map(({ id }) => id))
    }
    expect(idsOf(`${own}&columns[1][orderable]=false&order[0][column]=1`)).toEqual(
      rows.map(({ id }) => id),
    )
  })

  test.each([
    ['axe', ['W-2', 'L-0']],
    ['AXE', ['W-2', 'L-0']],
    ['blade', ['W-10']],
    ['BLÅDE', ['W-10']],
    ["o'clank", ['EX-1']],
    ['two axe', ['L-0']],
    ['"axe two"', ['L-0']],
    ['"two axe"', []],
    ['axe 120', ['W-2']],
    ['  ', ['W-10', 'W-2', 'EX-1', 'L-0']],
    ['"', ['W-10', 'W-2', 'EX-1', 'L-0']],
    ['.*', []],
    ['<script>', []],
  ])('a table finds %p', (text, ids) => {
    const { recordsTotal, recordsFiltered, data } = ask(
      `search[value]=${encodeURIComponent(text)}&search[regex]=true`,
    )
    expect(data.map(({ id }) => id)).toEqual(ids)
    expect({ recordsTotal, recordsFiltered }).toEqual({
      recordsTotal: 4,
      recordsFiltered: ids.length,
    })
  })

  test('a table counts the found rows before paging', () => {
    expect(ask('search[value]=axe', { start: 1, length: 1 })).toEqual({
      recordsTotal: 4,
      recordsFiltered: 2,
      data: rows.slice(3),
    })
  })

  test('a table is searched only in columns that are searchable and named', () => {
    const bots = `${columns}&columns[0][searchable]=false`
    expect(idsOf(`${bots}&search[value]=W`)).toEqual(['L-0'])
    expect(idsOf(`${columns}&search[value]=W`)).toEqual(['W-10', 'W-2', 'L-0'])
    expect(idsOf('columns[0][data]=&search[value]=W')).toEqual([])
  })

  test('single columns of a table are narrowed', () => {
    expect(idsOf(`${columns}&columns[0][search][value]=W`)).toEqual(['W-10', 'W-2'])
    expect(idsOf(`${columns}&columns[0][search][value]=W&columns[1][search][value]=axe`)).toEqual([
      'W-2',
    ])
    expect(idsOf(`${columns}&columns[0][search][value]=W&search[value]=blade`)).toEqual(['W-10'])
    expect(idsOf(`${columns}&columns[1][search][value]=two axe`)).toEqual(['L-0'])
  })

  test('a table reads at most eight words of a search, and each counts', () => {
    const words = (count: number) => `${'axe '.repeat(count)}two`
    for (const name of ['search', 'columns[1][search]']) {
      expect(idsOf(`${columns}&${name}[value]=${words(7)}`)).toEqual(['L-0'])
      expect(idsOf(`${columns}&${name}[value]=${words(8)}`)).toEqual(['W-2', 'L-0'])
    }
  })

  test.each([
    ['^axe$', true, ['W-2']],
    ['^AXE Two$', true, ['L-0']],
    ["^Mr\\. O'Clank$", true, ['EX-1']],
    ['^$', true, []],
    ['^ax$', true, []],
    ['^a.*$', true, []],
    ['^\\d$', true, []],
    ['axe', true, ['W-2', 'L-0']],
    ['^(axe|blåde)$', true, []],
    ['^axe$', false, []],
    ['(a+)+$', true, []],
  ])('a column narrowed to %p, as an expression: %p', (text, isExpression, ids) => {
    const value = `columns[1][search][value]=${encodeURIComponent(text)}`
    expect(idsOf(`${columns}&${value}&columns[1][search][regex]=${isExpression}`)).toEqual([...ids])
  })

  test.each([`^${'\\\\'.repeat(50_000)}`, `^${'a'.repeat(100_000)}`, '('.repeat(99_999)])(
    'no expression takes for ever',
    async (evil) => {
      const asked = `search[regex]=true&search[value]=${encodeURIComponent(evil)}`
      expect(await cpuMs(() => idsOf(asked))).toBeLessThan(1000)
    },
  )

  test('a table applies the fixed search terms of a program', () => {
    const fixed = (name: string, index: number, term: string) =>
      `${name}[fixed][${index}][name]=x&${name}[fixed][${index}][term]=${term}`
    expect(idsOf(fixed('search', 0, 'axe'))).toEqual(['W-2', 'L-0'])
    expect(idsOf(`${fixed('search', 0, 'function')}&${fixed('search', 1, 'two')}`)).toEqual(['L-0'])
    expect(idsOf(`search[value]=axe&${fixed('search', 0, '120')}`)).toEqual(['W-2'])
    expect(idsOf(`${columns}&${fixed('columns[0][search]', 0, 'W')}`)).toEqual(['W-10', 'W-2'])
  })

  test('a table answers any request in little time', async () => {
    const names = ['draw', 'search[value]', 'order[0][column]', 'order[0][dir]', 'columns[0][data]']
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string()), fc.string())),
        fc.integer({ min: 0 }),
        fc.integer({ min: -1 }),
        (parameters, start, length) => {
          const request = readTableRequest(new Map(parameters), shape, { start, length })
          const { recordsFiltered, data } = answerTable(table, request)
          expect(data.length).toBeLessThanOrEqual(recordsFiltered)
          expect(data.every((row) => rows.includes(row))).toBe(true)
        },
      ),
    )
    const many = Array.from(
      { length: 5000 },
      (_, index) =>
        `order[${index}][column]=${index % 3}&columns[${index}][data]=bot&columns[${index}][search][value]=a`,
    )
    const asked = `${many.join('&')}&search[value]=${'a '.repeat(50_000)}`
    expect(await cpuMs(() => ask(asked))).toBeLessThan(1000)
  })
})
