import type { OpenAPIV3 } from 'openapi-types'

type Reference = OpenAPIV3.ReferenceObject
type Schema = OpenAPIV3.SchemaObject
type SchemaOrReference = Schema | Reference
type Responses = Readonly<Record<string, OpenAPIV3.ResponseObject | Reference>>

const isReference = (value: object): value is Reference => '$ref' in value
const nameOf = ({ $ref }: Reference): string => $ref.split('/').at(-1) ?? ''

/** The object itself, or the component of the document that it refers to. */
const resolveIn =
  (document: OpenAPIV3.Document) =>
  <T extends object>(value: T | Reference): T => {
    if (!isReference(value)) return value
    const path = value.$ref.split('/').slice(1)
    return path.reduce((at: object, name) => Object(at)[name], document) as T
  }

/** How the type of a value differs. */
const retyped = (before: Schema, after: Schema): readonly string[] =>
  (['type', 'format'] as const)
    .filter((name) => before[name] !== after[name])
    .map((name) => `was ${before[name]}, is ${after[name]}`)

const isOpenText = (schema: object): boolean => 'x-extensible-enum' in schema

/**
 * What of a released description a later one no longer keeps, in sentences; empty if programs made from the released one
 * go on working. New paths, parameters, fields and schemas are no break, nor are wider parameters, an enum of an answer
 * that becomes an open text, and other schemas of errors.
 */
export const breaks = (
  released: OpenAPIV3.Document,
  current: OpenAPIV3.Document,
): readonly string[] => {
  const found = new Set<string>()
  const compared = new Set<string>()
  const inReleased = resolveIn(released)
  const inCurrent = resolveIn(current)

  /** Members of a union by the names of their components, else by their places. */
  const membersOf = ({ anyOf = [] }: Schema) =>
    new Map(anyOf.map((each, index) => [isReference(each) ? nameOf(each) : `${index}`, each]))

  const compareAnswers = (at: string, one: SchemaOrReference, other: SchemaOrReference): void => {
    const names = [one, other].map((each) => (isReference(each) ? nameOf(each) : ''))
    if (names[0] !== '' && names[0] === names[1]) {
      if (compared.has(names.join())) return
      compared.add(names.join())
    }
    const place = names[1] || at
    const before = inReleased(one)
    const after = inCurrent(other)
    for (const reason of retyped(before, after)) found.add(`${place} ${reason}`)
    if (after.nullable && !before.nullable) found.add(`${place} may be null`)
    const known: readonly unknown[] = before.enum ?? []
    if (known.length > 0 && !isOpenText(after)) {
      const extra = after.enum?.filter((value) => !known.includes(value)) ?? ['any value']
      for (const value of extra) found.add(`${place} may be ${value}`)
    }
    for (const [name, property] of Object.entries(before.properties ?? {})) {
      const next = after.properties?.[name]
      if (next) compareAnswers(`${place}.${name}`, property, next)
      else found.add(`${place} has no ${name}`)
    }
    for (const name of before.required ?? [])
      if (!after.required?.includes(name)) found.add(`${place} may lack ${name}`)
    if ('items' in before && 'items' in after)
      compareAnswers(`${place}[]`, before.items, after.items)
    const [others, nextOthers] = [before.additionalProperties, after.additionalProperties]
    if (typeof others === 'object' && typeof nextOthers === 'object')
      compareAnswers(`${place}{}`, others, nextOthers)
    const next = membersOf(after)
    for (const [name, member] of membersOf(before)) {
      const same = next.get(name)
      if (same) compareAnswers(`${place}|${name}`, member, same)
      else found.add(`${place} has no ${name}`)
    }
  }

  /** Why values that a parameter took are no longer taken. */
  const refusals = (one: Schema, other: Schema): readonly string[] => {
    if (other.anyOf) {
      const each = other.anyOf.map((member) => refusals(one, inCurrent(member)))
      return each.some((reasons) => reasons.length === 0) ? [] : each.flat()
    }
    // One value of a list is sent as a text is.
    if (one.type === 'string' && other.type === 'array') return []
    const { minimum = -Infinity, maximum = Infinity } = other
    const untaken = other.enum
      ? (one.enum ?? ['any value']).filter((value) => !other.enum?.includes(value))
      : []
    return [
      ...retyped(one, other),
      ...untaken.map((value) => `does not take ${value}`),
      ...(minimum > (one.minimum ?? -Infinity) ? [`is at least ${minimum}`] : []),
      ...(maximum < (one.maximum ?? Infinity) ? [`is at most ${maximum}`] : []),
      ...(one.default === other.default ? [] : [`was ${one.default}, is ${other.default}`]),
    ]
  }

  const compareParameters = (
    at: string,
    before: OpenAPIV3.ParameterObject,
    after: OpenAPIV3.ParameterObject,
  ): void => {
    if (after.required && !before.required) found.add(`${at} is required`)
    for (const reason of refusals(inReleased(before.schema ?? {}), inCurrent(after.schema ?? {})))
      found.add(`${at} ${reason}`)
  }

  const parametersOf = (
    resolve: typeof inReleased,
    { parameters = [] }: OpenAPIV3.OperationObject,
  ): ReadonlyMap<string, OpenAPIV3.ParameterObject> =>
    new Map(
      parameters
        .map((each) => resolve<OpenAPIV3.ParameterObject>(each))
        .map((each) => [`${each.in} ${each.name}`, each]),
    )

  const compareResponses = (at: string, before: Responses, after: Responses): void => {
    for (const [status, response] of Object.entries(before)) {
      const next = after[status]
      if (!next) {
        found.add(`${at} has no ${status}`)
        continue
      }
      const [one, other] = [inReleased(response), inCurrent(next)]
      for (const name of Object.keys(one.headers ?? {}))
        if (!other.headers?.[name]) found.add(`${at} ${status} has no ${name}`)
      for (const [type, { schema = {} }] of Object.entries(one.content ?? {})) {
        const content = other.content?.[type]
        if (!content) found.add(`${at} ${status} has no ${type}`)
        // The first releases described a stream as a text.
        else if (Number(status) < 400 && !('type' in schema && type === 'text/event-stream'))
          compareAnswers(`${at} ${status}`, schema, content.schema ?? {})
      }
    }
  }

  for (const [path, item] of Object.entries(released.paths)) {
    const before = item?.get
    const after = current.paths[path]?.get
    if (!before) continue
    if (!after) {
      found.add(`${path} is gone`)
      continue
    }
    if (before.operationId !== after.operationId)
      found.add(`${path} was ${before.operationId}, is ${after.operationId}`)
    const next = parametersOf(inCurrent, after)
    const known = parametersOf(inReleased, before)
    for (const [name, parameter] of known) {
      const same = next.get(name)
      if (same) compareParameters(`${path} ${name}`, parameter, same)
      else found.add(`${path} has no ${name}`)
    }
    for (const [name, { required }] of next)
      if (required && !known.has(name)) found.add(`${path} ${name} is required`)
    compareResponses(path, before.responses, after.responses)
  }
  for (const name of Object.keys(released.components?.schemas ?? {}))
    if (!current.components?.schemas?.[name]) found.add(`${name} is gone`)
  return [...found]
}
