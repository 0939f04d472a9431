import type { Archive } from '../../archive.ts'
import { findMeeting, type Meeting } from '../../derived/meetings.ts'
import { type BotSearch, buildSearch, type Found, searchBots } from '../../derived/search.ts'
import { createTournamentSearch, type TournamentSearch } from '../../derived/tournamentSearch.ts'

const mostBots = 10

/** The indexes behind every search; each follows the archive when it is asked. */
export interface Search {
  readonly botSearch: BotSearch
  readonly tournamentSearch: TournamentSearch
}

export const createSearch = (): Search => ({
  botSearch: buildSearch([]),
  tournamentSearch: createTournamentSearch(),
})

/**
 * The bots that a text means as a whole and the two that it names if it names two, best first, at
 * most ten; and the meeting of those two.
 */
export const findBots = (
  { botSearch }: Search,
  { bots }: Archive,
  text: string,
): { found: readonly Found[]; meeting: Meeting | undefined } => {
  const meeting = findMeeting(botSearch, bots, text)
  const whole = searchBots(botSearch, bots, text, mostBots)
  const known = new Set(whole.map(({ bot }) => bot))
  const others = meeting?.bots.filter(({ bot }) => !known.has(bot)) ?? []
  const found = [...whole, ...others].sort((a, b) => b.score - a.score).slice(0, mostBots)
  return { found, meeting }
}
