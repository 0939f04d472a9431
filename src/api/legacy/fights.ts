import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { caching } from '../../http/caching.ts'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { limitParameter } from '../../http/paging.ts'
import { botParameter, idParameter, parameters } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import { findNamedBot } from '../bots/lookup.ts'
import { closedList, named } from '../fields.ts'
import { findDayFights, findFightDetails, findRecentFights } from '../fights/lookup.ts'
import { FightDetails, Last24h, RecentFight } from '../fights/schema.ts'
import { matchLength, recentFight } from '../fights/view.ts'
import { findTournament } from '../tournaments/lookup.ts'
import { MatchRow, matchRow } from './matchRow.ts'
import { type Mount, successor, superseded } from './mount.ts'

/** The only list of fights here with numbers as numbers. */
const RecentFights = named('LegacyRecentFights', {
  fights: closedList({
    ...RecentFight.properties,
    fightDuration: Type.Integer({ description: 'the same as matchLength' }),
  }),
})

const Matches = Type.Array(MatchRow, { title: 'LegacyMatches' })
const Fights = named('LegacyFights', { fights: Type.Array(MatchRow) })

export const fightScripts = (mount: Mount) =>
  new Elysia()
    .use(archived)
    .get(
      `/matchJSON${mount.suffix}`,
      ({ archive, cached, query: { gameID = '', tournamentID = '' }, set }) => {
        const fight = findFightDetails(archive, { tournamentID, gameID })
        if (!fight) return notFound('fight')
        const [tournament, game] = [tournamentID, gameID].map(encodeURIComponent)
        set.headers.link = successor(mount, `/tournaments/${tournament}/fights/${game}`)
        return cached(fight)
      },
      {
        ...parameters({
          gameID: idParameter('id of the game'),
          tournamentID: idParameter('id of the tournament'),
        }),
        response: { 200: FightDetails, 404: ErrorBody },
        detail: superseded(mount, 'matchJSON', 'One fight with both corners and all recordings'),
      },
    )
    .get(
      `/recentFights${mount.suffix}`,
      ({ archive, cached, query: { limit }, set }) => {
        set.headers['cache-control'] = caching.live
        set.headers.link = successor(mount, `/fights/recent?limit=${limit}`)
        const fights = findRecentFights(archive, limit).map((fight) => ({
          ...recentFight(fight),
          fightDuration: matchLength(fight),
        }))
        return cached({ fights })
      },
      {
        ...parameters({ limit: limitParameter(100, 20) }),
        response: { 200: RecentFights },
        detail: superseded(mount, 'recentFights', 'The last completed fights'),
      },
    )
    .get(
      `/fightsLast24Hours${mount.suffix}`,
      ({ archive, cached, set }) => {
        set.headers['cache-control'] = caching.live
        set.headers.link = successor(mount, '/fights/last24h')
        return cached(findDayFights(archive))
      },
      {
        response: { 200: Last24h },
        detail: superseded(
          mount,
          'fightsLast24Hours',
          'Every fight that ended within the last 24 hours',
        ),
      },
    )
    .get(
      `/getLatestMatches${mount.suffix}`,
      ({ archive, cached, query: { tournamentID = '' }, set }) => {
        const tournament = findTournament(archive, tournamentID)
        if (!tournament) return notFound('tournament')
        const id = encodeURIComponent(tournamentID)
        set.headers.link = successor(mount, `/tournaments/${id}/fights`)
        return cached(tournament.fights.map(matchRow))
      },
      {
        ...parameters({ tournamentID: idParameter('id of the tournament') }),
        response: { 200: Matches, 404: ErrorBody },
        detail: superseded(mount, 'getLatestMatches', 'Fights of one tournament, newest first'),
      },
    )
    .get(
      `/fightsByBot${mount.suffix}`,
      ({ archive, cached, query: { bot: cleanName = '' }, set }) => {
        const bot = findNamedBot(archive, cleanName)
        set.headers.link = successor(mount, bot ? `/bots/${bot.cleanName}/fights` : '/bots')
        // Not cached: the number of unknown names is unbounded, and the response is cheap.
        return bot ? cached({ fights: bot.fights.map(matchRow) }) : { fights: [] }
      },
      {
        ...parameters({ bot: botParameter('clean or display name of a bot') }),
        response: { 200: Fights },
        detail: superseded(mount, 'fightsByBot', 'Completed fights of one bot, newest first'),
      },
    )
