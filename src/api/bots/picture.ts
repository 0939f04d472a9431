import { Type } from '@sinclair/typebox'
import { redirect } from 'elysia'
import { notFound } from '../../http/errors.ts'

/** Schema of a redirect: no body. */
export const Redirect = Type.Void()

/** Redirects to the newest hero still of a bot; 404 for an unknown bot or without one. */
export const redirectToPicture = (found: { readonly picture: string | null } | undefined) => {
  if (!found) return notFound('bot')
  return found.picture === null ? notFound('picture') : redirect(found.picture, 302)
}
