import type { TSchema } from '@sinclair/typebox'
import type { TypeCheck } from '@sinclair/typebox/compiler'
import { createTimeSlice } from '../runtime/timeSlice.ts'
import type { Data } from './trackedArchive.ts'

/** A body that is an object with one long list as its last property. */
export interface ListBody<Item> {
  /** JSON up to the first entry. */
  readonly head: string
  readonly items: Iterable<Item>
  readonly view: (item: Item) => unknown
  /** Check of an entry's schema. */
  readonly check: () => TypeCheck<TSchema>
}

/**
 * JSON of a long list, viewed, checked and encoded entry by entry in time slices: as a whole, 10,000 entries block the
 * event loop for 30 ms. Throws if an entry breaks its schema.
 */
const encodeList = async <Item>({ head, items, view, check }: ListBody<Item>): Promise<Buffer> => {
  const slice = createTimeSlice()
  const parts: Buffer[] = []
  let text = head
  let separator = ''
  for (const item of items) {
    const entry = view(item)
    if (!check().Check(entry)) {
      throw new Error(
        `an entry of ${head} breaks its schema at ${check().Errors(entry).First()?.path}`,
      )
    }
    text += separator + JSON.stringify(entry)
    separator = ','
    if (slice.isOver()) {
      parts.push(Buffer.from(text))
      text = ''
      await slice.next()
    }
  }
  parts.push(Buffer.from(`${text}]}`))
  // Each copy of 8 MB takes 3 ms.
  await slice.next()
  return Buffer.concat(parts)
}

/**
 * The response with a list made from parts of an archive. Concurrent requests that read the same parts
 * share the encoding; afterwards the response is in the cache.
 */
export const createListResponse = <Parts extends Partial<Data>, Item>(
  bodyOf: (parts: Parts) => ListBody<Item> | Promise<ListBody<Item>>,
): ((parts: Parts) => Promise<Response>) => {
  let current: { readonly parts: unknown[]; readonly body: Promise<Buffer> } | undefined
  const encode = async (parts: Parts): Promise<Buffer> => encodeList(await bodyOf(parts))
  return async (parts) => {
    const values = Object.values(parts)
    if (!current?.parts.every((part, index) => part === values[index])) {
      current = { parts: values, body: encode(parts) }
    }
    const own = current
    try {
      return new Response(await own.body, { headers: { 'content-type': 'application/json' } })
    } finally {
      if (current === own) current = undefined
    }
  }
}
