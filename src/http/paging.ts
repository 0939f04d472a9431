import { type Static, Type } from '@sinclair/typebox'

/** Position of a page in its list. */
export const Pagination = Type.Object(
  {
    page: Type.Integer({ minimum: 1 }),
    limit: Type.Integer({ minimum: 1 }),
    total: Type.Integer({ minimum: 0, description: 'entries on all pages' }),
    pages: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false, title: 'Pagination' },
)
export type Pagination = Static<typeof Pagination>

export const pageParameter = Type.Integer({
  minimum: 1,
  maximum: 2 ** 31 - 1,
  default: 1,
  description: 'page number from 1; empty past the end',
})

export const limitParameter = (maximum: number, byDefault: number) =>
  Type.Integer({ minimum: 1, maximum, default: byDefault, description: 'max entries' })

export const paginate = <T>(
  list: readonly T[],
  { page, limit }: { page: number; limit: number },
): { entries: readonly T[]; pagination: Pagination } => ({
  entries: list.slice((page - 1) * limit, page * limit),
  pagination: { page, limit, total: list.length, pages: Math.ceil(list.length / limit) },
})

/**
 * `Link` header of a page (RFC 8288): first, prev, next and last if they exist; past the end, prev is the last page.
 * `filter` is the rest of the query.
 */
export const pageLinks = (
  path: string,
  { page, limit, pages }: Pagination,
  filter: Readonly<Record<string, string | undefined>> = {},
): string => {
  const last = Math.max(1, pages)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined) query.set(name, value)
  }
  const start = query.size === 0 ? `${path}?` : `${path}?${query}&`
  const link = (rel: string, to: number): string =>
    `<${start}page=${to}&limit=${limit}>; rel="${rel}"`
  return [
    link('first', 1),
    ...(page > 1 ? [link('prev', Math.min(page - 1, last))] : []),
    ...(page < last ? [link('next', page + 1)] : []),
    link('last', last),
  ].join(', ')
}
