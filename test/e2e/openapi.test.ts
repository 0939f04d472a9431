import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'
import type { App } from '../../src/app.ts'
import { createLog } from '../../src/log.ts'
import { openSnapshot } from '../../src/snapshotService.ts'
import { createContract } from '../contract.ts'
import { appOf } from '../fixtures.ts'
import { projectFolder } from '../process.ts'

const basePath = '/api'
let app: App
// biome-ignore lint/suspicious/noExplicitAny: a document is looked into everywhere.
let document: any
let contract: ReturnType<typeof createContract>
let server: Bun.Server<undefined>
/** Below `node_modules`, where clients find what they import. */
const folder = join(projectFolder, 'node_modules', `.clients-${process.pid}`)

beforeAll(async () => {
  const service = openSnapshot(join(projectFolder, 'snapshot/sample.cageside'), createLog('silent'))
  await service.firstLoad
  app = appOf(service, { basePath })
  document = await (await app(new Request(`http://localhost${basePath}/openapi`))).json()
  contract = createContract(document)
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => app(request) })
  await mkdir(folder, { recursive: true })
})
afterAll(async () => {
  await server.stop(true)
  await rm(folder, { recursive: true, force: true })
})

/** Every object within a value, with where it stands. */
const objectsIn = (value: unknown, at = ''): (readonly [string, object])[] =>
  typeof value === 'object' && value !== null
    ? [
        [at, value] as const,
        ...Object.entries(value).flatMap(([name, each]) => objectsIn(each, `${at}/${name}`)),
      ]
    : []

// biome-ignore lint/suspicious/noExplicitAny: as above.
const operations = (): [string, any][] =>
  Object.entries(document.paths).map(([path, item]) => [path, Object(item).get])

const asJson = new Headers({ 'content-type': 'application/json' })

