import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { named } from '../api/fields.ts'
import { Still } from '../api/stills/schema.ts'
import { stillView } from '../api/stills/view.ts'
import type { Archive } from '../archive.ts'
import { cleanName as toCleanName } from '../dataset/cleanName.ts'
import type { Still as Photo } from '../dataset/types.ts'
import { findBot } from '../derived/bots.ts'
import { archived } from '../http/exchange.ts'
import { compareTexts } from '../source/rows.ts'
import { documented, type Mount } from './mount.ts'

const Robot = Type.Object(
  {
    tag: Type.String({ description: 'the tag of the images that names the robot' }),
    name: Type.String({ description: 'display name in the newest tournament' }),
    cleanName: Type.String(),
    images: Type.Array(Still, { minItems: 1, description: 'newest first' }),
  },
  named('LegacyRobot'),
)
type Robot = Static<typeof Robot>

const Gallery = Type.Object(
  { success: Type.Literal(true), robots: Type.Array(Robot) },
  named('LegacyGallery'),
)

/** `images` are of this one robot, newest first. */
const robot = ({ bots }: Archive, cleanName: string, images: readonly Photo[]): Robot => {
  const name = findBot(bots, cleanName)?.name ?? cleanName
  const tag = images
    .values()
    .flatMap(({ tags }) => tags)
    .find((tag) => toCleanName(tag) === cleanName)
  return { tag: tag ?? name, name, cleanName, images: images.map((still) => stillView(still)) }
}

/** Curated beauty shots, by the robot they show. */
export const herosGalleryAPI = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/herosGalleryAPI${mount.suffix}`,
    ({ archive }) => {
      const curated = archive.stills.heroes.filter(({ isCurated, bot }) => isCurated && bot)
      const byRobot = Map.groupBy(curated, ({ bot }) => bot?.cleanName ?? '')
      return {
        success: true as const,
        robots: [...byRobot]
          .map(([cleanName, images]) => robot(archive, cleanName, images))
          .sort((a, b) => compareTexts(a.cleanName, b.cleanName)),
      }
    },
    {
      response: { 200: Gallery },
      detail: documented(mount, 'herosGalleryAPI', 'Curated hero stills, by robot'),
    },
  )
