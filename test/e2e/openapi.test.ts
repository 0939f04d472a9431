import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import createFetchClient from 'openapi-fetch'
import type { OpenAPIV3 } from 'openapi-types'
import openapiTS, { astToString } from 'openapi-typescript'
import type { App } from '../../src/app.ts'
import type { OpenedService } from '../../src/data/archive/archive.ts'
import { openSnapshot } from '../../src/data/following/fromSnapshot.ts'
import { createLog } from '../../src/runtime/log.ts'
import { createContract } from '../contract.ts'
import { appOf } from '../fixtures.ts'
import { projectFolder } from '../process.ts'
import { smallSnapshot } from '../smallLeague.ts'
import { untilAnswered } from '../until.ts'

const sample = await smallSnapshot()
const basePath = '/api'
let service: OpenedService
let app: App
// biome-ignore lint/suspicious/noExplicitAny: a document is looked into everywhere.
let document: any
let contract: ReturnType<typeof createContract>
/** A folder below `node_modules`, where clients find their imports. */
const folder = join(projectFolder, 'node_modules', `.clients-${process.pid}`)

beforeAll(async () => {
  service = openSnapshot(sample, createLog('silent'))
  await service.firstLoad
  app = appOf(service, { basePath })
  document = await (await app(new Request(`http://localhost${basePath}/openapi`))).json()
  contract = createContract(document)
  await mkdir(folder, { recursive: true })
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** True if the answer is a file. */
const isFile = (content: OpenAPIV3.ResponseObject['content'] = {}): boolean =>
  Object.values(content).some(
    ({ schema }) => schema && 'format' in schema && schema.format === 'binary',
  )

/** Every object within a value, with its path. */
const objectsIn = (value: unknown, at = ''): (readonly [string, object])[] =>
  typeof value === 'object' && value !== null
    ? [
        [at, value] as const,
        ...Object.entries(value).flatMap(([name, each]) => objectsIn(each, `${at}/${name}`)),
      ]
    : []

/** Operations by path; parameters and responses are resolved. */
const operations = () =>
  contract.operations.map(({ template, operation }) => [template, operation] as const)

const parametersOf = (path: string) =>
  operations().find(([template]) => template === path)?.[1].parameters ?? []

describe('/openapi', () => {
  test('/openapi depends only on the data', async () => {
    const ask = async (query: string, headers: Record<string, string> = {}) => {
      const url = `http://localhost${basePath}/openapi${query}`
      const response = await app(new Request(url, { headers }), '192.0.2.1')
      return `${response.headers.get('etag')} ${await response.text()}`
    }
    const first = await ask('')
    expect(await ask('?x=1')).toBe(first)
    expect(await ask('?key=Somebody', { 'x-api-key': 'Somebody' })).toBe(first)
    const again = openSnapshot(sample, createLog('silent'))
    await again.firstLoad
    const other = await appOf(again, { basePath })(
      new Request(`http://localhost${basePath}/openapi`),
    )
    expect(`${other.headers.get('etag')} ${await other.text()}`).toBe(first)
    expect(first).not.toContain('Somebody')
  })

  test('/openapi passes a strict linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      // Lists refuse nothing, so many operations have no 4xx; pictures are redirects without a 2xx.
      rules: { 'operation-4xx-response': 'off', 'operation-2xx-response': 'off' },
    })
    const problems = await lintFromString({ source: JSON.stringify(document), config })
    expect(problems.map(({ message, location }) => [message, location[0]?.pointer])).toEqual([])
  })

  test('/openapi shares the common parts of operations', async () => {
    expect(JSON.stringify(document).length).toBeLessThan(270_000)
    const { parameters, responses } = document.components
    expect(Object.keys(responses)).toContain('NotFound')
    expect(Object.keys(parameters)).toContain('tournamentID')
  })

  test('/openapi is of version 3.0.3, without anything of 3.1', () => {
    expect(document.openapi).toBe('3.0.3')
    expect(document.info.version).toBe('2.0.0')
    expect(document.servers).toEqual([{ url: '/' }])
    const newer = ['const', 'patternProperties', '$defs', 'examples', 'prefixItems', '$schema']
    const { schemas } = document.components
    for (const [at, object] of objectsIn(schemas)) {
      if (at.endsWith('/properties')) continue
      expect([at, Object.keys(object).filter((name) => newer.includes(name))]).toEqual([at, []])
      expect([at, 'type' in object && Array.isArray(object.type)]).toEqual([at, false])
    }
  })

  test('/openapi names and describes each operation', () => {
    const names = operations().map(([, { operationId }]) => operationId)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(30)
    const tags = document.tags.map(({ name }: { name: string }) => name)
    for (const [path, operation] of operations()) {
      expect([path, operation.operationId]).toEqual([path, expect.stringMatching(/^[a-z]\w+$/)])
      expect([path, operation.description]).toEqual([path, expect.stringMatching(/.{20}/)])
      expect([path, operation.summary]).toEqual([path, expect.stringMatching(/.{5}/)])
      expect(tags).toContain(operation.tags?.[0])
      if (operation.responses[302]) {
        expect([path, Object.keys(operation.responses)]).toEqual([
          path,
          ['302', '404', '414', '429', '500', '503'],
        ])
        continue
      }
      const { content = {} } = operation.responses[200] ?? {}
      const stream = content['text/event-stream']
      if (stream) {
        const schema = { $ref: '#/components/schemas/ChangeStreamData' }
        expect([path, stream]).toEqual([path, { schema }])
        continue
      }
      if (isFile(content)) {
        expect(Object.keys(operation.responses)).toEqual(
          expect.arrayContaining(['200', '206', '304', '416']),
        )
        continue
      }
      const { schema } = content['application/json'] ?? {}
      expect([path, schema]).toEqual([
        path,
        { $ref: expect.stringMatching(/^#\/components\/schemas\//) },
      ])
    }
  })

  test('/openapi names every schema of an answer', () => {
    for (const [path, { responses }] of operations()) {
      for (const [status, { content }] of Object.entries(responses)) {
        if (content?.['text/event-stream'] || isFile(content)) continue
        const schemas = Object.entries(content ?? {}).map(([type, { schema = {} }]) => [
          type,
          '$ref' in schema,
        ])
        const expected =
          Number(status) < 400 && status !== '200' ? [] : [['application/json', true]]
        expect([path, status, schemas]).toEqual([path, status, expected])
      }
    }
  })

  test('/openapi leaves objects open, and gives the errors of an operation one schema', () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false')
    for (const [path, { responses }] of operations()) {
      const schemas = Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([, { content }]) => JSON.stringify(content?.['application/json']?.schema))
      expect([path, [...new Set(schemas)]]).toEqual([path, [expect.any(String)]])
    }
  })

  test('/openapi lists known values of what may get more, and takes the same as parameters', () => {
    const { schemas } = document.components
    const types = parametersOf(`${basePath}/changes`).find(({ name }) => name === 'type')
    const { type, 'x-extensible-enum': known } = schemas.OtherChange.properties.type
    expect([type, known]).toEqual(['string', expect.arrayContaining(['fight.ended'])])
    expect(types).toMatchObject({ explode: false, schema: { items: { enum: known } } })
    const { metric } = schemas.Leaderboard.properties
    expect(metric).toMatchObject({ type: 'string', 'x-extensible-enum': schemas.MetricName.enum })
    expect(document.info['x-program-version']).toMatch(/^\d+\.\d+\.\d+$/)
  })

  test('/openapi has the bounds and defaults of parameters', () => {
    const parameter = (path: string, wanted: string) => {
      const found = parametersOf(`${basePath}${path}`).find(({ name }) => name === wanted)
      if (!found) throw new Error(`${path} has no ${wanted}`)
      return found
    }
    expect(parameter('/search', 'q')).toMatchObject({
      required: true,
      schema: { type: 'string', minLength: 2 },
    })
    expect(parameter('/autocomplete', 'q').schema).toEqual({
      type: 'string',
      description: expect.any(String),
    })
    expect(parameter('/fights', 'limit').schema).toMatchObject({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 100,
    })
    expect(parameter('/stats/leaderboard', 'metric').required).toBe(false)
    expect(document.components.schemas.MetricName).toMatchObject({
      enum: ['wins', 'winRate', 'koRate', 'avgMatchDuration'],
      default: 'wins',
    })
    const { example, ...rest } = parameter('/tournaments/{tournamentID}', 'tournamentID')
    expect(rest).toMatchObject({ in: 'path', required: true, schema: { type: 'string' } })
    expect(example).toMatch(/^\w+$/)
  })

  test('the examples of /openapi lead to answers', async () => {
    for (const [path, { parameters, responses }] of operations()) {
      const given = parameters.filter(({ example }) => example !== undefined)
      const filled = path.replace(/\{(\w+)\}/g, (_, wanted: string) =>
        encodeURIComponent(String(given.find(({ name }) => name === wanted)?.example)),
      )
      const query = new URLSearchParams()
      for (const { name, example, ...rest } of given) {
        if (rest.in === 'query') query.set(name, String(example))
      }
      const response = await untilAnswered(() =>
        app(new Request(`http://localhost${filled}?${query}`)),
      )
      expect([path, response.status]).toEqual([path, responses[200] ? 200 : 302])
    }
  })
})

