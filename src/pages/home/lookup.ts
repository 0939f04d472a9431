import { findRecentFights } from '../../api/fights/lookup.ts'
import { fightsOf, findBots, findTeams } from '../../api/search/lookup.ts'
import type { Bot } from '../../careers/bots.ts'
import type { Team } from '../../careers/teams.ts'
import type { Timed, TrackedArchive } from '../../http/trackedArchive.ts'
import type { Clip, Dataset, Fight, Tournament } from '../../league/types.ts'
import { searchTournaments } from '../../search/tournamentSearch.ts'
import type { CageNow } from '../cages.ts'
import { findCages } from '../live/lookup.ts'
import { type Occasion, occasionsOf, startOf, underWayUntil } from '../occasions.ts'
import type { Viewing } from '../site.ts'
import { relative } from '../times.ts'

const maxBots = 10
const maxTournaments = 5
const maxFights = 10
const maxTeams = 5
/** Some of them are not named without outcomes. */
const recentFights = 12
const newestClips = 4

/** Results of a search, best first. */
export interface Results {
  readonly query: string
  readonly bots: readonly Bot[]
  readonly tournaments: readonly Tournament[]
  readonly teams: readonly Team[]
  readonly fights: readonly Fight[]
}

export const findResults = (
  { bots, botSearch, tournamentSearch, dataset }: TrackedArchive,
  query: string,
): Results => {
  const { found, meeting } = findBots(botSearch, query, maxBots)
  return {
    query,
    bots: found.map(({ bot }) => bot),
    tournaments: searchTournaments(tournamentSearch, dataset, query, maxTournaments).map(
      ({ tournament }) => tournament,
    ),
    teams: findTeams(bots, query, maxTeams),
    fights: fightsOf(meeting, maxFights),
  }
}

/** An event with its start, absolute and relative to now; without tournaments if there is no event. */
export interface Dated {
  readonly occasion: Occasion
  readonly startUnix: number
  readonly relative: string
}

/** What the start page shows of the league. */
export interface Start {
  readonly cages: readonly CageNow[]
  /** The event under way, else the last one. */
  readonly current: Dated
  readonly isUnderWay: boolean
  /** The next one that is scheduled. */
  readonly next: Dated
  readonly fights: readonly Fight[]
  readonly clips: readonly Clip[]
}

const dated = (occasion: Occasion, now: number): Timed<Dated> => {
  const startUnix = Math.min(...occasion.map(startOf))
  if (occasion.length === 0)
    return { value: { occasion, startUnix, relative: '' }, validUntil: startUnix }
  const { value, validUntil } = relative(startUnix, now)
  return { value: { occasion, startUnix, relative: value }, validUntil }
}

const isPast = (occasion: Occasion): boolean =>
  occasion.some(({ completedFights }) => completedFights > 0)

/** The event under way or the last one, and the next one; valid until one begins, or has been left. */
const findEvents = (
  { tournaments }: Dataset,
  now: number,
): Timed<Pick<Start, 'current' | 'next' | 'isUnderWay'>> => {
  const occasions = occasionsOf(tournaments)
  const until = (occasion: Occasion): number => Math.max(...occasion.map(underWayUntil))
  const active = occasions.find((each) => until(each) > now)
  const next = dated(
    occasions.findLast((each) => each !== active && each.every((one) => startOf(one) > now)) ?? [],
    now,
  )
  const current = dated(active ?? occasions.find(isPast) ?? [], now)
  return {
    value: { current: current.value, next: next.value, isUnderWay: active !== undefined },
    validUntil: Math.min(
      active ? until(active) : Number.POSITIVE_INFINITY,
      current.validUntil,
      next.validUntil,
      next.value.startUnix,
    ),
  }
}

export const findStart = (archive: TrackedArchive, viewing: Viewing): Start => {
  const { dataset, clips } = archive
  return {
    cages: findCages(archive, viewing),
    ...archive.timed((now) => findEvents(dataset, now)),
    fights: findRecentFights(archive, recentFights),
    clips: clips.newestFirst.slice(0, newestClips),
  }
}
