import { afterEach, beforeEach, describe, expect, mock, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import {
  CommandError,
  databaseUrl,
  printable,
  readArguments,
  runCommand,
} from '../../scripts/command.ts'
import { flag, text } from '../../scripts/option.ts'
import { SourceError } from '../../src/source/sourceErrors.ts'
import { temporaryFolder } from '../process.ts'

test.each([
  ['two\r\nlines', 'two lines'],
  ['\u001b[2Jgone', ' [2Jgone'],
  ['\u0085\u2028\u2029\u202e\u200fx', ' x'],
  ['a'.repeat(301), 'a'.repeat(300)],
  ['Blåde 🤖', 'Blåde 🤖'],
])('what is printed cannot write over the terminal (%#)', (given, printed) => {
  expect(printable(given)).toBe(printed)
})

describe('the database of a command', () => {
  const before = { ...process.env }
  const set = (values: Readonly<Record<string, string>>) => Object.assign(process.env, values)
  beforeEach(() => {
    delete process.env.DATABASE_ADMIN_URL
    delete process.env.DATABASE_ADMIN_URL_FILE
  })
  afterEach(() => {
    for (const name of ['DATABASE_ADMIN_URL', 'DATABASE_ADMIN_URL_FILE'] as const) {
      const value = before[name]
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })

  test('is the option, else that of the environment or of its file', async () => {
    set({ DATABASE_ADMIN_URL: 'postgres://environment/a' })
    expect(databaseUrl('postgres://option/a')).toBe('postgres://option/a')
    expect(databaseUrl(undefined)).toBe('postgres://environment/a')
    delete process.env.DATABASE_ADMIN_URL
    const file = join(await temporaryFolder(), 'url')
    await Bun.write(file, 'postgres://file/a\n')
    set({ DATABASE_ADMIN_URL_FILE: file })
    expect(databaseUrl(undefined)).toBe('postgres://file/a')
  })

  test('is named, and has one host', () => {
    for (const none of [undefined, '']) {
      expect(() => databaseUrl(none)).toThrow(
        '--database-url or DATABASE_ADMIN_URL must name the database',
      )
    }
    expect(() => databaseUrl('postgres://a,b/c')).toThrow('the database must have one host here')
  })
})

describe('a command', () => {
  const printed: string[] = []
  const { exitCode = 0 } = process
  beforeEach(() => {
    printed.length = 0
    for (const kind of ['log', 'error'] as const)
      spyOn(console, kind).mockImplementation((line) => void printed.push(`${kind}: ${line}`))
  })
  afterEach(() => {
    mock.restore()
    process.exitCode = exitCode
  })

  const outcome = async (main: Parameters<typeof runCommand>[0], args: readonly string[] = []) => {
    await runCommand(main, [...args])
    return [...printed, Number(process.exitCode ?? 0)]
  }
  const failing = (error: unknown) => outcome(() => Promise.reject(error))
  const reading = (...args: string[]) =>
    outcome(async (given) => {
      const { values, positionals } = readArguments('the help', given, { name: text, all: flag })
      console.log(JSON.stringify([values.name, values.all, ...positionals]))
    }, args)

  test('has options and names, and prints its help', async () => {
    expect(await reading('--name', 'a', 'b')).toEqual(['log: ["a",null,"b"]', 0])
    printed.length = 0
    expect(await reading('--help', '--name', 'a')).toEqual(['log: the help', 0])
    printed.length = 0
    expect(await reading('--nmae', 'a')).toEqual(["error: Unknown option '--nmae' (see --help)", 1])
    printed.length = 0
    expect(await reading('--all=1')).toEqual([
      expect.stringMatching(/^error: .*--all.* \(see --help\)$/),
      1,
    ])
  })

  test.each<[string, unknown]>([
    ['it is late', new CommandError('it is late')],
    ['first', new Error('first\nsecond')],
    ['of the cleanup', new SuppressedError(new Error('of the cleanup'), new Error('before'))],
    ['a text', 'a text'],
    ['no answer: ECONNREFUSED', new SourceError('no answer', 'ECONNREFUSED')],
    ['no answer', new SourceError('no answer')],
  ])('that fails says %j in one line, and exits with 1', async (line, error) => {
    expect(await failing(error)).toEqual([`error: ${line}`, 1])
  })
})
