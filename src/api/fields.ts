import {
  type ObjectOptions,
  type SchemaOptions,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'

import { ofRatings } from '../http/openapi/ofRatings.ts'

export { literals } from '../data/source/fields.ts'

/** 0 or 1. */
export const flag = (description: string) => Type.Integer({ minimum: 0, maximum: 1, description })

/** Unix seconds UTC; 0 if not yet known. */
export const timestamp = (description: string) =>
  Type.Integer({
    minimum: 0,
    description: `${description}; Unix seconds UTC, 0 when not yet`,
    example: 1_773_520_271,
  })

/** An unset date-time, as existing programs expect it; sorts before every date. */
const unsetDateTime = '0000-00-00 00:00:00'

/** RFC 3339 in UTC, or `0000-00-00 00:00:00` when unset. */
export const dateTime = (description: string) =>
  Type.String({
    description: `${description}; RFC 3339 UTC, ${unsetDateTime} when unset`,
    example: '2026-03-14T15:00:00Z',
  })

/** A value as text; empty if unknown. */
export const textual = (description: string, example?: string) =>
  Type.String({ description, ...(example !== undefined && { example }) })

/** Chance fields of a fight, present if there are ratings. */
export const chanceFields = {
  player1WinProbability: Type.Optional(
    Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()], {
      ...ofRatings,
      description:
        'chance of the red corner, from fights decided before this one began; null if a bot is unknown. Absent if ratings are turned off',
    }),
  ),
}

/** A text of which later versions may have more values: the known ones are only listed. */
export const openText = <Text extends string>(known: readonly Text[], description: string) =>
  Type.Unsafe<Text>(
    Type.String({ description: `${description}; more may be added`, 'x-extensible-enum': known }),
  )

export const count = Type.Integer({ minimum: 0 })
/** A part of 1, such as a chance. */
export const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

export const total = (description: string) => Type.Integer({ minimum: 0, description })

export const pounds = Type.Integer({ minimum: 0, description: 'weight class in pounds' })

/** An object without undeclared properties. */
export const closed = <Fields extends TProperties>(fields: Fields, options: ObjectOptions = {}) =>
  Type.Object(fields, { additionalProperties: false, ...options })

/** A list of such objects. */
export const closedList = <Fields extends TProperties>(fields: Fields) => Type.Array(closed(fields))
export const listOf = <Fields extends TProperties>(description: string, fields: Fields) =>
  Type.Array(closed(fields), { description })

/** An object without undeclared properties as a named component of the OpenAPI document. */
export const named = <Fields extends TProperties>(
  title: string,
  fields: Fields,
  options: ObjectOptions = {},
) => closed(fields, { title, ...options })

/** A value that may be unknown. */
export const orNull = <T extends TSchema>(
  schema: T,
  description: string,
  options: SchemaOptions = {},
) => Type.Union([schema, Type.Null()], { description, ...options })

export const team = orNull(Type.String(), 'who built the robot')
export const driver = orNull(Type.String(), 'who drives it')

export const weightClassName = orNull(
  Type.String(),
  'weight class as the league writes it; null if it writes whole pounds',
)

export const toProbability = (value: number): number => Number(value.toFixed(4))
export const toFlag = (value: boolean): 0 | 1 => (value ? 1 : 0)
export const toTimestamp = (unix: number | null): number => unix ?? 0
export const toDateTime = (unix: number | null): string =>
  unix === null ? unsetDateTime : new Date(unix * 1000).toISOString().replace('.000Z', 'Z')
/** Decimal text, flags as `0` and `1`, unknown as the empty string. */
export const toText = (value: number | boolean | string | null): string =>
  value === null ? '' : String(typeof value === 'boolean' ? Number(value) : value)
