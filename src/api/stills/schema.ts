import { type Static, Type } from '@sinclair/typebox'
import { Pagination } from '../../http/paging.ts'
import { closed, flag, named, timestamp } from '../fields.ts'

/** Pixels of the picture as it is shown. */
const pixels = (description: string) =>
  Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { description })

/** One photo. */
export const Still = Type.Object(
  {
    stillID: Type.Integer({ minimum: 1 }),
    token: Type.String({ description: 'public share token' }),
    url: Type.String({ description: 'full-resolution JPEG' }),
    width: pixels('pixels as shown; null when not known, in lists also when not read yet'),
    height: pixels('pixels as shown; null exactly when width is'),
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
  },
  named('Still'),
)
export type Still = Static<typeof Still>
export const StillPage = Type.Object(
  { stills: Type.Array(Still), pagination: Pagination },
  named('StillPage'),
)
export const StillBody = Type.Object({ still: Still }, named('StillBody'))
export const StillTag = Type.Object(
  {
    tag: Type.String(),
    count: Type.Integer({ minimum: 1, description: 'stills that the tag finds' }),
  },
  closed,
)
export const StillTags = Type.Object({ tags: Type.Array(StillTag) }, named('StillTags'))
