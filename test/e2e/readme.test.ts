import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { OpenAPIV3 } from 'openapi-types'
import { files } from '../../scripts/import/csv/columns.ts'
import type { Columns } from '../../scripts/import/csv/table.ts'
import { classLimits } from '../../scripts/import/csv/weights.ts'
import { streamKinds } from '../../src/api/streams/liveStreams.ts'
import { listSettings } from '../../src/config.ts'
import { schemaVersion } from '../../src/data/source/rows.ts'
import { formatVersion, minFormatVersion } from '../../src/data/source/snapshotHead.ts'
import { minSchemaVersion } from '../../src/data/source/tables.ts'
import { keyRotations } from '../../src/http/usage/clientKey.ts'
import { logFormats, logLevels } from '../../src/runtime/log.ts'
import { createContract } from '../contract.ts'
import {
  projectFolder,
  type Running,
  startService,
  stopService,
  temporaryFolder,
} from '../process.ts'
import { until } from '../until.ts'

/** Every README of the project, by its path. */
const readmes: ReadonlyMap<string, string> = new Map(
  await Promise.all(
    [
      'README.md',
      '.github/CONTRIBUTING.md',
      '.github/SECURITY.md',
      'scripts/import/YOUR-FIRST-EVENT.md',
      'scripts/deploy/RECIPES.md',
      ...new Bun.Glob('{src,scripts,test}/**/README.md').scanSync(projectFolder),
    ].map(async (path) => [path, await Bun.file(join(projectFolder, path)).text()] as const),
  ),
)
const readme = [...readmes.values()].join('\n')
const packageFile = await Bun.file(join(projectFolder, 'package.json')).json()
const scripts: Readonly<Record<string, string>> = packageFile.scripts

