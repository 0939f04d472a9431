import type { Data, TrackedArchive } from '../../http/trackedArchive.ts'
import type { Fight, Tournament } from '../../league/types.ts'

const tournamentWithId = ({ dataset }: Data, id: string) => dataset.tournamentsByID.get(id)

/** Finds a tournament by id. */
export const findTournament = (
  { lookup }: Pick<TrackedArchive, 'lookup'>,
  tournamentId: string,
): Tournament | undefined => lookup(tournamentWithId, tournamentId)

/** Finds a fight and its tournament by id. */
export const findFight = (
  archive: Pick<TrackedArchive, 'lookup'>,
  { tournamentID, gameID }: { readonly tournamentID: string; readonly gameID: string },
): { tournament: Tournament; fight: Fight } | undefined => {
  const tournament = findTournament(archive, tournamentID)
  const fight = tournament?.games.get(gameID)
  return tournament && fight?.isFight ? { tournament, fight } : undefined
}
