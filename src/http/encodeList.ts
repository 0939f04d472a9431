import type { TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import type { Archive } from '../archive/archive.ts'
import { createPace } from '../pace.ts'

/** A body that is an object with one long list as its last property. */
export interface ListBody<Item> {
  /** JSON up to the first entry. */
  readonly head: string
  readonly items: Iterable<Item>
  readonly view: (item: Item) => unknown
  readonly check: TypeCheck<TSchema>
}

/** Compiles the schema of an entry. */
export const entryCheck = (schema: TSchema): TypeCheck<TSchema> => TypeCompiler.Compile(schema)

/**
 * JSON of a long list, viewed, checked and encoded entry by entry in slices of the event loop: as a
 * whole, 10,000 entries block it for 30 ms. Throws for an entry that breaks its schema.
 */
const encodeList = async <Item>({ head, items, view, check }: ListBody<Item>): Promise<Buffer> => {
  const pace = createPace()
  const parts: Buffer[] = []
  let text = head
  let separator = ''
  for (const item of items) {
    const entry = view(item)
    if (!check.Check(entry)) {
      throw new Error(
        `an entry of ${head} breaks its schema at ${check.Errors(entry).First()?.path}`,
      )
    }
    text += separator + JSON.stringify(entry)
    separator = ','
    if (pace.isSliceOver()) {
      parts.push(Buffer.from(text))
      text = ''
      await pace.rest()
    }
  }
  parts.push(Buffer.from(`${text}]}`))
  return Buffer.concat(parts)
}

/**
 * The response with a list made from an archive. Concurrent requests share the encoding; afterwards the
 * response is in the cache.
 */
export const createListResponse = <Item>(
  bodyOf: (archive: Archive) => ListBody<Item> | Promise<ListBody<Item>>,
): ((archive: Archive) => Promise<Response>) => {
  let current: { readonly archive: Archive; readonly body: Promise<Buffer> } | undefined
  const encode = async (archive: Archive): Promise<Buffer> => encodeList(await bodyOf(archive))
  return async (archive) => {
    if (current?.archive !== archive) current = { archive, body: encode(archive) }
    const own = current
    try {
      return new Response(await own.body, { headers: { 'content-type': 'application/json' } })
    } finally {
      if (current === own) current = undefined
    }
  }
}
