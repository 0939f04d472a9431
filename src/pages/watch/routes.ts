import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findBotWithPicture } from '../../api/bots/lookup.ts'
import { findFight } from '../../api/tournaments/lookup.ts'
import { parameters } from '../../http/parameters.ts'
import { requestContext } from '../../http/requestContext.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import type { Fight } from '../../league/types.ts'
import { sendLoading, sendNotFound, sendPage, spoilers } from '../respond.ts'
import type { Site, Viewings } from '../site.ts'
import { watchPage } from './page.ts'

/** The newest hero still of either bot. */
const pictureOf = (archive: TrackedArchive, { red, blue }: Fight): string | undefined => {
  const [picture] = [red, blue].flatMap(
    ({ player }) => findBotWithPicture(archive, player.cleanName)?.picture ?? [],
  )
  return picture
}

export const watchRoutes = ({ basePath }: Site, viewings: Viewings) =>
  new Elysia({ prefix: basePath, tags: ['pages'] }).use(requestContext).get(
    '/w/:tournamentID/:gameID',
    async ({ archive, cached, params, query: { spoilers }, set }) => {
      const viewing = viewings.of(spoilers)
      if (!archive) return sendLoading(set, viewing)
      const found = findFight(archive, params)
      if (!found) return sendNotFound(set, viewing, 'fight')
      return cached(
        await sendPage(set, viewing, watchPage(viewing, found, pictureOf(archive, found.fight))),
      )
    },
    { ...parameters({ query: Type.Object({ spoilers }) }), detail: { hide: true } },
  )
