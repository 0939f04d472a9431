import type { Game } from '../../data/league/types.ts'

const brackets: Readonly<Record<string, string>> = { W: 'Winners', L: 'Losers', Q: 'Qualifying' }

/**
 * Name of a fight, such as `Winners Final` and `Quarterfinals, fight 2`; a round of one fight is named by the round
 * only. Without a round name, `W:2-4` is `Winners round 2, fight 4`; other labels stay. `Losers` is added if a losers'
 * round has a name without it.
 */
export const fightWords = ({ name, roundName }: Pick<Game, 'name' | 'roundName'>): string => {
  const [, bracket = '', round, fight] = /^(?:([WLQ]):?(\d*)|.*)-(\d+)$/.exec(name) ?? []
  const given = roundName || (round ? `${brackets[bracket]} round ${round}` : name)
  const words = bracket === 'L' && roundName && !/loser/i.test(given) ? `Losers, ${given}` : given
  return fight === undefined || words === name || /final( reset)?$/i.test(words)
    ? words
    : `${words}, fight ${Number(fight)}`
}
