import { type Static, Type } from '@sinclair/typebox'
import { status } from 'elysia'

/** The body of every response that is not a success. */
export const ErrorBody = Type.Object(
  { error: Type.String({ description: 'what went wrong' }) },
  { additionalProperties: false, title: 'Error' },
)
export type ErrorBody = Static<typeof ErrorBody>

/** 404; the message names the kind of thing, never the request's text. */
export const notFound = (thing: string) => status(404, { error: `${thing} not found` })

/** `Retry-After` in seconds, during the first load and under overload. */
export const retryAfterSeconds = 2
