import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findTournament } from '../api/tournaments/lookup.ts'
import { ErrorBody, notFound } from '../http/errors.ts'
import { idParameter, parameters } from '../http/parameters.ts'
import { archived } from '../http/requestContext.ts'
import { MatchRow, matchRow } from './matchRow.ts'
import { type Mount, successor, superseded } from './mount.ts'

const Matches = Type.Array(MatchRow, { title: 'LegacyMatches' })

/** The fights of one tournament, unwrapped. */
export const getLatestMatches = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/getLatestMatches${mount.suffix}`,
    ({ archive, cached, query: { tournamentID = '' }, set }) => {
      const tournament = findTournament(archive, tournamentID)
      if (!tournament) return notFound('tournament')
      set.headers.link = successor(mount, `/tournaments/${encodeURIComponent(tournamentID)}/fights`)
      return cached(tournament.fights.map(matchRow))
    },
    {
      ...parameters({ query: Type.Object({ tournamentID: idParameter('id of the tournament') }) }),
      response: { 200: Matches, 404: ErrorBody },
      detail: superseded(mount, 'getLatestMatches', 'Fights of one tournament, newest first'),
    },
  )
