import type { Game } from '../../data/league/types.ts'

const brackets: Readonly<Record<string, string>> = { W: 'Winners', L: 'Losers', Q: 'Qualifying' }

/**
 * The name of a fight, such as `Winners Final` and `Quarterfinals, fight 2`: a round of one fight by its name alone. Without a name
 * of the round `W:2-4` is `Winners round 2, fight 4`; other labels are as they are. Rounds of the losers' bracket can be named as others.
 */
export const fightWords = ({ name, roundName }: Pick<Game, 'name' | 'roundName'>): string => {
  const [, bracket = '', round, fight] = /^(?:([WLQ]):?(\d*)|.*)-(\d+)$/.exec(name) ?? []
  const given = roundName || (round ? `${brackets[bracket]} round ${round}` : name)
  const words = bracket === 'L' && roundName && !/loser/i.test(given) ? `Losers, ${given}` : given
  return fight === undefined || words === name || /final( reset)?$/i.test(words)
    ? words
    : `${words}, fight ${Number(fight)}`
}
