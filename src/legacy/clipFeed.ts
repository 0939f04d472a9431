import { Type } from '@sinclair/typebox'
import { Clip } from '../api/clips/schema.ts'
import { named } from '../api/fields.ts'

/** Response of both scripts of clips. */
export const ClipFeed = named('LegacyClipFeed', {
  success: Type.Literal(true),
  clips: Type.Array(Clip),
})
