import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findBotWithPicture } from '../api/bots/lookup.ts'
import { Redirect, redirectToPicture } from '../api/bots/picture.ts'
import { ErrorBody } from '../http/errors.ts'
import { botParameter, parameters } from '../http/parameters.ts'
import { archived } from '../http/requestContext.ts'
import { documented, type Mount, successor } from './mount.ts'

/** Redirects to the newest hero still of one bot; 404 without one. */
export const getBotPic = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/getBotPic${mount.suffix}`,
    ({ archive, query: { bot: cleanName = '' }, set }) => {
      const found = findBotWithPicture(archive, cleanName)
      if (found?.picture) set.headers.link = successor(mount, `/bots/${cleanName}/picture`)
      return redirectToPicture(found)
    },
    {
      ...parameters({
        query: Type.Object({ bot: botParameter('clean or display name of a bot') }),
      }),
      response: { 302: Redirect, 404: ErrorBody },
      detail: documented(mount, 'getBotPic', 'Redirect to the newest hero still of one bot', {
        superseded: true,
      }),
    },
  )
