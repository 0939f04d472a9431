import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { cleanName as toCleanName } from '../../data/league/cleanName.ts'
import type { Still as DomainStill } from '../../data/league/types.ts'
import { type Bots, findBot } from '../../derived/careers/bots.ts'
import { createListResponse } from '../../http/encodeList.ts'
import { archived } from '../../http/requestContext.ts'
import type { Data } from '../../http/trackedArchive.ts'
import { compiled } from '../../runtime/once.ts'
import { createTimeSlice } from '../../runtime/timeSlice.ts'
import { named } from '../fields.ts'
import { Still } from '../stills/schema.ts'
import { stillView } from '../stills/view.ts'
import { documented, type Mount } from './mount.ts'

const Robot = named('LegacyRobot', {
  tag: Type.String({ description: 'tag of the images with the name of the robot' }),
  name: Type.String({ description: 'display name in the newest tournament' }),
  cleanName: Type.String(),
  images: Type.Array(Still, { minItems: 1, description: 'newest first' }),
})
type Robot = Static<typeof Robot>

const Gallery = named('LegacyGallery', { success: Type.Literal(true), robots: Type.Array(Robot) })

/** `images` show this robot, newest first. */
const robot = (bots: Bots, cleanName: string, images: readonly DomainStill[]): Robot => {
  const name = findBot(bots, cleanName)?.name ?? cleanName
  const tag = images
    .values()
    .flatMap(({ tags }) => tags)
    .find((tag) => toCleanName(tag) === cleanName)
  return { tag: tag ?? name, name, cleanName, images: images.map((still) => stillView(still)) }
}

const robotCheck = compiled(Robot)

/** Groups curated hero stills by clean name, in time slices: 20 ms in total in a large league. */
const groupHeroes = async (
  stills: Data['stills'],
): Promise<ReadonlyMap<string, readonly DomainStill[]>> => {
  const slice = createTimeSlice()
  const byRobot = new Map<string, DomainStill[]>()
  for (const still of (await stills).heroes) {
    if (still.isCurated && still.bot)
      byRobot.getOrInsertComputed(still.bot.cleanName, () => []).push(still)
    if (slice.isOver()) await slice.next()
  }
  return byRobot
}

const galleryOf = createListResponse(async ({ bots, stills }: Pick<Data, 'bots' | 'stills'>) => {
  const byRobot = await groupHeroes(stills)
  return {
    head: '{"success":true,"robots":[',
    // Clean names are ASCII, so code-unit order equals `compareTexts`.
    items: [...byRobot.keys()].sort(),
    view: (cleanName: string) => robot(bots, cleanName, byRobot.get(cleanName) ?? []),
    check: robotCheck,
  }
})

/** Curated hero stills by robot. */
export const herosGalleryAPI = (mount: Mount) =>
  new Elysia()
    .use(archived)
    .get(
      `/herosGalleryAPI${mount.suffix}`,
      async ({ archive: { bots, stills }, cached }) => cached(await galleryOf({ bots, stills })),
      {
        response: { 200: Gallery },
        detail: documented(mount, 'herosGalleryAPI', 'Curated hero stills, by robot'),
      },
    )
