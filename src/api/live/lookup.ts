import type { Cage, Cages, Fight, Tournament } from '../../data/league/types.ts'
import type { Bot } from '../../derived/careers/bots.ts'
import { type ExpectedStarts, expectedAt, nothingExpected } from '../../derived/live/expected.ts'
import { type NextGame, nextGames, type Rounds, roundsAt } from '../../derived/live/rounds.ts'
import { buildSchedule, buildUpcoming, type Scheduled } from '../../derived/live/schedule.ts'
import type { Derive, Lookup, TrackedArchive } from '../../http/trackedArchive.ts'
import { findChances } from '../ratings/lookup.ts'
import type { CageState, Schedule } from './schema.ts'
import { type ChanceOf, cageState, cagesValidUntil, scheduledMatch } from './view.ts'

type LiveData = Parameters<typeof buildSchedule>[0] & Pick<TrackedArchive, 'timed'>

/** View of the cages by their states, valid until one of them changes by itself. */
export const viewCages = <View>(
  archive: LiveData,
  view: (stateOf: (cage: Cage) => CageState) => View,
  chanceOf?: ChanceOf,
): View => {
  const { cages } = archive
  const hasWaiting = Object.values(cages).some(
    ({ fight, queue }: Cage) => fight?.state === 'pending' || queue.length > 0,
  )
  return archive.timed((now) => {
    const expected = hasWaiting ? expectedAt(archive, now) : nothingExpected
    return {
      value: view((cage) => cageState(cage, cages, now, expected, chanceOf)),
      validUntil: cagesValidUntil(cages, now, expected),
    }
  })
}

/** Expected starts of a tournament; nothing is read if no fight of it waits. */
export const findExpected = (archive: LiveData, { info, fights }: Tournament): ExpectedStarts => {
  if (!info.active || !fights.some(({ state }) => state === 'pending')) return nothingExpected
  return archive.timed((now) => {
    const value = expectedAt(archive, now)
    return { value, validUntil: value.validUntil }
  })
}

/** The rounds of a tournament; nothing is read if it has no games to come. */
export const findRounds = (archive: LiveData, tournament: Tournament): Rounds | undefined =>
  tournament.info.active && tournament.games.values().some(({ state }) => state !== 'done')
    ? archive.timed((now) => roundsAt(archive, tournament, now))
    : undefined

/** See {@link nextGames}, over the tournaments under way. */
export const findNextGames = (
  archive: LiveData,
  { cleanName, entries }: Bot,
): readonly NextGame[] =>
  entries.flatMap(({ tournament }) => {
    const rounds = findRounds(archive, tournament)
    return rounds ? nextGames(rounds, cleanName) : []
  })

/** Finds a cage by its decimal number without leading zeros. */
export const findCage = (cages: Cages, cageNumber: string): Cage | undefined =>
  /^[1-9]\d{0,3}$/.test(cageNumber) ? cages[`cage${Number(cageNumber)}`] : undefined

/** Scheduled fights, valid until a status changes. */
export const timedSchedule = (
  { timed }: Pick<TrackedArchive, 'timed'>,
  build: (now: number) => readonly Scheduled[],
): readonly Scheduled[] =>
  timed((now) => {
    const value = build(now)
    return { value, validUntil: Math.min(...value.map(({ validUntil }) => validUntil)) }
  })

/** Payload of the schedule with the wanted fights. */
export const findSchedule = (
  archive: LiveData & Lookup & Derive,
  isWanted: (fight: Fight) => boolean = () => true,
): Schedule => {
  const schedule = timedSchedule(archive, (now) => buildSchedule(archive, now))
  const chanceOf = findChances(archive)
  const found = schedule.filter(({ fight }) => isWanted(fight))
  return { matches: found.map((each) => scheduledMatch(each, chanceOf)), count: found.length }
}

/** Upcoming fights among the given ones, soonest first, see {@link buildUpcoming}. */
export const findUpcomingOf = (archive: LiveData, fights: readonly Fight[]): readonly Scheduled[] =>
  timedSchedule(archive, (now) => buildUpcoming(fights, archive, now))

/** Upcoming fights of a bot, soonest first. */
export const findUpcoming = (
  archive: LiveData,
  { cleanName, entries }: Bot,
): readonly Scheduled[] =>
  findUpcomingOf(
    archive,
    entries.flatMap(({ tournament }) =>
      tournament.fights.filter(({ red, blue }) =>
        [red, blue].some(({ player }) => player.cleanName === cleanName),
      ),
    ),
  )
