import { Type } from '@sinclair/typebox'
import { findBotWithPicture } from '../../api/bots/lookup.ts'
import { findForecast } from '../../api/ratings/lookup.ts'
import { isInYear } from '../../api/tournaments/list.ts'
import { findTournament } from '../../api/tournaments/lookup.ts'
import type { Data, Timed, TrackedArchive } from '../../http/trackedArchive.ts'
import { isOver } from '../../league/stages.ts'
import type { Tournament, TournamentInfo } from '../../league/types.ts'
import { expectedAt } from '../../live/expected.ts'
import { compareWaiting, type Scheduled, scheduled } from '../../live/schedule.ts'
import { classesOf, type Occasion, occasionsOf, startOf, underWayUntil } from '../occasions.ts'
import { answer, pageOptions, pageRouter, plainQuery, spoilers } from '../respond.ts'
import type { Site, Viewings } from '../site.ts'
import { relative } from '../times.ts'
import { eventList } from './list.ts'
import { type EventView, eventPage } from './page.ts'

const scheduleAt = (
  { fights }: Tournament,
  archive: Pick<TrackedArchive, 'cages' | 'dataset'>,
  now: number,
): Timed<readonly Scheduled[]> => {
  const value = fights
    .filter(({ state }) => state !== 'done')
    .map((fight) => scheduled(fight, archive.cages, now, expectedAt(archive, now)))
    .sort(compareWaiting)
  return { value, validUntil: Math.min(...value.map(({ validUntil }) => validUntil)) }
}

const timesOf = (
  tournament: Tournament,
  now: number,
): Timed<Pick<EventView, 'isUnderWay' | 'relative'>> => {
  const until = underWayUntil(tournament)
  const { value, validUntil } = relative(startOf(tournament), now)
  const isUnderWay = now < until
  return {
    value: { isUnderWay, relative: value },
    validUntil: Math.min(validUntil, isUnderWay ? until : Number.POSITIVE_INFINITY),
  }
}

/** Fights of an active tournament that are not done; the cages are read for these alone. */
const findScheduled = (
  archive: Pick<TrackedArchive, 'cages' | 'dataset' | 'timed'>,
  tournament: Tournament,
): readonly Scheduled[] => {
  if (!tournament.info.active) return []
  return archive.timed((now) => scheduleAt(tournament, archive, now))
}

const findWinnerPicture = (
  archive: TrackedArchive,
  { players }: Tournament,
): string | undefined => {
  const winner = players.find(({ placement }) => placement === 1)
  return winner && (findBotWithPicture(archive, winner.player.cleanName)?.picture ?? undefined)
}

/** The ids of the tournaments of an event. */
const classIDs = ({ dataset: { tournaments } }: Data, tournamentID: string): string[] => {
  const has = (each: Occasion) => each.some(({ info }) => info.id === tournamentID)
  return (occasionsOf(tournaments).find(has) ?? []).map(({ info }) => info.id)
}

const findInfo = ({ dataset }: Data, tournamentID: string) =>
  dataset.tournamentsByID.get(tournamentID)?.info

// The start of 1970 is in 1969 west of Greenwich.
const year = Type.Optional(Type.Integer({ minimum: 1969, maximum: 9999 }))

/** Whether a tournament is in a year or, in some time zone, could be. */
const isNear = (info: TournamentInfo, year: number): boolean =>
  [-1, 0, 1].some((offset) => isInYear(info, year + offset))

export const eventPages = (site: Site, viewings: Viewings) =>
  pageRouter(site)
    .get(
      '/e',
      (context) =>
        answer(viewings, context, ({ dataset: { tournaments } }, viewing) => {
          const chosen = context.query.year
          return {
            ...eventList(viewing, tournaments, chosen),
            // Not cached for a year without events, of which there are thousands.
            isCached: chosen === undefined || tournaments.some(({ info }) => isNear(info, chosen)),
          }
        }),
      pageOptions(Type.Object({ spoilers, year })),
    )
    .get(
      '/e/:tournamentID',
      (context) =>
        answer(viewings, context, async (archive, viewing) => {
          const { tournamentID } = context.params
          const tournament = findTournament(archive, tournamentID)
          if (!tournament) return 'event'
          const ids = archive.derive(classIDs, tournamentID)
          return eventPage(viewing, {
            tournament,
            ...archive.timed((now) => timesOf(tournament, now)),
            winnerPicture: viewing.showsOutcomes
              ? findWinnerPicture(archive, tournament)
              : undefined,
            scheduled: findScheduled(archive, tournament),
            forecast:
              viewing.showsOutcomes && !isOver(tournament)
                ? await findForecast(archive, tournament)
                : undefined,
            classes: classesOf(ids.flatMap((id) => archive.lookup(findInfo, id) ?? [])),
          })
        }),
      pageOptions(plainQuery),
    )
