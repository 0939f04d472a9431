import type { Corner, Fight, Game, Tournament } from '../league/types.ts'

const hasQualifying = ({ brackets }: Tournament): boolean =>
  brackets.some(({ isExhibition, games }) => isExhibition && games.length > 0)

/**
 * Whether who is in a corner follows from the outcome of another fight: that feeds it, or it is in a bracket
 * that bots qualified for.
 */
export const followsFromOutcome = (
  tournament: Tournament,
  { round }: Pick<Game, 'round'>,
  { prevGameID }: Pick<Corner, 'prevGameID'>,
): boolean => prevGameID !== null || (round >= 0 && hasQualifying(tournament))

/** Whether neither corner of a fight follows from an outcome. */
export const isDrawn = (tournament: Tournament, fight: Fight): boolean =>
  !followsFromOutcome(tournament, fight, fight.red) &&
  !followsFromOutcome(tournament, fight, fight.blue)
