import type { Archive } from '../../archive/archive.ts'
import { createListResponse, entryCheck } from '../../http/encodeList.ts'
import { Tournament } from './schema.ts'
import { tournamentView } from './view.ts'

const check = entryCheck(Tournament)

/** The response with all tournaments, newest first. */
export const tournamentList = createListResponse(({ dataset }: Archive) => ({
  head: '{"tournaments":[',
  items: dataset.tournaments,
  view: ({ info }) => tournamentView(info),
  check,
}))
