import { type Static, Type } from '@sinclair/typebox'
import { Pagination } from '../../http/paging.ts'
import { closed, flag, named, timestamp } from '../fields.ts'

const stillFields = {
  stillID: Type.Integer({ minimum: 1 }),
  token: Type.String({ description: 'public share token' }),
  url: Type.String({ description: 'full-resolution JPEG' }),
  tags: Type.Array(Type.String()),
  bot: Type.Union(
    [
      Type.Object(
        {
          name: Type.String({ description: 'display name in the tournament' }),
          cleanName: Type.String(),
        },
        closed,
      ),
      Type.Null(),
    ],
    { title: 'StillBot', description: 'null where the picture shows no single bot' },
  ),
  tournamentID: Type.String(),
  event: Type.String({ description: 'name of the tournament' }),
  source: Type.String({ description: 'who took it' }),
  isHero: flag('1 for a beauty shot'),
  takenTime: timestamp('when it was taken'),
}
const pixelsOrNull = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
  description: 'pixels, null when not known',
})
const pixels = Type.Integer({ minimum: 0, description: 'pixels, 0 when not known' })

/** One photo in a list. */
export const ListedStill = Type.Object(
  { ...stillFields, width: pixelsOrNull, height: pixelsOrNull },
  named('ListedStill'),
)
export type ListedStill = Static<typeof ListedStill>

/** One photo, its dimensions filled in. */
export const Still = Type.Object({ ...stillFields, width: pixels, height: pixels }, named('Still'))
export type Still = Static<typeof Still>

export const StillPage = Type.Object(
  { stills: Type.Array(ListedStill), pagination: Pagination },
  named('StillPage'),
)
export const StillBody = Type.Object({ still: Still }, named('StillBody'))
export const StillTags = Type.Object(
  {
    tags: Type.Array(
      Type.Object(
        {
          tag: Type.String(),
          count: Type.Integer({ minimum: 1, description: 'stills that the tag finds' }),
        },
        closed,
      ),
    ),
  },
  named('StillTags'),
)
export type StillTags = Static<typeof StillTags>
