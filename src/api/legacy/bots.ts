import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { cleanName } from '../../data/league/cleanName.ts'
import { readText } from '../../derived/search/pairs.ts'
import { ErrorBody } from '../../http/errors.ts'
import { botParameter, parameters, textParameter } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import { findBotWithPicture } from '../bots/lookup.ts'
import { Redirect, redirectToPicture } from '../bots/picture.ts'
import { closed } from '../fields.ts'
import { findBots } from '../search/lookup.ts'
import { type Mount, successor, superseded } from './mount.ts'

const maxSuggestions = 10

const Suggestions = Type.Array(
  closed({
    label: Type.String({ description: 'display name' }),
    value: Type.String({ description: 'display name' }),
    cleanName: Type.String(),
  }),
  { title: 'LegacySuggestions', maxItems: maxSuggestions },
)

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

export const getBotPic = (mount: Mount) =>
  new Elysia()
    .use(archived)
    .get(
      `/getBotPic${mount.suffix}`,
      ({ archive, query: { bot = '' }, set }) => botPicture(mount, archive, bot, set.headers),
      {
        ...parameters({ bot: botParameter('clean or display name of a bot') }),
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

export const botScripts = (mount: Mount) =>
  getBotPic(mount).get(
    `/botAutocomplete${mount.suffix}`,
    ({ archive, cached, query: { q }, set }) => {
      set.headers.link = successor(
        mount,
        q === undefined ? '/autocomplete' : `/autocomplete?q=${encodeURIComponent(q)}`,
      )
      const { found } = findBots(readText(archive.botSearch, q ?? ''), maxSuggestions)
      return cached(
        found.map(({ bot: { name, cleanName } }) => ({ label: name, value: name, cleanName })),
      )
    },
    {
      ...parameters({ q: textParameter('the text typed so far') }),
      response: { 200: Suggestions },
      detail: superseded(mount, 'botAutocomplete', 'Autocomplete of bot names'),
    },
  )
