import type { Data, Lookup } from '../../http/trackedArchive.ts'
import type { Fight, Tournament } from '../../league/types.ts'

const tournamentWithId = ({ dataset }: Data, id: string) => dataset.tournamentsByID.get(id)

export const findTournament = ({ lookup }: Lookup, tournamentId: string): Tournament | undefined =>
  lookup(tournamentWithId, tournamentId)

export const findFight = (
  archive: Lookup,
  { tournamentID, gameID }: { readonly tournamentID: string; readonly gameID: string },
): { tournament: Tournament; fight: Fight } | undefined => {
  const tournament = findTournament(archive, tournamentID)
  const fight = tournament?.games.get(gameID)
  return tournament && fight?.isFight ? { tournament, fight } : undefined
}
