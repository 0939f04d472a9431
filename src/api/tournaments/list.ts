import { tournamentStart } from '../../data/league/order.ts'
import type { TournamentInfo } from '../../data/league/types.ts'
import { createListResponse } from '../../http/encodeList.ts'
import type { Data } from '../../http/trackedArchive.ts'
import { compiled } from '../../runtime/once.ts'
import type { DayIn } from '../../runtime/timeZone.ts'
import { Tournament } from './schema.ts'
import { tournamentView } from './view.ts'

const check = compiled(Tournament)

/** True if a tournament began, or is planned to begin, in a year; false without any date. */
export const isInYear = (info: TournamentInfo, year: number, dayIn: DayIn): boolean => {
  const unix = tournamentStart(info)
  return unix > 0 && dayIn(unix).startsWith(`${year}-`)
}

interface OfYear {
  readonly year: number | undefined
  readonly dayIn: DayIn
}

/** Response with the tournaments of a year, or all, newest first. */
export const tournamentList = createListResponse(
  ({ dataset, year, dayIn }: Pick<Data, 'dataset'> & Partial<OfYear>) => ({
    head: '{"tournaments":[',
    items:
      year === undefined || dayIn === undefined
        ? dataset.tournaments
        : dataset.tournaments.filter(({ info }) => isInYear(info, year, dayIn)),
    view: ({ info }) => tournamentView(info),
    check,
  }),
)