/** A service on a port with these bases, and its description. */
const mounted = async (paths: { readonly basePath: string; readonly legacyBase: string }) => {
  const app = appOf(service, paths)
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => app(request) })
  const address = `${server.url.origin}${paths.basePath}/openapi`
  const document: OpenAPIV3.Document = JSON.parse(await (await fetch(address)).text())
  return { server, address, document }
}

describe.each([
  ['', '/legacy'],
  ['/api', '/legacy'],
  ['/x/api.php', '/x/backend'],
  ['/api', ''],
])('BASE_PATH=%s LEGACY_BASE=%s', (basePath, legacyBase) => {
  let server: Bun.Server<undefined>
  let address: string
  let served: OpenAPIV3.Document
  beforeAll(async () => {
    const made = await mounted({ basePath, legacyBase })
    server = made.server
    address = made.address
    served = made.document
  })
  afterAll(() => server.stop(true))

  /** Every operation, with its path and query filled from the examples. */
  const requests = () =>
    createContract(served).operations.map(({ template, operation }) => {
      const examples = operation.parameters.filter(({ example }) => example !== undefined)
      const among = (place: string) =>
        Object.fromEntries(
          examples.filter((each) => each.in === place).map(({ name, example }) => [name, example]),
        )
      const expected = operation.responses[200] ? 200 : 302
      return { template, path: among('path'), query: among('query'), expected }
    })

  test('no path of /openapi has its own servers', () => {
    expect(served.servers).toHaveLength(1)
    expect(Object.values(served.paths).filter((item) => item && 'servers' in item)).toEqual([])
  })

  test('a reader of /openapi reaches every operation', async () => {
    const [{ url = '' } = {}] = served.servers ?? []
    const base = new URL(url, address)
    for (const { template, path, query, expected } of requests()) {
      const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name]))
      const target = new URL(filled, base)
      target.search = new URLSearchParams(query).toString()
      const { status, body } = await untilAnswered(() => fetch(target, { redirect: 'manual' }))
      await body?.cancel()
      expect([template, status]).toEqual([template, expected])
    }
  })

  test('openapi-fetch reaches every operation of /openapi', async () => {
    const client = createFetchClient<Record<string, { get: object }>>({
      baseUrl: server.url.origin,
    })
    for (const { template, path, query, expected } of requests()) {
      const { response } = await client.GET(template, {
        params: { path, query },
        redirect: 'manual',
        // The stream has no end.
        parseAs: 'stream',
      })
      await response.body?.cancel()
      expect([template, response.status]).toEqual([template, expected])
    }
  })
})

