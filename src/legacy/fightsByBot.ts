import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findNamedBot } from '../api/bots/lookup.ts'
import { named } from '../api/fields.ts'
import { botParameter, parameters } from '../http/parameters.ts'
import { archived } from '../http/requestContext.ts'
import { MatchRow, matchRow } from './matchRow.ts'
import { type Mount, successor, superseded } from './mount.ts'

const Fights = named('LegacyFights', { fights: Type.Array(MatchRow) })

/** An unknown bot has no fights. */
export const fightsByBot = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/fightsByBot${mount.suffix}`,
    ({ archive, cached, query: { bot: cleanName = '' }, set }) => {
      const bot = findNamedBot(archive, cleanName)
      set.headers.link = successor(mount, bot ? `/bots/${bot.cleanName}/fights` : '/bots')
      // Not cached: the number of unknown names is unbounded, and the response is cheap.
      return bot ? cached({ fights: bot.fights.map(matchRow) }) : { fights: [] }
    },
    {
      ...parameters({
        query: Type.Object({ bot: botParameter('clean or display name of a bot') }),
      }),
      response: { 200: Fights },
      detail: superseded(mount, 'fightsByBot', 'Completed fights of one bot, newest first'),
    },
  )
