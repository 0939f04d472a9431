import { describe, expect, test } from 'bun:test'
import { findAgain, readPrinted } from '../mutate/again.ts'
import { hasRun, parseCoverage } from '../mutate/coverage.ts'
import { testsOf } from '../mutate/importers.ts'
import { applyMutant, describeMutant, mutantsOf } from '../mutate/mutants.ts'
import { batchesOf, testsFor } from '../mutate/testRun.ts'

/** All texts that one fault makes of this one, by kind. */
const faulty = (text: string): [kind: string, text: string][] =>
  mutantsOf(text).map((mutant) => [mutant.kind, applyMutant(text, mutant)])

describe('faults of a source', () => {
  const cases: readonly [text: string, faults: [kind: string, text: string][]][] = [
    ['const a = b < c', [['boundary', 'const a = b <= c']]],
    ['const a = b && c', [['operator', 'const a = b || c']]],
    ['const a = b ? c : d', [['condition', 'const a = !(b) ? c : d']]],
    ['const a = !b', [['condition', 'const a = b']]],
    ['const a = await b', [['await', 'const a = (b)']]],
    ['const a = 5', [['constant', 'const a = (5 + 1)']]],
    [
      'const a = 64 * b',
      [
        ['constant', 'const a = (64 * 2) * b'],
        ['operator', 'const a = 64 / b'],
      ],
    ],
    ['const a = Math.max(c, d)', []],
    ['const a = 2 ** 20', []],
    ['const a = true', [['constant', 'const a = false']]],
    ['const a = b(c, d)', [['arguments', 'const a = b(d, c)']]],
    [
      'const a = [b, c]',
      [
        ['member', 'const a = [c]'],
        ['member', 'const a = [b, ]'],
      ],
    ],
    [
      'const a = { b, c }',
      [
        ['member', 'const a = { c }'],
        ['member', 'const a = { b,  }'],
      ],
    ],
    [
      'const a = /b|(?:c|[|)]\\|)$/i',
      [
        ['member', 'const a = /b|(?:[|)]\\|)$/i'],
        ['member', 'const a = /b|(?:c)$/i'],
        ['member', 'const a = /(?:c|[|)]\\|)$/i'],
        ['member', 'const a = /b/i'],
      ],
    ],
    ['save()', [['statement', ';']]],
    [
      'if (a) save()',
      [
        ['statement', ';'],
        ['condition', 'if (!(a)) save()'],
        ['statement', 'if (a) ;'],
      ],
    ],
    ["import { a } from 'b'\ntype C = 1 | true\ninterface D { e: 2 }", []],
    ["const a = b + 'text'", []],
    ["log('warn', 'late', { ms: 5, by: a < b })", [['statement', ';']]],
    ["const a = { summary: 'b', c }", [['member', "const a = { summary: 'b',  }"]]],
  ]
  test.each(cases)('%s', (text, faults) => {
    expect(faulty(text)).toEqual(faults)
  })

  test('is named with file, line and what gives way', () => {
    const text = 'const a = 1\nconst b =\n  a   <   c\n'
    const described = mutantsOf(text).map((mutant) => describeMutant('src/a.ts', text, mutant))
    expect(described).toEqual(['src/a.ts:1: constant: 1 → (1 + 1)', 'src/a.ts:3: boundary: < → <='])
  })
})

test('a printed fault is found again in a source that changed', () => {
  const before = 'const a = b < c\nconst d = 1\n\n\nconst e = f && b < c\n'
  const output = mutantsOf(before)
    .map((mutant, index) => {
      const marks = ['', ' (runs in no test)', ' (runs in no test) (refused by types or lint)']
      return describeMutant('src/a.ts', before, mutant) + marks[index % 3]
    })
    .join('\n')
  const after = `\n\n${before.replace('const d = 1\n', '')}`
  const again = readPrinted(`${output}\nsrc: 1 of 2 noticed\n`).map((printed) => {
    const mutant = findAgain(printed, after)
    return mutant && applyMutant(after, mutant).trim()
  })
  expect(again).toEqual([
    'const a = b <= c\n\n\nconst e = f && b < c',
    undefined,
    'const a = b < c\n\n\nconst e = f || b < c',
    'const a = b < c\n\n\nconst e = f && b <= c',
  ])
})

test('files of tests run in batches, each about as long as all before it', () => {
  const tests = [1, 1, 1, 1, 5, 2, 9].map((ms) => ({ test: '', ms, coverage: new Map() }))
  const batches = batchesOf(tests).map((batch) => batch.map(({ ms }) => ms))
  expect(batches).toEqual([[1], [1], [1, 1], [5], [2], [9]])
})

test('recorded answers and further tests run beyond the time of the others', () => {
  const coverage = parseCoverage('SF:src/a.ts\nDA:1,1\n')
  const baselines = [
    { test: 'quick', ms: 4, coverage },
    { test: 'elsewhere', ms: 1, coverage: new Map() },
    { test: 'also', ms: 50, coverage: new Map() },
    { test: 'test/answers/answers.test.ts', ms: 60, coverage },
    { test: 'fits', ms: 6, coverage },
    { test: 'late', ms: 7, coverage },
  ]
  const namesFor = (file: string) =>
    testsFor(baselines, ['also'], file, [1, 1], 10).map(({ test }) => test)
  expect(namesFor('src/a.ts')).toEqual(['quick', 'also', 'test/answers/answers.test.ts', 'fits'])
  expect(namesFor('src/b.ts')).toEqual(['also'])
})

test('tests that reach a module by imports, nearest first', () => {
  const imports = new Map([
    ['test/far.test.ts', ['src/b.ts']],
    ['test/near.test.ts', ['src/a.ts']],
    ['test/other.test.ts', ['src/c.ts']],
    ['src/b.ts', ['src/a.ts']],
    ['src/a.ts', ['src/b.ts']],
    ['src/c.ts', []],
  ])
  expect(testsOf(imports, 'src/a.ts')).toEqual(['test/near.test.ts', 'test/far.test.ts'])
})

test('lines that ran: of a statement over several lines, its first counts', () => {
  const report =
    'TN:\nSF:src/a.ts\nDA:2,1\nDA:5,0\nDA:9,3\nend_of_record\nSF:src/b.ts\nDA:1,0\nend_of_record\n'
  const coverage = parseCoverage(report)
  const lines = (file: string) =>
    [1, 2, 3, 4, 5, 6, 9, 10].filter((line) => hasRun(coverage, file, line, line))
  expect(lines('src/a.ts')).toEqual([2, 3, 4, 9, 10])
  expect(hasRun(coverage, 'src/a.ts', 5, 9)).toBe(true)
  expect(lines('src/b.ts')).toEqual([])
  expect(lines('src/c.ts')).toEqual([])
})
