import { findRecentFights } from '../../api/fights/lookup.ts'
import { fightsOf, findBots } from '../../api/search/lookup.ts'
import type { Bot } from '../../careers/bots.ts'
import type { Timed, TrackedArchive } from '../../http/trackedArchive.ts'
import type { Clip, Dataset, Fight, Still, Tournament } from '../../league/types.ts'
import { searchTournaments } from '../../search/tournamentSearch.ts'
import { findLive, type Live } from '../live/lookup.ts'
import type { Viewing } from '../site.ts'

const maxBots = 10
const maxTournaments = 5
const maxFights = 10
/** Some of them are not named without outcomes. */
const recentFights = 12
const newestClips = 4
const newestStills = 8

/** Results of a search, best first. */
export interface Results {
  readonly query: string
  readonly bots: readonly Bot[]
  readonly tournaments: readonly Tournament[]
  readonly fights: readonly Fight[]
}

export const findResults = (
  { botSearch, tournamentSearch, dataset }: TrackedArchive,
  query: string,
): Results => {
  const { found, meeting } = findBots(botSearch, query, maxBots)
  return {
    query,
    bots: found.map(({ bot }) => bot),
    tournaments: searchTournaments(tournamentSearch, dataset, query, maxTournaments).map(
      ({ tournament }) => tournament,
    ),
    fights: fightsOf(meeting, maxFights),
  }
}

/** What the start page shows of the league. */
export interface Start extends Live {
  /** The tournaments of the event under way, else of the last one, newest first. */
  readonly current: readonly Tournament[]
  /** Those of the next one that is scheduled, soonest first. */
  readonly next: readonly Tournament[]
  readonly fights: readonly Fight[]
  readonly clips: readonly Clip[]
  readonly stills: readonly Still[]
}

/** Tournaments that begin within this time of each other belong to one event. */
const eventSeconds = 36 * 3600

const startOf = ({ info }: Tournament): number => info.startUnix ?? info.scheduledStartUnix ?? 0

/** The event under way or the last one, and the next one; valid until one begins. */
const findEvents = (
  { tournaments }: Dataset,
  now: number,
): Timed<Pick<Start, 'current' | 'next'>> => {
  const [active, others] = [
    tournaments.filter(({ info }) => info.active),
    tournaments.filter(({ info }) => !info.active),
  ]
  const last = others.find((tournament) => tournament.completedFights > 0)
  const current =
    active.length > 0
      ? active
      : others.filter(
          (tournament) =>
            last &&
            tournament.completedFights > 0 &&
            Math.abs(startOf(tournament) - startOf(last)) < eventSeconds,
        )
  const coming = others
    .filter((tournament) => startOf(tournament) > now)
    .sort((a, b) => startOf(a) - startOf(b))
  const [first] = coming
  return {
    value: {
      current,
      next: coming.filter(
        (tournament) => first && startOf(tournament) - startOf(first) < eventSeconds,
      ),
    },
    validUntil: first ? startOf(first) : Number.POSITIVE_INFINITY,
  }
}

export const findStart = (archive: TrackedArchive, viewing: Viewing): Start => {
  const { dataset, clips, stills } = archive
  return {
    ...findLive(archive, viewing),
    ...archive.timed((now) => findEvents(dataset, now)),
    fights: findRecentFights(archive, recentFights),
    clips: clips.newestFirst.slice(0, newestClips),
    stills: stills.newestFirst.slice(0, newestStills),
  }
}
