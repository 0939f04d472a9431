import { FormatRegistry, Type } from '@sinclair/typebox'
import type { BodyStream } from '../http/requestContext.ts'

// Any string: the format is only for the description.
FormatRegistry.Set('binary', () => true)

/** A file of this media type, in whole or in part. */
export const binary = (contentType: string) =>
  Type.Unsafe<BodyStream>(Type.String({ format: 'binary', 'x-content-type': contentType }))
