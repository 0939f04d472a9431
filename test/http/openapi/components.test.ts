import { describe, expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { createComponents } from '../../../src/http/openapi/components.ts'

describe('schemas in OpenAPI 3.0.3', () => {
  const { convert } = createComponents()

  test('a schema that may be null is nullable in OpenAPI, also as an enumeration', () => {
    expect(convert(Type.Union([Type.String(), Type.Null()]))).toEqual({
      type: 'string',
      nullable: true,
    })
    expect(convert(Type.Union([Type.Literal('W'), Type.Literal('L'), Type.Null()]))).toEqual({
      type: 'string',
      enum: ['W', 'L', null],
      nullable: true,
    })
    expect(convert(Type.Union([Type.Literal('W'), Type.Literal('L')]))).toEqual({
      type: 'string',
      enum: ['W', 'L'],
    })
  })

  test('a schema with a title is a component, and two with one title are an error', () => {
    const { schemas, convert: of } = createComponents()
    const bot = Type.Object({ name: Type.String() }, { title: 'Bot' })
    expect(of(bot)).toEqual({ $ref: '#/components/schemas/Bot' })
    expect(of(bot)).toEqual({ $ref: '#/components/schemas/Bot' })
    expect(Object.keys(schemas)).toEqual(['Bot'])
    expect(() => of(Type.Object({ id: Type.Integer() }, { title: 'Bot' }))).toThrow(
      'two schemas are named Bot',
    )
  })

  test('an object in OpenAPI is open, though answers have no undeclared properties', () => {
    const others = (additionalProperties?: boolean | TSchema) =>
      convert(Type.Object({}, additionalProperties === undefined ? {} : { additionalProperties }))
    expect(others()).toEqual({ type: 'object', properties: {}, additionalProperties: true })
    expect(others(false)).toEqual({ type: 'object', properties: {} })
    expect(others(Type.Union([Type.Boolean(), Type.Null()]))).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: { type: 'boolean', nullable: true },
    })
  })

  test.each([
    [2 ** 31 - 1, 'int32'],
    [2 ** 31, 'int64'],
    [undefined, 'int64'],
  ])('an integer up to %p is an %s in OpenAPI', (maximum, format) => {
    const limits = maximum === undefined ? {} : { maximum }
    expect(convert(Type.Integer(limits))).toEqual({ type: 'integer', format, ...limits })
  })

  test('a union in OpenAPI keeps its own description', () => {
    const { convert: of } = createComponents()
    const description = 'the fight in the cage'
    const fight = Type.Object({}, { title: 'Fight', description: 'a fight' })
    expect(of(Type.Union([fight, Type.Null()], { description }))).toMatchObject({
      type: 'object',
      nullable: true,
      description,
    })
    expect(of(Type.Union([fight, Type.String(), Type.Null()], { description }))).toEqual({
      anyOf: [{ $ref: '#/components/schemas/Fight' }, { type: 'string' }],
      nullable: true,
      description,
    })
  })

  test('an object in OpenAPI has no properties that are filtered out', () => {
    const { convert: of } = createComponents((property) => property.description !== 'hidden')
    const bot = Type.Object({ name: Type.String(), rating: Type.Number({ description: 'hidden' }) })
    expect(of(bot)).toMatchObject({ properties: { name: { type: 'string' } } })
    expect(Object.keys(Object(of(bot)).properties)).toEqual(['name'])
  })

  test('a schema without a counterpart in OpenAPI throws', () => {
    expect(() => convert(Type.Undefined())).toThrow('no OpenAPI for')
  })
})