describe('/openapi', () => {
  test('depends on the data alone', async () => {
    const ask = async (query: string, headers: Record<string, string> = {}) => {
      const url = `http://localhost${basePath}/openapi${query}`
      const response = await app(new Request(url, { headers }), '192.0.2.1')
      return `${response.headers.get('etag')} ${await response.text()}`
    }
    const first = await ask('')
    expect(await ask('?x=1')).toBe(first)
    expect(await ask('?key=Somebody', { 'x-api-key': 'Somebody' })).toBe(first)
    const again = openSnapshot(join(projectFolder, 'snapshot/sample.cageside'), createLog('silent'))
    await again.firstLoad
    const other = await appOf(again, { basePath })(
      new Request(`http://localhost${basePath}/openapi`),
    )
    expect(`${other.headers.get('etag')} ${await other.text()}`).toBe(first)
    expect(first).not.toContain('Somebody')
  })

  test('passes a strict linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      // Lists refuse nothing, so many operations have no 4xx; pictures are redirects, without a 2xx.
      rules: { 'operation-4xx-response': 'off', 'operation-2xx-response': 'off' },
    })
    const problems = await lintFromString({ source: JSON.stringify(document), config })
    expect(problems.map(({ message, location }) => [message, location[0]?.pointer])).toEqual([])
  })

  test('is of version 3.0.3, with nothing of 3.1', () => {
    expect(document.openapi).toBe('3.0.3')
    expect(document.info.version).toBe('2.0.0')
    expect(document.servers).toEqual([{ url: basePath }])
    const newer = ['const', 'patternProperties', '$defs', 'examples', 'prefixItems', '$schema']
    const { schemas } = document.components
    for (const [at, object] of objectsIn(schemas)) {
      if (at.endsWith('/properties')) continue
      expect([at, Object.keys(object).filter((name) => newer.includes(name))]).toEqual([at, []])
      expect([at, 'type' in object && Array.isArray(object.type)]).toEqual([at, false])
    }
  })

  test('names each operation, describes it and shows an answer', () => {
    const names = operations().map(([, { operationId }]) => operationId)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(30)
    const tags = document.tags.map(({ name }: { name: string }) => name)
    for (const [path, operation] of operations()) {
      expect([path, operation.operationId]).toEqual([path, expect.stringMatching(/^[a-z]\w+$/)])
      expect([path, operation.description?.length > 20, operation.summary?.length > 5]).toEqual([
        path,
        true,
        true,
      ])
      expect(tags).toContain(operation.tags[0])
      if (operation.responses[302]) {
        expect([path, operation.responses[200], operation.responses[302].content]).toEqual([
          path,
          undefined,
          undefined,
        ])
        continue
      }
      const { schema, example } = operation.responses[200].content['application/json']
      expect([path, schema.$ref]).toEqual([
        path,
        expect.stringMatching(/^#\/components\/schemas\//),
      ])
      if (path === '/openapi') continue
      const received = { status: 200, headers: asJson, body: example }
      const base = document.paths[path].servers?.[0].url ?? basePath
      const asked = base + path.replace(/\{\w+\}/g, '1')
      expect([path, contract.problems(asked, received)]).toEqual([path, []])
    }
  })

  test('names every schema of an answer', () => {
    for (const [path, { responses }] of operations()) {
      for (const [status, response] of Object.entries(Object(responses))) {
        const { content } = Object(response)
        if (status === '302' || status === '304') {
          expect(content).toBeUndefined()
        } else {
          expect(Object.keys(content)).toEqual(['application/json'])
          expect([path, content['application/json'].schema.$ref]).toEqual([path, expect.anything()])
        }
      }
    }
  })

  test('tells the bounds and defaults of parameters', () => {
    const parameter = (path: string, wanted: string) =>
      document.paths[path].get.parameters.find(({ name }: { name: string }) => name === wanted)
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

  test('its examples lead to answers', async () => {
    interface Parameter {
      readonly name: string
      readonly in: string
      readonly example?: unknown
    }
    for (const [path, { parameters, responses }] of operations()) {
      const given: readonly Parameter[] = parameters.filter(
        ({ example }: Parameter) => example !== undefined,
      )
      const filled = path.replace(/\{(\w+)\}/g, (_, wanted: string) =>
        encodeURIComponent(String(given.find(({ name }) => name === wanted)?.example)),
      )
      const query = new URLSearchParams()
      for (const { name, example, ...rest } of given) {
        if (rest.in === 'query') query.set(name, String(example))
      }
      const base = document.paths[path].servers?.[0].url ?? basePath
      const response = await app(new Request(`http://localhost${base}${filled}?${query}`))
      expect([path, response.status]).toEqual([path, responses[200] ? 200 : 302])
    }
  })
})

describe('clients made from it', () => {
  const compile = (files: readonly string[]) => {
    const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc')
    const options =
      '--noEmit --strict --skipLibCheck --target esnext --module preserve --lib esnext,dom --types bun --allowImportingTsExtensions'
    const { stdout } = Bun.spawnSync([process.execPath, tsc, ...options.split(' '), ...files])
    return stdout.toString()
  }

  test('by openapi-typescript: compiles, and a typed program gets what it asks for', async () => {
    await Bun.write(join(folder, 'api.ts'), astToString(await openapiTS(document)))
    const program = join(folder, 'client.ts')
    await cp(join(projectFolder, 'test/client/client.ts'), program)
    expect(compile([program])).toBe('')
    const run = Bun.spawn([process.execPath, program, `${server.url.origin}${basePath}`], {
      stderr: 'pipe',
    })
    const [text, errors] = [await run.stdout.text(), await run.stderr.text()]
    expect(errors).toBe('')
    expect(JSON.parse(text)).toMatchObject({
      tournaments: expect.any(Number),
      seedIsText: true,
      metric: 'koRate',
      hero: 1,
      suggestions: 8,
      unknown: [404, 'clip not found'],
    })
  }, 60_000)

  test('by @hey-api/openapi-ts: compiles', async () => {
    const output = join(folder, 'sdk')
    await createClient({ input: document, output, logs: { level: 'silent' } })
    expect(compile([join(output, 'index.ts'), join(output, 'sdk.gen.ts')])).toBe('')
  }, 60_000)
})
