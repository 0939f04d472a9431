import { describe, expect, test } from 'bun:test'
import type { OpenAPIV3 } from 'openapi-types'
import { describeApi } from '../../scripts/release.ts'
import { breaks } from './breaks.ts'

const { default: released } = await import('./released.json')
const current: OpenAPIV3.Document = await describeApi()

test('/openapi keeps what the last release described', () => {
  expect(breaks(released as unknown as OpenAPIV3.Document, current)).toEqual([])
})

describe('a break of the description', () => {
  const player = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }
  const fight = {
    type: 'object',
    required: ['id', 'state'],
    properties: {
      id: { type: 'integer', format: 'int32' },
      state: { type: 'string', enum: ['active', 'done'] },
      note: { type: 'string', nullable: true },
      players: { type: 'array', items: { $ref: '#/components/schemas/Player' } },
      change: { anyOf: [{ $ref: '#/components/schemas/Player' }] },
    },
  }
  const limit = { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 9 } }
  const order = { name: 'order', in: 'query', schema: { type: 'string', enum: ['asc', 'desc'] } }
  const type = { name: 'type', in: 'query', schema: { type: 'string' } }
  const json = (name: string) => ({
    'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
  })
  const document = {
    openapi: '3.0.3',
    info: { title: 'A league', version: '1.0.0' },
    paths: {
      '/fights': {
        get: {
          operationId: 'listFights',
          parameters: [limit, order, type],
          responses: {
            200: { description: 'success', headers: { ETag: {} }, content: json('Fight') },
            404: { description: 'not found', content: json('Error') },
          },
        },
      },
    },
    components: { schemas: { Fight: fight, Player: player, Error: { type: 'object' } } },
  }
  type Document = typeof document
  // biome-ignore lint/suspicious/noExplicitAny: a change makes a description of another shape.
  type Change = (copy: any) => void
  type Row = readonly [string, Change, string]
  /** Breaks after a change of the description. */
  const after = (change: Change): readonly string[] => {
    const copy: Document = structuredClone(document)
    change(copy)
    const typed = (each: unknown) => each as OpenAPIV3.Document
    return breaks(typed(document), typed(copy))
  }

  test.each([
    ['a path', (d) => delete d.paths['/fights'], '/fights is gone'],
    ['a parameter', (d) => d.paths['/fights'].get.parameters.shift(), '/fights has no query limit'],
    ['a status', (d) => delete d.paths['/fights'].get.responses[404], '/fights has no 404'],
    [
      'a header',
      (d) => delete d.paths['/fights'].get.responses[200].headers.ETag,
      '/fights 200 has no ETag',
    ],
    ['a field', (d) => delete d.components.schemas.Fight.properties.id, 'Fight has no id'],
    [
      'a field of a row',
      (d) => delete d.components.schemas.Player.properties.name,
      'Player has no name',
    ],
    ['a promise', (d) => d.components.schemas.Fight.required.pop(), 'Fight may lack state'],
    ['a schema', (d) => delete d.components.schemas.Error, 'Error is gone'],
    [
      'a member of a union',
      (d) => d.components.schemas.Fight.properties.change.anyOf.pop(),
      'Fight.change has no Player',
    ],
  ] satisfies Row[])('removes %s', (_, change, sentence) => {
    expect(after(change)).toContain(sentence)
  })

  test.each([
    [
      'an operation',
      (d) => (d.paths['/fights'].get.operationId = 'fights'),
      '/fights was listFights, is fights',
    ],
    [
      'a type',
      (d) => (d.components.schemas.Fight.properties.id.type = 'string'),
      'Fight.id was integer, is string',
    ],
    [
      'a format',
      (d) => (d.components.schemas.Fight.properties.id.format = 'int64'),
      'Fight.id was int32, is int64',
    ],
    [
      'a value that may be null',
      (d) => (d.components.schemas.Fight.properties.id.nullable = true),
      'Fight.id may be null',
    ],
    [
      'a value that was not among those of an enum',
      (d) => d.components.schemas.Fight.properties.state.enum.push('hold'),
      'Fight.state may be hold',
    ],
    [
      'a parameter that is required',
      (d) => (d.paths['/fights'].get.parameters[0].required = true),
      '/fights query limit is required',
    ],
    [
      'a bound of a parameter',
      (d) => (d.paths['/fights'].get.parameters[0].schema.maximum = 5),
      '/fights query limit is at most 5',
    ],
    [
      'a value that a parameter takes',
      (d) => d.paths['/fights'].get.parameters[1].schema.enum.pop(),
      '/fights query order does not take desc',
    ],
  ] satisfies Row[])('changes %s', (_, change, sentence) => {
    expect(after(change)).toContain(sentence)
  })

  test('additions, wider parameters and an enum that opens are no breaks', () => {
    const found = after((copy) => {
      const { get } = copy.paths['/fights']
      copy.paths['/bots'] = { get: { operationId: 'listBots', responses: {} } }
      get.parameters.push({ name: 'bot', in: 'query', schema: { type: 'string' } })
      get.parameters[0].schema = { anyOf: [limit.schema, { type: 'string' }] }
      get.parameters[1].schema.enum.push('random')
      get.parameters[2].schema = { type: 'array', items: { type: 'string', enum: ['a'] } }
      get.responses[404].content = json('Player')
      const { properties, required } = copy.components.schemas.Fight
      properties.venue = { type: 'string' }
      properties.state = { type: 'string', 'x-extensible-enum': ['active'] }
      properties.change.anyOf.push({ $ref: '#/components/schemas/Fight' })
      required.push('note')
    })
    expect(found).toEqual([])
  })
})
