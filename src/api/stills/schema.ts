import { type Static, Type } from '@sinclair/typebox'
import { Pagination } from '../../http/paging.ts'
import { closed, flag, named, orNull, timestamp } from '../fields.ts'

/** Size in pixels, with the EXIF orientation applied. */
const pixels = (description: string) =>
  Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { description })

export const Still = named('Still', {
  stillID: Type.Integer({ minimum: 1, description: 'still id' }),
  token: Type.String({ description: 'public share token' }),
  url: Type.String({ description: 'full-resolution JPEG' }),
  width: pixels(
    'pixels, EXIF orientation applied; null if unknown; lists have only sizes of the source',
  ),
  height: pixels('pixels, EXIF orientation applied; null if width is null'),
  tags: Type.Array(Type.String(), { description: 'labels' }),
  bot: orNull(
    closed({
      name: Type.String({ description: 'display name in the tournament' }),
      cleanName: Type.String(),
    }),
    'null if the still shows no single bot',
    { title: 'StillBot' },
  ),
  tournamentID: Type.String({ description: 'tournament id' }),
  event: Type.String({ description: 'name of the tournament' }),
  source: Type.String({ description: 'who took it' }),
  isHero: flag('1 for a hero still, a beauty shot of one bot'),
  takenTime: timestamp('when it was taken'),
})
export type Still = Static<typeof Still>
export const StillPage = named('StillPage', { stills: Type.Array(Still), pagination: Pagination })
export const StillBody = named('StillBody', { still: Still })
export const StillTag = closed({
  tag: Type.String(),
  count: Type.Integer({ minimum: 1, description: 'stills with this tag' }),
})
export const StillTags = named('StillTags', { tags: Type.Array(StillTag) })
