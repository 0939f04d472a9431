import { createListResponse, entryCheck } from '../../http/encodeList.ts'
import type { Data } from '../../http/trackedArchive.ts'
import { Tournament } from './schema.ts'
import { tournamentView } from './view.ts'

const check = entryCheck(Tournament)

/** Response with all tournaments, newest first. */
export const tournamentList = createListResponse(({ dataset }: Pick<Data, 'dataset'>) => ({
  head: '{"tournaments":[',
  items: dataset.tournaments,
  view: ({ info }) => tournamentView(info),
  check,
}))
