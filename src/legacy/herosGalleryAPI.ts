import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Elysia } from 'elysia'
import { named } from '../api/fields.ts'
import { Still } from '../api/stills/schema.ts'
import { stillView } from '../api/stills/view.ts'
import type { Archive } from '../archive/archive.ts'
import { findBot } from '../careers/bots.ts'
import { archived } from '../http/exchange.ts'
import { cleanName as toCleanName } from '../league/cleanName.ts'
import type { Still as Photo } from '../league/types.ts'
import { createPace } from '../pace.ts'
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

const robotCheck = TypeCompiler.Compile(Robot)

/**
 * The body for an archive. It is 8 MB for a large league, so it is made in slices, and checked and
 * encoded robot by robot instead of as a whole by the router.
 */
const encodeGallery = async (archive: Archive): Promise<Buffer> => {
  const pace = createPace()
  const byRobot = new Map<string, Photo[]>()
  for (const still of archive.stills.heroes) {
    if (still.isCurated && still.bot) {
      const images = byRobot.get(still.bot.cleanName)
      if (images) images.push(still)
      else byRobot.set(still.bot.cleanName, [still])
    }
    if (pace.isSliceOver()) await pace.rest()
  }
  const parts: Buffer[] = [Buffer.from('{"success":true,"robots":[')]
  // Clean names are ASCII, so that the order of code units is that of `compareTexts`.
  for (const cleanName of [...byRobot.keys()].sort()) {
    const each = robot(archive, cleanName, byRobot.get(cleanName) ?? [])
    if (!robotCheck.Check(each)) throw new Error(`the gallery of ${cleanName} breaks its schema`)
    parts.push(Buffer.from((parts.length > 1 ? ',' : '') + JSON.stringify(each)))
    if (pace.isSliceOver()) await pace.rest()
  }
  parts.push(Buffer.from(']}'))
  return Buffer.concat(parts)
}

/** Curated beauty shots, by the robot they show. */
export const herosGalleryAPI = (mount: Mount) => {
  /** Shared by all who ask meanwhile; afterwards the answer is stored. */
  let making: { readonly archive: Archive; readonly body: Promise<Buffer> } | undefined
  const galleryOf = async (archive: Archive): Promise<Buffer> => {
    if (making?.archive !== archive) making = { archive, body: encodeGallery(archive) }
    const mine = making
    try {
      return await mine.body
    } finally {
      if (making === mine) making = undefined
    }
  }
  return new Elysia().use(archived).get(
    `/herosGalleryAPI${mount.suffix}`,
    async ({ archive, set }) => {
      set.headers['content-type'] = 'application/json'
      return new Response(await galleryOf(archive))
    },
    {
      response: { 200: Gallery },
      detail: documented(mount, 'herosGalleryAPI', 'Curated hero stills, by robot'),
    },
  )
}
