import { Type } from '@sinclair/typebox'
import { redirect } from 'elysia'
import type { Still } from '../../dataset/types.ts'
import { notFound } from '../../http/errors.ts'

/** Schema of a redirect: no body. */
export const Redirect = Type.Void()

/** The address as a `Location` header carries it; undefined for one that is not http(s). */
const locationOf = (address: string): string | undefined => {
  const url = URL.parse(address)
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}

/** 302 to a bot's newest hero still; 404 for an unknown bot and for one without such a still. */
export const redirectToPicture = (found: { readonly heroStill: Still | undefined } | undefined) => {
  if (!found) return notFound('bot')
  const location = found.heroStill && locationOf(found.heroStill.url)
  return location === undefined ? notFound('picture') : redirect(location, 302)
}
