import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findBotWithPicture } from '../api/bots/lookup.ts'
import { Redirect, redirectToPicture } from '../api/bots/picture.ts'
import { ErrorBody } from '../http/errors.ts'
import { botParameter, parameters } from '../http/parameters.ts'
import { archived } from '../http/requestContext.ts'
import type { TrackedArchive } from '../http/trackedArchive.ts'
import { cleanName } from '../league/cleanName.ts'
import { type Mount, successor, superseded } from './mount.ts'

/** Redirects to the newest hero still of one bot; 404 without one. */
const botPicture = (
  mount: Pick<Mount, 'basePath'>,
  archive: TrackedArchive,
  clean: string,
  headers: { link?: string | number },
) => {
  const found = findBotWithPicture(archive, clean)
  if (found?.picture) headers.link = successor(mount, `/bots/${clean}/picture`)
  return redirectToPicture(found)
}

const response = { 302: Redirect, 404: ErrorBody }

/** The picture of the bot named by `bot`. */
export const getBotPic = (mount: Mount) =>
  new Elysia()
    .use(archived)
    .get(
      `/getBotPic${mount.suffix}`,
      ({ archive, query: { bot = '' }, set }) => botPicture(mount, archive, bot, set.headers),
      {
        ...parameters({
          query: Type.Object({ bot: botParameter('clean or display name of a bot') }),
        }),
        response,
        detail: superseded(mount, 'getBotPic', 'Redirect to the newest hero still of one bot'),
      },
    )

/** The picture of the bot that a file of this folder is named after. */
export const botThumbs = (mount: Pick<Mount, 'basePath'>) =>
  new Elysia({ prefix: '/robots-thumb' })
    .use(archived)
    .get(
      '/:file',
      ({ archive, params: { file }, set }) =>
        botPicture(mount, archive, cleanName(/^(.*)\.png$/is.exec(file)?.[1] ?? ''), set.headers),
      { response, detail: { hide: true } },
    )
