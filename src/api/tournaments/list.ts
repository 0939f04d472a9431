import { tournamentStart } from '../../data/league/order.ts'
import type { TournamentInfo } from '../../data/league/types.ts'
import { createListResponse } from '../../http/encodeList.ts'
import type { Data } from '../../http/trackedArchive.ts'
import { compiled } from '../../runtime/once.ts'
import { Tournament } from './schema.ts'
import { tournamentView } from './view.ts'

const check = compiled(Tournament)

/** True if a tournament began, or is planned to begin, in a year (UTC); false without any date. */
export const isInYear = (info: TournamentInfo, year: number): boolean => {
  const unix = tournamentStart(info)
  return unix > 0 && new Date(unix * 1000).getUTCFullYear() === year
}

/** Response with the tournaments of a year, or all, newest first. */
export const tournamentList = createListResponse(
  ({ dataset, year }: Pick<Data, 'dataset'> & { readonly year: number | undefined }) => ({
    head: '{"tournaments":[',
    items:
      year === undefined
        ? dataset.tournaments
        : dataset.tournaments.filter(({ info }) => isInYear(info, year)),
    view: ({ info }) => tournamentView(info),
    check,
  }),
)
