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
import { SourceError } from '../../src/data/source/sourceErrors.ts'
import { temporaryFolder } from '../process.ts'

test.each([
  ['two\r\nlines', 'two lines'],
  ['\u001b[2Jgone', ' [2Jgone'],
  ['\u0085\u2028\u2029\u202e\u200fx', ' x'],
  ['a'.repeat(301), 'a'.repeat(300)],
  ['Blåde 🤖', 'Blåde 🤖'],
])('printed text cannot control the terminal (%#)', (given, printed) => {
  expect(printable(given)).toBe(printed)
})

/** Settings that commands read; each test begins without them. */
const settings = [
  'DATABASE_ADMIN_URL',
  'PUBLIC_URL',
  'READER_PASSWORD',
  'WRITER_PASSWORD',
  'TRUEFINALS_USER_ID',
].flatMap((name) => [name, `${name}_FILE`])
const before = settings.map((name) => [name, process.env[name]] as const)
beforeEach(() => {
  for (const name of settings) delete process.env[name]
})
afterEach(() => {
  for (const [name, value] of before)
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
})

describe('the database of a command', () => {
  const set = (values: Readonly<Record<string, string>>) => Object.assign(process.env, values)

  test('the database of a command is its option, else the setting in the environment or in its file', async () => {
    set({ DATABASE_ADMIN_URL: 'postgres://environment/a' })
    expect(databaseUrl('postgres://option/a')).toBe('postgres://option/a')
    expect(databaseUrl(undefined)).toBe('postgres://environment/a')
    delete process.env.DATABASE_ADMIN_URL
    const file = join(await temporaryFolder(), 'url')
    await Bun.write(file, 'postgres://file/a\n')
    set({ DATABASE_ADMIN_URL_FILE: file })
    expect(databaseUrl(undefined)).toBe('postgres://file/a')
  })

  test('the database of a command must be named, and have one host', () => {
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

  test('a command has options and names, and prints its help', async () => {
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

  /** Refused calls, each with every one of the endings. */
  type Refused = readonly [call: string, message: string, endings?: readonly string[]]
  const importing = ['import csv .', 'import api http://a.example', 'import recordings a.csv']
  const numberOf = (name: string, min: number, max: number): Refused => [
    'import api http://a.example --watch',
    `--${name} must be a number from ${min} to ${max}`,
    ['x', '1e2', '-1', min - 0.005, max + 1].map((value) => `--${name}=${value}`),
  ]
  const addresses = ['ftp://a.example', 'a.example', 'http://a@b.example', 'http://b.example/?c']
  const refused: readonly Refused[] = [
    ['import', 'SOURCE must be one of api, csv, truefinals, recordings (see --help)', ['sheet']],
    ['import csv', 'one folder is expected (see --help)', ['', 'a b']],
    ['import csv package.json', 'package.json is a file; give the folder that contains it'],
    ['import csv . --serve --database-url a', '--serve and --database-url exclude each other'],
    ['import csv .', '--source needs a name', ['--source=']],
    ['import csv . --media .', '--media into a database needs the setting PUBLIC_URL'],
    ['import csv . --media ./none --out /tmp/none', 'the folder ./none does not exist'],
    ['import recordings', 'one file is expected (see --help)', ['', 'a b']],
    ['import api', 'one address is expected (see --help)', ['', 'http://a http://b']],
    ...addresses.map(
      (address): Refused => [
        `import api ${address}`,
        'BASE must be an http(s) address without user, query and fragment',
      ],
    ),
    ['import api http://a.example', '--legacy must be a path such as /legacy', ['--legacy a']],
    ['import api http://a.example --interval 9', '--interval needs --watch'],
    [
      'import api http://a.example --interval -9',
      "Option '--interval' argument is ambiguous (see --help)",
    ],
    numberOf('interval', 5, 86_400),
    numberOf('rate', 0.01, 100_000),
    [
      'import truefinals',
      '--tournament ID is required, and nothing after it (see --help)',
      ['', 'a', '--tournament a b'],
    ],
    ['import truefinals --tournament a/b', '--tournament must be an id of letters and digits'],
    ['import truefinals --tournament a', '--weight must be like spring30=30', ['--weight a']],
    ['import truefinals --tournament a', 'TRUEFINALS_USER_ID must be set (see --help)'],
    ...importing.flatMap((call): readonly Refused[] => [
      [call, '--out and --database-url exclude each other', ['--out a --database-url b']],
      [call, '--out needs the path of a file', ['--out=']],
      [call, '--database-url or DATABASE_ADMIN_URL must name the database'],
      [call, '--time-zone must be a name such as America/New_York', ['--time-zone Berlin']],
      [call, '--dates must be mdy or dmy', ['--dates ymd']],
    ]),
    [
      'generate --out a --scale 1',
      '--seed must be a whole number from 0 to 4294967295',
      ['--seed x', '--seed 4294967296', '--seed 1.5'],
    ],
    ['generate --seed 4294967295', '--out PATH is required', ['', '--out=']],
    [
      'generate --out a',
      '--scale must be sample or a whole number from 1 to 100',
      ['--scale 0', '--scale 101', '--scale small'],
    ],
    ['generate a', 'only options are expected (see --help)'],
    ['migrate a', 'no arguments are expected (see --help)'],
    ['migrate --reader a', '--reader needs --reader-password or READER_PASSWORD (see --help)'],
    ['migrate --writer a', '--writer needs --writer-password or WRITER_PASSWORD (see --help)'],
    ['migrate --reader-password a', '--reader-password needs --reader (see --help)'],
    ['load', 'one snapshot file is expected (see --help)', ['a b']],
    ['snapshot', '--out PATH is expected, and nothing after it (see --help)', ['', '--out a b']],
    [
      'snapshot --database-url postgres://a --out a',
      '--captured-at must be like 2026-03-14T15:00:00Z',
      ['--captured-at 2026-03-14', '--captured-at 1969-12-31T23:59:59Z'],
    ],
    ['mirror', 'URL --out PATH is expected, and nothing else (see --help)', ['', 'http://a']],
    ['mirror ftp://a --out a', 'an address such as https://host is expected (see --help)'],
    ['replay a b', 'one snapshot file is expected (see --help)'],
    ['usageReport', 'an address is expected (see --help)'],
    ['usageReport http://a http://a', 'an address is given twice'],
    ['usageReport ftp://a', 'ftp://a is not an http(s) URL'],
    [
      'usageReport http://a',
      '--days must be 1 to 365 (see --help)',
      ['--days 0', '--days 366', '--days 1.5', '--days x'],
    ],
    ['serve a', 'no arguments are expected (see --help)'],
  ]
  const calls = refused.flatMap(([call, message, endings = ['']]) =>
    endings.map((ending) => [`${call} ${ending}`.trim(), message] as const),
  )
  test.each(calls)('the command %s is refused: %s', async (call, message) => {
    const [name, ...args] = call.split(' ')
    const { main } = await import(`../../scripts/${name}.ts`)
    expect(await outcome(main, args)).toEqual([`error: ${message}`, 1])
  })

  test.each<[string, unknown]>([
    ['it is late', new CommandError('it is late')],
    ['first', new Error('first\nsecond')],
    ['of the cleanup', new SuppressedError(new Error('of the cleanup'), new Error('before'))],
    ['a text', 'a text'],
    ['no answer: ECONNREFUSED', new SourceError('no answer', 'ECONNREFUSED')],
    ['no answer', new SourceError('no answer')],
  ])('a command that fails says %j in one line, and exits with 1', async (line, error) => {
    expect(await failing(error)).toEqual([`error: ${line}`, 1])
  })
})
