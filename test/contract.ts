import { Ajv, type ValidateFunction } from 'ajv'
import type { OpenAPIV3 } from 'openapi-types'

/** An answer with its body decoded and parsed. */
export interface Received {
  readonly status: number
  readonly headers: Headers
  /** Parsed body; undefined if there is none. */
  readonly body: unknown
}

/** Headers that HTTP and CORS define for any server; a description need not name them. */
const general: ReadonlySet<string> = new Set([
  ...['access-control-allow-origin', 'access-control-expose-headers', 'connection', 'date'],
  ...['content-encoding', 'content-length', 'content-type', 'transfer-encoding', 'vary'],
  'x-content-type-options',
])

const isObject = <T extends object>(value: unknown): value is T =>
  typeof value === 'object' && value !== null

const isReference = (value: object): value is OpenAPIV3.ReferenceObject => '$ref' in value

const isDocument = (value: unknown): value is OpenAPIV3.Document =>
  typeof value === 'object' && value !== null && 'openapi' in value && 'paths' in value

/**
 * The schemas of a description without properties that are not described. The served ones are open, because later
 * versions add fields.
 */
const closed = <T>(value: T): T => {
  if (!isObject(value)) return value
  if (Array.isArray(value)) return value.map(closed) as T
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, closed(each)]),
  )
  const isOpen = inner.type === 'object' && inner.properties && !('additionalProperties' in inner)
  return (isOpen ? { ...inner, additionalProperties: false } : inner) as T
}

/**
 * Compares answers with a served description: status, headers, content type and schema. Properties that are not
 * described are errors.
 */
export const createContract = (document: unknown) => {
  if (!isDocument(document)) throw new Error('no OpenAPI document')
  const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false })
  for (const format of ['int32', 'int64', 'double']) ajv.addFormat(format, true)
  ajv.addVocabulary(['example', 'components', 'x-extensible-enum'])
  ajv.addSchema({ $id: 'description', components: closed(document.components) })

  /** The object itself, or the component that it refers to. */
  const resolve = <T extends object>(value: T | OpenAPIV3.ReferenceObject): T => {
    if (!isReference(value)) return value
    const path = value.$ref.split('/').slice(1)
    const found: unknown = path.reduce((at: object, name) => Object(at)[name], document)
    if (!isObject<T>(found)) throw new Error(`${value.$ref} leads nowhere`)
    return found
  }

  /** An operation with resolved parameters and responses. */
  const resolved = (operation: OpenAPIV3.OperationObject) => ({
    ...operation,
    parameters: (operation.parameters ?? []).map((each) =>
      resolve<OpenAPIV3.ParameterObject>(each),
    ),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, each]) => [
        status,
        resolve<OpenAPIV3.ResponseObject>(each),
      ]),
    ),
  })

  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const operations = Object.entries(document.paths).flatMap(([template, item]) => {
    if (!item?.get) return []
    const operation = resolved(item.get)
    // Every script is described once, and answers with this suffix too.
    const suffix = operation.tags?.includes('legacy') ? '(\\.php)?' : ''
    const pattern = template
      .split(/\{\w+\}/)
      .map(literal)
      .join('[^/]+')
    return [
      {
        template,
        isStatic: !template.includes('{'),
        pattern: new RegExp(`^${pattern}${suffix}/?$`, 's'),
        operation,
      },
    ]
  })
  const byPrecedence = operations.toSorted((a, b) => Number(b.isStatic) - Number(a.isStatic))

  /** The operation for a path, in any percent-encoding. */
  const operationFor = (path: string) => {
    // Several slashes count as one.
    const segments = (path.split('?', 1)[0] ?? '').replaceAll(/\/{2,}/g, '/').split('/')
    try {
      // A slash within a segment does not end it.
      const plain = segments.map((each) => decodeURIComponent(each).replaceAll('/', '_')).join('/')
      return byPrecedence.find(({ pattern }) => pattern.test(plain))
    } catch {
      return undefined
    }
  }

  const validators = new Map<string, ValidateFunction>()
  const validatorOf = (reference: string): ValidateFunction =>
    validators.getOrInsertComputed(reference, () =>
      ajv.compile({ $ref: `description${reference}` }),
    )
  const schemaProblems = (reference: string, body: unknown): string[] => {
    const validate = validatorOf(reference)
    if (validate(body)) return []
    return [ajv.errorsText(validate.errors, { dataVar: 'body' })]
  }

  /** Differences between a response and its description; empty if there are none. */
  const problems = (path: string, { status, headers, body }: Received): string[] => {
    const found = operationFor(path)
    if (!found) {
      if (status !== 404) return [`${status} for a path that is not described`]
      return body === undefined ? [] : schemaProblems('#/components/schemas/Error', body)
    }
    const described = found.operation.responses[status]
    if (!described) return [`${status} is not described`]
    const names = new Set(Object.keys(described.headers ?? {}).map((name) => name.toLowerCase()))
    const unknown = [...headers.keys()].filter((name) => !names.has(name) && !general.has(name))
    const type = headers.get('content-type')
    const content = described.content ?? {}
    if (body === undefined) return unknown.map((name) => `header ${name} is not described`)
    const schema = content[type ?? '']?.schema
    return [
      ...unknown.map((name) => `header ${name} is not described`),
      ...(schema && isReference(schema)
        ? schemaProblems(schema.$ref, body)
        : [`${type} is not described`]),
    ]
  }

  return { operations, operationFor, problems }
}
