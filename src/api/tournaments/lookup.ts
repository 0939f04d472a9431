import type { Archive } from '../../archive/archive.ts'
import { dependsOnParts, type Exchange } from '../../http/exchange.ts'
import type { Fight, Tournament, TournamentInfo } from '../../league/types.ts'

interface Context {
  readonly archive: Archive
  readonly exchange: Exchange
}

/** Made anew whenever anything about the tournament changes. */
const infoOf = ({ dataset }: Archive, id: string): TournamentInfo | undefined =>
  dataset.tournamentsByID.get(id)?.info

/** Has the answer hold as long as the archive has this very tournament. */
export const dependsOn = ({ archive, exchange }: Context, { id }: TournamentInfo): void => {
  dependsOnParts(exchange, archive, [id], infoOf)
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
