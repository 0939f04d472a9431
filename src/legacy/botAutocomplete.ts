import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { closed } from '../api/fields.ts'
import { findBots } from '../api/search/lookup.ts'
import { parameters } from '../http/parameters.ts'
import { archived } from '../http/requestContext.ts'
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

/** Bots as in `/search`, from one character on. */
export const botAutocomplete = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/botAutocomplete${mount.suffix}`,
    ({ archive, cached, query: { q }, set }) => {
      set.headers.link = successor(
        mount,
        q === undefined ? '/autocomplete' : `/autocomplete?q=${encodeURIComponent(q)}`,
      )
      const { found } = findBots(archive.botSearch, q ?? '', maxSuggestions)
      return cached(
        found.map(({ bot: { name, cleanName } }) => ({ label: name, value: name, cleanName })),
      )
    },
    {
      ...parameters({
        query: Type.Object({
          q: Type.Optional(Type.String({ description: 'the text typed so far' })),
        }),
      }),
      response: { 200: Suggestions },
      detail: superseded(mount, 'botAutocomplete', 'Autocomplete of bot names'),
    },
  )
