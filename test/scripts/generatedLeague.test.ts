import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { generateLeague } from '../../scripts/league/league.ts'
import { planEvents } from '../../scripts/league/plan.ts'
import { createRandom } from '../../scripts/league/random.ts'
import { projectFolder, runToEnd, temporaryFolder } from '../process.ts'

describe('generateLeague', () => {
  test('generateLeague gives equal rows for equal options, even if read twice, and others for another seed', () => {
    const [first, second, again] = [1, 2, 2].map((seed) =>
      generateLeague({ seed, scale: 'sample' }),
    )
    const rowsOf = (league: typeof first) => [...(league?.tournaments ?? [])]
    expect(rowsOf(second).length).toBeGreaterThan(20)
    for (let loop = 0; loop < 2; loop += 1)
      expect(Bun.deepEquals(rowsOf(again), rowsOf(second))).toBe(true)
    expect([again?.cages, again?.cageQueue]).toEqual([second?.cages, second?.cageQueue])
    const names = (league: typeof first) =>
      rowsOf(league).flatMap(({ players }) => players.map(({ name }) => name))
    expect(names(first)).not.toEqual(names(second))
  })

  // The sample of seed 1 is committed. After an intended change, take over the digest of the failure.
  test.each([
    [2, 'sample', 'b3f6fef955ae'],
    [1, 1, 'e22acc0e6d1b'],
  ] as const)(
    'generateLeague gives the recorded rows for seed %p at scale %p',
    (seed, scale, digest) => {
      const hash = new Bun.CryptoHasher('sha1')
      const { tournaments, ...rest } = generateLeague({ seed, scale })
      // The digest depends neither on new columns without values nor on the order of columns.
      const valuesOf = (row: object) =>
        Object.entries(row)
          .filter(([, value]) => value !== null)
          .sort()
      const withValues = (_: string, value: unknown) =>
        value instanceof Object && !Array.isArray(value) ? valuesOf(value) : value
      hash.update(JSON.stringify(rest, withValues))
      for (const rows of Iterator.from(tournaments).take(24))
        hash.update(JSON.stringify(rows, withValues))
      expect(hash.digest('hex').slice(0, 12)).toBe(digest)
    },
  )

  test('generateLeague makes one event at a time', () => {
    const made: string[] = []
    for (const { tournament } of generateLeague({ seed: 1, scale: 10 }).tournaments) {
      made.push(tournament.id)
      if (made.length === 3) break
    }
    expect(made.length).toBe(3)
  })
})

describe('planEvents', () => {
  test.each(['sample', 1, 10, 100] as const)(
    'planEvents spreads events over separate days (%p)',
    (scale) => {
      const starts = planEvents(scale, createRandom(1)).map(({ startTime }) => startTime)
      expect(Math.min(...starts)).toBeGreaterThan(Date.UTC(2001) / 1000)
      const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0))
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(86_400)
    },
  )
})

describe('scripts/generate.ts', () => {
  const run = (...args: readonly string[]) =>
    runToEnd([process.execPath, 'scripts/generate.ts', ...args], { cwd: projectFolder })

  test('generate writes the committed snapshot: `bun run generate --out snapshot/sample.cageside`', async () => {
    const path = join(await temporaryFolder(), 'league.cageside')
    expect(await run('--out', path)).toMatchObject({ code: 0, errors: '' })
    const bytes = await Bun.file(path).bytes()
    expect(bytes.length).toBeLessThan(2_000_000)
    const committed = await Bun.file(join(projectFolder, 'snapshot/sample.cageside')).bytes()
    expect(Buffer.compare(bytes, committed)).toBe(0)
  })

  test('generate explains itself', async () => {
    const { output, code } = await run('--help')
    expect(code).toBe(0)
    expect(output).toContain('--scale')
  })

  test.each([
    [[]],
    [['--out', '/nowhere/at/all/league']],
    [['--out', 'x', '--seed', '1.5']],
    [['--out', 'x', '--seed', '4294967296']],
    [['--out', 'x', '--scale', '101']],
    [['--out', 'x', '--size', '2']],
    [['--out', 'x', 'stray']],
    [['--out']],
  ])('generate refuses %j in one line', async (args) => {
    expect(await run(...args)).toEqual({
      code: 1,
      output: '',
      errors: expect.stringMatching(/^[^\n]+\n$/),
    })
  })
})
