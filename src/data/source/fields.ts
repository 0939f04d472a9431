import {
  type ObjectOptions,
  type SchemaOptions,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'

/**
 * Storage of a column in the database, if it differs from the property: an instant as Unix seconds
 * (whole or to the millisecond) or milliseconds.
 */
export interface Storage {
  readonly kind?: 'seconds' | 'fractionalSeconds' | 'milliseconds'
  /** Name of the column; defaults to the property in snake case. */
  readonly name?: string
  /** Schema version that added the column; from earlier ones it is read as null. */
  readonly since?: number
}

export const id = Type.String({ minLength: 1, maxLength: 128 })
export const text = Type.String({ maxLength: 4096 })
/** Only http(s): clients open the address, and other schemes can run scripts or read local files. */
const webAddressPattern = '^[Hh][Tt][Tt][Pp][Ss]?://'
export const isWebAddress = (text: string): boolean => /^https?:\/\//i.test(text)
export const webAddress = Type.String({ maxLength: 4096, pattern: webAddressPattern })
export const count = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })
/** The end of the year 9999, where RFC 3339 ends too. */
export const unixSeconds = Type.Integer({
  minimum: 0,
  maximum: 253_402_300_799,
  storage: { kind: 'seconds' } satisfies Storage,
})
/** Unix seconds, to the millisecond. */
export const unixInstant = Type.Number({
  minimum: 0,
  maximum: 253_402_300_799.999,
  storage: { kind: 'fractionalSeconds' } satisfies Storage,
})
export const bigId = Type.Integer({ minimum: 1, maximum: 2 ** 53 - 1 })
/** Null means unknown. `storage` is for a column that earlier schema versions lack. */
export const orNull = <T extends TSchema>(schema: T, storage?: Storage) =>
  Type.Union([schema, Type.Null()], { storage: { ...schema.storage, ...storage } })

/** A text that is one of several. */
export const literals = <const Text extends string>(
  texts: readonly Text[],
  options: SchemaOptions = {},
) =>
  // A name must not be a number, nor empty.
  Type.Enum(Object.fromEntries(texts.map((text): [string, Text] => [`is ${text}`, text])), options)

/**
 * Schema of the rows of a table. `key` has the properties of the row's key within the tournament; rows are sorted by
 * them.
 */
export const table = <T extends TProperties>(
  options: ObjectOptions & { readonly key: readonly (keyof T & string)[] },
  properties: T,
) => Type.Object(properties, options)

const nullableColumns = ({ properties }: TObject) =>
  Object.entries(properties).flatMap(([name, { anyOf = [] }]) => {
    const members: readonly TSchema[] = anyOf
    return members.some(({ type }) => type === 'null') ? { name, members } : []
  })

/** Names of the properties that hold an address or null. */
export const optionalAddresses = (schema: TObject): readonly string[] =>
  nullableColumns(schema)
    .filter(({ members }) => members.some(({ pattern }) => pattern === webAddressPattern))
    .map(({ name }) => name)

/** A row with null for each column that may be null. */
export const nullsOf = <T extends TObject>(
  schema: T,
): { readonly [Name in keyof Static<T> as null extends Static<T>[Name] ? Name : never]: null } => {
  const nulls = nullableColumns(schema).map(({ name }) => [name, null])
  return Object.fromEntries(nulls)
}
