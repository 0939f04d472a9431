import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { compiled } from '../compiled.ts'
import { parseJson } from '../journal/parseJson.ts'
import { once } from '../once.ts'
import { type Change, changeSchemas } from './schema.ts'

/**
 * One line of the log: what changed with one version of the data, or, without changes, that the data
 * had this version. A line is written whole or cut off, so a version is complete or absent.
 */
export interface Line {
  readonly epoch: string
  /** Of the data after the changes. */
  readonly version: string
  /** The highest number given before this line. */
  readonly after: number
  /** The highest number given with it. */
  readonly last: number
  /** Unix seconds. */
  readonly time: number
  /** Numbered, ascending. */
  readonly changes: readonly Numbered[]
}
export type Numbered = readonly [seq: number, change: Change]

const count = Type.Integer({ minimum: 0 })
const Head = Type.Object({
  epoch: Type.String({ pattern: '^[0-9a-z]{8,16}$' }),
  version: Type.String({ minLength: 1, maxLength: 64 }),
  after: count,
  last: count,
  time: count,
  changes: Type.Array(Type.Tuple([count, Type.Object({ type: Type.String() })])),
})
const head = compiled(Head)

/** The type that a change has without what readers are sent beside it. */
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

/** The line in some bytes; undefined where they hold none. */
export const parseLine = (bytes: Uint8Array): Line | undefined => {
  const parsed = parseJson(Buffer.from(bytes).toString())
  if (!head().Check(parsed)) return undefined
  const found: Static<typeof Head> = parsed
  const numbered = found.changes.flatMap(([seq, change]): Numbered[] =>
    isChange(change) ? [[seq, change]] : [],
  )
  return numbered.length === found.changes.length ? { ...found, changes: numbered } : undefined
}

/** One line of JSON with its line feed. */
export const formatLine = ({ epoch, version, after, last, time, changes }: Line): Buffer =>
  Buffer.from(`${JSON.stringify({ epoch, version, after, last, time, changes })}\n`)