describe('generated clients', () => {
  const run = async (program: string, ...args: readonly string[]) => {
    const { stdout, stderr } = Bun.spawn([process.execPath, program, ...args], { stderr: 'pipe' })
    const [text, errors] = await Promise.all([stdout.text(), stderr.text()])
    expect(errors).toBe('')
    return JSON.parse(text)
  }
  /** Compiler errors of programs; they share types that take half of the time. */
  const compile = (...programs: readonly string[]): string => {
    const options =
      '--ignoreConfig --strict --skipLibCheck --target esnext --module preserve --lib esnext,dom --types bun --allowImportingTsExtensions'
    const command = [process.execPath, 'run', 'types', ...options.split(' '), ...programs]
    const { stdout } = Bun.spawnSync(command, { cwd: projectFolder })
    return stdout.toString()
  }
  const copied = async (name: string) => {
    const program = join(folder, name)
    await cp(join(projectFolder, 'test/client', name), program)
    return program
  }
  let made: Awaited<ReturnType<typeof mounted>>
  let [client, sdk, found] = ['', '', '']
  beforeAll(async () => {
    made = await mounted({ basePath: '', legacyBase: '/legacy' })
    await Bun.write(join(folder, 'api.ts'), astToString(await openapiTS(new URL(made.address))))
    client = await copied('client.ts')
    const output = join(folder, 'sdk')
    await createClient({ input: made.address, output, logs: { level: 'silent' } })
    sdk = await copied('sdk.ts')
    found = compile(client, sdk)
  })
  afterAll(() => made.server.stop(true))

  test('openapi-typescript makes a client that compiles and works', async () => {
    expect(found).toBe('')
    expect(await run(client, made.server.url.origin)).toMatchObject({
      tournaments: expect.any(Number),
      seedIsText: true,
      metric: 'koRate',
      hero: 1,
      suggestions: 6,
      legacyFights: true,
      matches: true,
      unknown: [404, 'clip not found'],
    })
  })

  test('@hey-api/openapi-ts makes a client that compiles and works', async () => {
    expect(found).toBe('')
    const { careerFights, legacyFights, winner, unknown } = await run(sdk, made.server.url.origin)
    expect(careerFights).toBeGreaterThan(0)
    expect(legacyFights).toBe(careerFights)
    expect(winner[1]).toBe(String(winner[0]))
    expect(unknown).toEqual([404, 'tournament not found'])
  })
})
