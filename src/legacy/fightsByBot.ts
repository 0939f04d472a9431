import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findNamedBot } from '../api/bots/lookup.ts'
import { named } from '../api/fields.ts'
import { archived } from '../http/exchange.ts'
import { botParameter, lenient } from '../http/parameters.ts'
import { MatchRow, matchRow } from './matchRow.ts'
import { documented, type Mount, successor } from './mount.ts'

const Fights = Type.Object({ fights: Type.Array(MatchRow) }, named('LegacyFights'))

/** An unknown bot has no fights. */
export const fightsByBot = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/fightsByBot${mount.suffix}`,
    ({ archive, query: { bot: cleanName = '' }, exchange, set }) => {
      const bot = findNamedBot({ archive, exchange }, cleanName)
      set.headers.link = successor(mount, bot ? `/bots/${bot.cleanName}/fights` : '/bots')
      // Unknown names are endless in number, and cheap to answer.
      if (!bot) exchange.validUntil = 0
      return { fights: bot?.fights.map(matchRow) ?? [] }
    },
    {
      ...lenient(Type.Object({ bot: botParameter('clean or display name of a bot') })),
      response: { 200: Fights },
      detail: documented(mount, 'fightsByBot', 'Completed fights of one bot, newest first', {
        superseded: true,
      }),
    },
  )
