import type { TournamentChange } from '../data/league/merge.ts'
import type { Dataset } from '../data/league/types.ts'
import type { Steps } from '../runtime/timeSlice.ts'
import { type Bots, botSteps, updateBots } from './careers/bots.ts'
import { measureLeague } from './live/expected.ts'
import { buildClips, type Clips, keepsClips } from './media/clips.ts'
import { keepsStills, type Stills, stillSteps } from './media/stills.ts'
import { type Ratings, ratingSteps, updateRatings } from './ratings/ratings.ts'
import { type BotSearch, searchSteps, updateSearch } from './search/botIndex.ts'
import { type TournamentSearch, tournamentSearchSteps } from './search/tournamentSearch.ts'

/** Everything derived from the tournaments of a league. Unchanged values are shared with the version before. */
export interface Derived {
  readonly bots: Bots
  readonly clips: Clips
  readonly stills: Stills
  /** Ratings of the league; undefined if they are turned off. */
  readonly ratings: Ratings | undefined
  readonly tournamentSearch: TournamentSearch
  readonly botSearch: BotSearch
}

/** The version before, and how the dataset differs from its own. */
interface Previous {
  readonly derived: Derived
  readonly change: TournamentChange
}

/** More than half of the tournaments: a build is faster than an update. */
const isLarge = ({ added }: TournamentChange, { tournaments }: Dataset): boolean =>
  added.length > tournaments.length / 2

/**
 * Derives everything, each value in its own steps. Careers, ratings and the index of bots are updated from the version
 * before; values that take only some milliseconds are rebuilt.
 */
export function* deriveSteps(
  dataset: Dataset,
  hasRatings: boolean,
  previous?: Previous,
): Steps<Derived> {
  const { tournaments, fights } = dataset
  const { derived: before, change } = previous ?? {}
  const bots =
    before && change && !isLarge(change, dataset)
      ? yield* updateBots(before.bots, change.removed, change.added)
      : yield* botSteps(tournaments)
  const clips = before && change && keepsClips(change) ? before.clips : buildClips(tournaments)
  yield
  const stills =
    before && change && keepsStills(change) ? before.stills : yield* stillSteps(tournaments)
  let ratings: Ratings | undefined
  if (hasRatings) {
    ratings = before?.ratings
      ? yield* updateRatings(before.ratings, dataset, bots)
      : yield* ratingSteps(dataset, bots)
  }
  const tournamentSearch = yield* tournamentSearchSteps(dataset)
  const { leagueWords, idsByWord } = tournamentSearch
  const newestUnix = fights.find(({ isCompleted }) => isCompleted)?.finishUnix ?? 0
  const context = { newestUnix, leagueWords, idsByWord }
  const botSearch = before
    ? yield* updateSearch(before.botSearch, bots, context)
    : yield* searchSteps(bots, context)
  yield* measureLeague(dataset)
  return { bots, clips, stills, ratings, tournamentSearch, botSearch }
}