/** Cells of the table whose first column has this heading. */
const table = (heading: string): string[][] => {
  const lines = readme.split('\n')
  const start = lines.findIndex((line) => new RegExp(`^\\| ${heading} +\\|`).test(line))
  expect(start).toBeGreaterThan(0)
  const rows = lines.slice(start + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

/** Texts between backticks. */
const codes = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** A path with every parameter as `{}`; README has them in upper case, the description in braces. */
const normalised = (path: string): string =>
  path.replace(/(?<=\/)[A-Z]+(?=\/|$)/g, '{}').replace(/\{\w+\}/g, '{}')

describe('the documents', () => {
  test('README is read in five minutes', () => {
    expect(readmes.get('README.md')?.split(/\s+/).length).toBeLessThanOrEqual(1000)
  })

  test.each([...readmes.keys()])('every link in %s leads to a file', async (path) => {
    const links = [...(readmes.get(path) ?? '').matchAll(/\]\((?!https?:)([^)#]+)\)/g)]
    for (const [, link = ''] of links) {
      const target = join(projectFolder, path, '..', link)
      expect([link, await Bun.file(target).exists()]).toEqual([link, true])
    }
  })

  test('every document is linked from another', () => {
    for (const path of readmes.keys()) {
      if (path === 'README.md') continue
      const isLinked = [...readmes].some(([from, text]) =>
        [...text.matchAll(/\]\(([^)]+)\)/g)].some(
          ([, link = '']) => join(from, '..', link) === path && from !== path,
        ),
      )
      expect([path, isLinked]).toEqual([path, true])
    }
  })
})

describe('the tables of CSV columns', () => {
  test.each(Object.entries<Columns>(files))(
    'the table of %s in a README has its columns',
    (name, columns) => {
      const rows = table(name.replace('.', '\\.'))
      expect(rows).toEqual(
        Object.entries(columns).map(([column, { isRequired, meaning }]) => [
          `\`${column}\`${isRequired ? ' *' : ''}`,
          meaning,
        ]),
      )
    },
  )
})

test('the table of weight classes has the limits of the import', () => {
  const countries = Object.values<Readonly<Record<string, number>>>(classLimits)
  const rows = table('class')
  const names = new Set(countries.flatMap((each) => Object.keys(each)))
  expect(rows.map(([name]) => name ?? '').toSorted()).toEqual([...names].toSorted())
  for (const [name = '', ...cells] of rows) {
    expect([name, ...cells]).toEqual([
      name,
      ...countries.map((each) => String(each[name] ?? countries[0]?.[name] ?? '')),
    ])
  }
})

describe('the table of settings', () => {
  const rows = table('name').map(([names, defaults, meaning = '']) => ({
    names: codes(names),
    defaults,
    meaning,
  }))

  test('the table of settings equals the settings of the program', () => {
    const cells = table('name').map(([name = '', fallback = '', meaning = '']) => ({
      name: name.replaceAll('`', ''),
      fallback,
      meaning,
    }))
    expect(cells).toEqual([...listSettings()])
  })

  test.each([
    ['STREAM_KIND', streamKinds],
    ['CLIENT_KEY_ROTATION', keyRotations],
    ['LOG_LEVEL', logLevels],
    ['LOG_FORMAT', logFormats],
  ])('the table of settings has every value of %s', (name, values) => {
    const row = rows.find(({ names }) => names.includes(name))
    expect(codes(row?.meaning).toSorted()).toEqual([...values].toSorted())
  })
})

describe('the tables of addresses', () => {
  let service: Running
  let contract: ReturnType<typeof createContract>
  beforeAll(async () => {
    service = await startService()
    contract = createContract(await (await fetch(`${service.url}/openapi`)).json())
  })
  afterAll(async () => {
    await stopService(service)
  })

  const operations = () =>
    contract.operations.map(({ template, operation }) => ({
      path: normalised(template),
      template,
      operation,
      query: operation.parameters.filter((each) => each.in === 'query'),
      isLegacy: operation.tags?.includes('legacy') === true,
    }))
  const operationAt = (path: string) => {
    const found = operations().find((each) => each.path === normalised(path))
    if (!found) throw new Error(`${path} is not described`)
    return found
  }
  const defaultOf = ({ schema }: OpenAPIV3.ParameterObject): unknown => {
    const found: object = Object(schema)
    return '$ref' in found ? 'wins' : Object(schema).default
  }

  test('the table of paths has every operation, and only these', () => {
    const described = operations().filter(({ isLegacy }) => !isLegacy)
    const listed = table('path')
      .flatMap(([paths]) => codes(paths))
      .map((path) => normalised(path.replace(/\?.*/, '')))
    // The page is not an operation.
    expect(listed.filter((path) => path !== '/docs').toSorted()).toEqual(
      described.map(({ path }) => path).toSorted(),
    )
    expect(listed).toContain('/docs')
  })

  test('the table of paths has the parameters and defaults of the operations', () => {
    for (const [paths, meaning] of [...table('path'), ...table('endpoint')]) {
      const [path = ''] = codes(paths)
      const [address = '', query = ''] = path.split('?')
      if (address === '/docs') continue
      const known = operationAt(address).query
      for (const [name, value] of new URLSearchParams(query)) {
        const parameter = known.find((each) => each.name === name)
        expect([path, name, parameter !== undefined]).toEqual([path, name, true])
        if (/^\d+$/.test(value) || name === 'metric') {
          expect([path, name, String(parameter && defaultOf(parameter))]).toEqual([
            path,
            name,
            value,
          ])
        }
      }
      if (!meaning?.includes('also')) continue
      for (const name of codes(meaning)) expect(known.map((each) => each.name)).toContain(name)
    }
  })

  test('the table of scripts has every script with its parameters', () => {
    const legacy = operations().filter(({ isLegacy }) => isLegacy)
    const rows = table('script')
    expect(new Set(rows.flatMap(([script]) => codes(script)))).toEqual(
      new Set(legacy.map(({ template }) => template.replace('/legacy/', ''))),
    )
    for (const [script, parameters] of rows) {
      const [name = ''] = codes(script)
      const known = operationAt(`/legacy/${name}`).query.map((each) => each.name)
      for (const parameter of codes(parameters)) {
        expect(known).toContain(parameter.replace(/=.*/, ''))
      }
    }
  })

  test('the table of scripts has the successors of the Link headers', async () => {
    for (const [script, parameters = '', , supersededBy] of table('script')) {
      const [name = ''] = codes(script)
      const { template, operation, query } = operationAt(`/legacy/${name}`)
      const expected = codes(supersededBy).map(normalised)
      expect([name, operation.deprecated]).toEqual([name, expected.length > 0])
      const examples = new URLSearchParams()
      for (const { name, example } of query) {
        if (example !== undefined) examples.set(name, String(example))
      }
      const [, asked] = /function=(\w+)/.exec(parameters) ?? []
      if (asked) examples.set('function', asked)
      const found: string[] = []
      const tries = name === 'cageJSON' ? ['', 'cage=1'] : [examples.toString()]
      for (const each of tries) {
        const response = await fetch(`${service.url}${template}?${each}`, { redirect: 'manual' })
        expect([200, 302]).toContain(response.status)
        const [, link] =
          /^<([^>?]*)[^>]*>; rel="successor-version"$/.exec(response.headers.get('link') ?? '') ??
          []
        if (link === undefined) continue
        const successor = contract.operationFor(link)
        found.push(normalised(successor?.template ?? link))
      }
      expect([name, found]).toEqual([name, expected])
    }
  })

  test('the description of /openapi names the schemas whose fields differ in spelling or unit', async () => {
    const document: OpenAPIV3.Document = JSON.parse(
      await (await fetch(`${service.url}/openapi`)).text(),
    )
    const text = String(document.info.description)
    const schemasWhere = (test: (name: string, property: object) => boolean) => {
      const holds = (value: unknown): boolean =>
        typeof value === 'object' &&
        value !== null &&
        (Object.entries(Object(Object(value).properties)).some(([name, property]) =>
          test(name, Object(property)),
        ) ||
          Object.values(value).some(holds))
      return Object.entries(document.components?.schemas ?? {})
        .filter(([, schema]) => holds(schema))
        .map(([name]) => name)
    }
    const namedIn = (start: string) =>
      codes(text.slice(text.indexOf(start)).split('\n- ')[0]).filter(
        (name) => /^[A-Z]\w+[a-z]\w*$/.test(name) && name !== 'WeightClass',
      )
    // These schemas hold the rows of others, with a field more or less.
    const composed = ['LegacyRecentFights', 'SearchResults', 'BeforeTournament', 'BeforeRecording']
    const without = (names: readonly string[]) =>
      names.filter((name) => !composed.includes(name)).toSorted()
    expect(without(schemasWhere((name) => name === 'WeightClass'))).toEqual(
      namedIn('**Weight classes**').toSorted(),
    )
    expect(
      without(
        schemasWhere(
          (name, property) =>
            /(Time|Since)$/.test(name) && 'type' in property && property.type !== 'integer',
        ),
      ),
    ).toEqual(namedIn('**Times**').toSorted())
  })
})

describe('an example of the documents goes on after failures', () => {
  /**
   * Runs the n-th JavaScript example of a file against a service, with further arguments, until the end of the test.
   */
  const runExample = async (file: string, index: number, service: URL, ...args: string[]) => {
    const examples = [...(readmes.get(file) ?? '').matchAll(/```js\n(.*?)\n```/gs)]
    const path = join(await temporaryFolder(), 'example.mjs')
    const text = examples[index]?.[1] ?? ''
    await Bun.write(
      path,
      text.replace('http://localhost:3000', service.origin).replace(/\b[25]000\b/g, '20'),
    )
    const child = Bun.spawn([process.execPath, path, service.origin, ...args], { stdout: 'pipe' })
    return {
      lines: child.stdout.pipeThrough(new TextDecoderStream()).getReader(),
      [Symbol.asyncDispose]: async () => {
        child.kill()
        await child.exited
      },
    }
  }

  test('the polling example of the README continues after failures', async () => {
    let requests = 0
    const match = { player1: 'Axe', player2: 'Bolt' }
    const cages = { cage1: { cage: 'Cage 1', status: 'active', match } }
    await using service = Bun.serve({
      port: 0,
      fetch: () => {
        requests += 1
        const answer = requests === 1 ? '<h1>' : JSON.stringify({ cages })
        return new Response(answer, { headers: { ETag: `"${requests}"` } })
      },
    })
    await using example = await runExample('README.md', 0, service.url)
    expect((await example.lines.read()).value).toContain('Cage 1 active Axe v Bolt')
  })

  test('the notification example of the README continues after failures, with each change once', async () => {
    const row = { player1: 'Axe', player2: 'Bolt', winner: 'player2', winAnnotation: 'KO' }
    const sent = (id: number, winner: string | null) =>
      `id: ${id}\ndata: ${JSON.stringify({ type: 'fight.ended', after: { ...row, winner } })}\n\n`
    const streams: URLSearchParams[] = []
    const posts: string[] = []
    await using service = Bun.serve({
      port: 0,
      fetch: async (request) => {
        if (request.method === 'POST') {
          posts.push(await request.text())
          return new Response('', { status: posts.length === 1 ? 429 : 204 })
        }
        streams.push(new URL(request.url).searchParams)
        if (streams.length === 1) return new Response('{"error":"full"}', { status: 503 })
        return new Response(streams.length === 2 ? sent(7, 'player2') : sent(8, 'draw'))
      },
    })
    await using _ = await runExample(
      'src/companions/changes/README.md',
      1,
      service.url,
      service.url.href,
    )
    await until(() => posts.length >= 3 && streams.length >= 4)
    const won = 'Axe v Bolt: fight.ended Bolt KO'
    expect(posts.slice(0, 3)).toEqual([won, won, 'Axe v Bolt: fight.ended draw KO'])
    expect(streams.slice(0, 4).map((query) => query.get('since'))).toEqual(['', '', '7', '8'])
    expect(streams[0]?.has('bot')).toBe(false)
  })
})

describe('scripts', () => {
  const commands = [...readme.matchAll(/bun (?:run |(?=start\b))([a-z:-]+)((?: +[^\s#`]+)*)/g)].map(
    ([, name = '', rest = '']) => ({ name, options: rest.match(/--[a-z-]+/g) ?? [] }),
  )
  const helpOf = (name: string) => {
    const file = String(scripts[name]).replace(/^bun /, '')
    const { exitCode, stdout } = Bun.spawnSync([process.execPath, file, '--help'], {
      cwd: projectFolder,
    })
    return { exitCode, text: stdout.toString() }
  }

  test('every command in README is one of package.json', () => {
    expect(commands.length).toBeGreaterThan(10)
    for (const { name } of commands) expect(Object.keys(scripts)).toContain(name)
  })

  test.each(
    Object.entries(scripts).flatMap(([name, command]) =>
      /^bun (scripts|test)\//.test(command) ? [name] : [],
    ),
  )('%s is in README, has --help, and the options that README gives it', (name) => {
    const { exitCode, text } = helpOf(name)
    expect(exitCode).toBe(0)
    expect(text).toStartWith(`Usage: bun run ${name}`)
    const used = commands.filter((each) => each.name === name)
    expect(used.length).toBeGreaterThan(0)
    for (const option of used.flatMap(({ options }) => options)) expect(text).toContain(option)
  })
})

test('the table of versions ends with the current one, and the CHANGELOG names its tables', async () => {
  const current = [
    packageFile.version,
    `${minSchemaVersion} to ${schemaVersion}`,
    String(schemaVersion),
    `${minFormatVersion} to ${formatVersion}`,
    String(formatVersion),
  ]
  expect(table('version').at(-1)).toEqual(current)
  const changes = await Bun.file(join(projectFolder, '.github/CHANGELOG.md')).text()
  expect(changes).toContain(`run \`migrate\` (tables ${schemaVersion})`)
})
