import type { Archive } from '../../archive.ts'
import type { Fight, Tournament, TournamentInfo } from '../../dataset/types.ts'
import { dependsOnPart, type Exchange } from '../../http/exchange.ts'

interface Context {
  readonly archive: Archive
  readonly exchange: Exchange
}

/** Has the answer hold as long as the archive has this very tournament. */
export const dependsOn = ({ archive, exchange }: Context, info: TournamentInfo): void => {
  dependsOnPart(
    exchange,
    archive,
    ({ dataset }) => dataset.tournamentsByID.get(info.id)?.info === info,
  )
}

/** The tournament with this id. The answer then depends on it alone. */
export const findTournament = (
  { archive, exchange }: Context,
  tournamentID: string,
): Tournament | undefined => {
  const tournament = archive.dataset.tournamentsByID.get(tournamentID)
  if (tournament) dependsOn({ archive, exchange }, tournament.info)
  return tournament
}

/** The fight with this id, and its tournament, on which alone the answer then depends. */
export const findFight = (
  context: Context,
  { tournamentID, gameID }: { readonly tournamentID: string; readonly gameID: string },
): { tournament: Tournament; fight: Fight } | undefined => {
  const tournament = findTournament(context, tournamentID)
  const fight = tournament?.games.get(gameID)
  return tournament && fight?.isFight ? { tournament, fight } : undefined
}
