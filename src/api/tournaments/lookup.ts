import type { Fight, Tournament } from '../../data/league/types.ts'
import type { Data, Lookup } from '../../http/trackedArchive.ts'

const tournamentWithID = ({ dataset }: Data, id: string) => dataset.tournamentsByID.get(id)

export const findTournament = ({ lookup }: Lookup, tournamentID: string): Tournament | undefined =>
  lookup(tournamentWithID, tournamentID)

export const findFight = (
  archive: Lookup,
  { tournamentID, gameID }: { readonly tournamentID: string; readonly gameID: string },
): { tournament: Tournament; fight: Fight } | undefined => {
  const tournament = findTournament(archive, tournamentID)
  const fight = tournament?.games.get(gameID)
  return tournament && fight?.isFight ? { tournament, fight } : undefined
}
