import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { parseJson } from '../../data/journal/parseJson.ts'
import { compiled, once } from '../../runtime/once.ts'
import { type Change, changeSchemas } from './schema.ts'

/**
 * One line of the log: the changes of one version of the data. A line without changes notes that the data had this
 * version. A line is written whole or cut off, so a version is complete or absent.
 */
export interface Line {
  readonly epoch: string
  /** Version of the data after the changes. */
  readonly version: string
  /** Highest number given before this line. */
  readonly after: number
  /** Highest number given with this line. */
  readonly last: number
  /** Time of the version in Unix seconds. */
  readonly time: number
  /** Changes with their numbers, ascending. */
  readonly changes: readonly Numbered[]
}
export type Numbered = readonly [seq: number, change: Change]

/** A line of the log; its changes are parsed one by one on demand. */
export interface LoggedLine extends Omit<Line, 'changes'> {
  readonly changesAfter: (seq: number) => Iterable<Numbered>
  /** Length of the line in the log. */
  readonly bytes: number
}

const count = Type.Integer({ minimum: 0 })
const head = {
  epoch: Type.String({ pattern: '^[0-9a-z]{8,16}$' }),
  version: Type.String({ minLength: 1, maxLength: 64 }),
  after: count,
  last: count,
  time: count,
}
const Head = Type.Object({
  ...head,
  /** Digest of the change schemas with which the line was written. */
  schema: Type.String(),
  /** Size of each change. */
  sizes: Type.Array(count),
})
const Whole = Type.Object({
  ...head,
  changes: Type.Array(Type.Tuple([count, Type.Object({ type: Type.String() })])),
})
const [headCheck, wholeCheck] = [compiled(Head), compiled(Whole)]

/** The type of a change without the fields that only readers get. */
const changes = once(() =>
  TypeCompiler.Compile(
    Type.Union(
      Object.values(changeSchemas).map((schema) =>
        Type.Omit(schema, ['id', 'time', 'version', 'page']),
      ),
    ),
  ),
)
const isChange = (value: unknown): value is Change => changes().Check(value)
const isNumbered = (value: unknown): value is Numbered =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'number'

const digestOf = (bytes: string | Uint8Array): string =>
  Bun.hash.xxHash64(bytes).toString(16).padStart(16, '0')
const schemaDigest = once(() => digestOf(JSON.stringify(changeSchemas)))

/** Text that precedes the changes of a line; no value before it contains a quotation mark. */
const beforeChanges = ',"changes":['
const ending = /^,"check":"([0-9a-f]{16})"\}$/
const endingLength = ',"check":"0123456789abcdef"}'.length

/** A line written with other change schemas: each change is validated. */
const parseWhole = (bytes: Uint8Array): LoggedLine | undefined => {
  const parsed = parseJson(Buffer.from(bytes).toString())
  if (!wholeCheck().Check(parsed)) return undefined
  const { epoch, version, after, last, time, changes: found }: Static<typeof Whole> = parsed
  const numbered = found.flatMap(([seq, change]): Numbered[] =>
    isChange(change) ? [[seq, change]] : [],
  )
  if (numbered.length !== found.length) return undefined
  const changesAfter = (seq: number) => numbered.filter(([number]) => number > seq)
  return { epoch, version, after, last, time, bytes: bytes.length, changesAfter }
}

/** Changes from a byte position on, without the first few. */
function* changesFrom(
  bytes: Buffer,
  start: number,
  sizes: readonly number[],
  skipped: number,
): Generator<Numbered> {
  let at = start
  for (const [index, size] of sizes.entries()) {
    const change = index < skipped ? undefined : parseJson(bytes.toString('utf8', at, at + size))
    if (isNumbered(change)) yield change
    at += size + 1
  }
}

/**
 * Parses a line; undefined if the bytes are not a valid one. The bytes must not change while the line is in use. If the
 * line has a checksum, which older versions did not write, only its head is parsed.
 */
export const parseLine = (given: Uint8Array): LoggedLine | undefined => {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  const end = bytes.length - endingLength
  const [, check] = ending.exec(bytes.toString('latin1', Math.max(0, end))) ?? []
  if (check === undefined) return parseWhole(bytes)
  if (digestOf(bytes.subarray(0, end)) !== check) return undefined
  const headEnd = bytes.indexOf(beforeChanges)
  const parsed = parseJson(`${bytes.toString('utf8', 0, headEnd)}}`)
  if (!headCheck().Check(parsed)) return undefined
  const { epoch, version, after, last, time, schema, sizes }: Static<typeof Head> = parsed
  if (schema !== schemaDigest()) return parseWhole(bytes)
  const start = headEnd + beforeChanges.length
  const changesAfter = (seq: number) => changesFrom(bytes, start, sizes, Math.max(0, seq - after))
  return { epoch, version, after, last, time, bytes: bytes.length, changesAfter }
}

/** One line of JSON with a line feed; its last field is a checksum of everything before. */
export const formatLine = ({ epoch, version, after, last, time, changes }: Line): Buffer => {
  const texts = changes.map((change) => JSON.stringify(change))
  const sizes = texts.map((text) => Buffer.byteLength(text))
  const schema = schemaDigest()
  const first = JSON.stringify({ epoch, version, after, last, time, schema, sizes }).slice(0, -1)
  const line = Buffer.from(`${first}${beforeChanges}${texts.join(',')}]`)
  return Buffer.concat([line, Buffer.from(`,"check":"${digestOf(line)}"}\n`)])
}
