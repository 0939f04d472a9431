import { KindGuard, type TSchema } from '@sinclair/typebox'
import type { OpenAPIV3 } from 'openapi-types'

type Schema = OpenAPIV3.SchemaObject
type SchemaOrRef = Schema | OpenAPIV3.ReferenceObject

/** The named keywords of a schema, in their order. */
const keywords =
  (...names: readonly string[]) =>
  (schema: TSchema): Schema =>
    Object.fromEntries(
      names.flatMap((name) => (schema[name] === undefined ? [] : [[name, schema[name]]])),
    )
const annotations = keywords('description', 'default', 'format', 'example', 'x-extensible-enum')
const bounds = keywords(
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern'],
)

const isSchema = (value: unknown): value is TSchema => KindGuard.IsSchema(value)

const maxInt32 = 2 ** 31 - 1

/**
 * Converts the TypeBox schemas of responses to OpenAPI 3.0.3, which lacks `const`, `null` types and
 * `patternProperties`. Objects are open, because later versions add fields. A schema with a title becomes a component of that name. Throws if two
 * different schemas share a title, or a kind has no counterpart. Properties are left out unless shown.
 */
export const createComponents = (isShown = (_property: TSchema): boolean => true) => {
  const schemas: Record<string, Schema> = {}

  const union = (schema: TSchema, members: readonly TSchema[]): Schema => {
    const others = members.filter((member) => !KindGuard.IsNull(member))
    const nullable = others.length < members.length ? { nullable: true } : {}
    if (others.every((member) => KindGuard.IsLiteral(member))) {
      const values: unknown[] = others.map((member) => member.const)
      const all = nullable.nullable ? [...values, null] : values
      return { type: 'string', enum: all, ...nullable, ...annotations(schema) }
    }
    const [only] = others
    if (others.length === 1 && only) {
      // A `$ref` ignores `nullable` next to it.
      const { title: _title, ...untitled } = only
      return { ...inline(untitled), ...nullable, ...annotations(schema) }
    }
    return { anyOf: others.map(convert), ...nullable, ...annotations(schema) }
  }

  const object = (schema: TSchema): Schema => ({
    type: 'object',
    properties: Object.fromEntries(
      Object.entries<TSchema>(schema.properties ?? {})
        .filter(([, of]) => isShown(of))
        .map(([name, of]) => [name, convert(of)]),
    ),
    ...(schema.required ? { required: schema.required } : {}),
    ...(schema.additionalProperties === false
      ? {}
      : {
          additionalProperties: isSchema(schema.additionalProperties)
            ? convert(schema.additionalProperties)
            : true,
        }),
    ...annotations(schema),
  })

  const inline = (schema: TSchema): Schema => {
    const rest = { ...bounds(schema), ...annotations(schema) }
    if (schema.const !== undefined) {
      return { type: schema.type === 'boolean' ? 'boolean' : 'string', enum: [schema.const] }
    }
    if (schema.type === 'integer') {
      const format = Number(schema.maximum) <= maxInt32 ? 'int32' : 'int64'
      return { type: 'integer', format, ...rest }
    }
    if (schema.type === 'number') return { type: 'number', format: 'double', ...rest }
    if (schema.type === 'boolean') return { type: 'boolean', ...rest }
    if (schema.type === 'string') return { type: 'string', ...rest }
    if (schema.type === 'array') return { type: 'array', items: convert(schema.items), ...rest }
    if (schema.anyOf) return union(schema, schema.anyOf)
    if (schema.patternProperties) {
      const [values] = Object.values<TSchema>(schema.patternProperties)
      const additional = values ? convert(values) : true
      return { type: 'object', additionalProperties: additional, ...annotations(schema) }
    }
    if (schema.type === 'object') return object(schema)
    throw new Error(`no OpenAPI for ${JSON.stringify(schema)}`)
  }

  const convert = (schema: TSchema): SchemaOrRef => {
    const { title } = schema
    if (title === undefined) return inline(schema)
    const made = inline(schema)
    const known = schemas[title]
    if (known && !Bun.deepEquals(known, made)) throw new Error(`two schemas are named ${title}`)
    schemas[title] = made
    return { $ref: `#/components/schemas/${title}` }
  }

  return { schemas, convert }
}
