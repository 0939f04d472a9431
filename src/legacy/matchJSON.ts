import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { FightDetails } from '../api/fights/schema.ts'
import { fightDetails } from '../api/fights/view.ts'
import { findExpectedOf } from '../api/live/lookup.ts'
import { findChances } from '../api/ratings/lookup.ts'
import { findFight } from '../api/tournaments/lookup.ts'
import { ErrorBody, notFound } from '../http/errors.ts'
import { idParameter, parameters } from '../http/parameters.ts'
import { archived } from '../http/requestContext.ts'
import { type Mount, successor, superseded } from './mount.ts'

export const matchJSON = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/matchJSON${mount.suffix}`,
    ({ archive, cached, query: { gameID = '', tournamentID = '' }, set }) => {
      const found = findFight(archive, { tournamentID, gameID })
      if (!found) return notFound('fight')
      const [tournament, game] = [tournamentID, gameID].map(encodeURIComponent)
      set.headers.link = successor(mount, `/tournaments/${tournament}/fights/${game}`)
      return cached({
        ...fightDetails(found.tournament, found.fight, findExpectedOf(archive, found)),
        ...findChances(archive)(found.fight),
      })
    },
    {
      ...parameters({
        query: Type.Object({
          gameID: idParameter('id of the game'),
          tournamentID: idParameter('id of the tournament'),
        }),
      }),
      response: { 200: FightDetails, 404: ErrorBody },
      detail: superseded(mount, 'matchJSON', 'One fight with both corners and all recordings'),
    },
  )
