import { counted } from '../../api/counted.ts'
import { fightWords } from '../../api/fights/words.ts'
import { timedSchedule } from '../../api/live/lookup.ts'
import type { CageState } from '../../api/live/schema.ts'
import type { Fight, TournamentInfo } from '../../data/league/types.ts'
import { expectedAt } from '../../derived/live/expected.ts'
import type { NextGame } from '../../derived/live/rounds.ts'
import { type Scheduled, type ScheduleStatus, scheduled } from '../../derived/live/schedule.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import { remark } from './elements.ts'
import { fightRows, untimed } from './fights.ts'
import { type Html, html, type Part } from './html.ts'
import type { Viewing } from './site.ts'

/** A wait such as `in about 25 min`. */
const leadText = (seconds: number): string => {
  const minutes = Math.round(seconds / 60)
  if (minutes < 2) return 'any moment'
  if (minutes < 10) return `in about ${minutes} min`
  const rounded = 5 * Math.round(minutes / 5)
  if (rounded < 90) return `in about ${rounded} min`
  return `in about ${Math.round(rounded / 60)} hours`
}

/**
 * Expected start of a waiting fight, such as `in about 25 min, 14:05 to 14:25 EDT, 2 fights before it`; nothing while
 * its planned time is not past.
 */
export const expectedNote = ({ times }: Viewing, { expected, fight, status }: Scheduled): Part => {
  if (!expected) return undefined
  const { at, cage, ahead, isPaused } = expected
  if (isPaused) return cage === null ? 'all cages have a break' : 'its cage has a break'
  if (!at)
    return (fight.scheduledUnix === null || status === 'Delayed') && 'no start can be estimated yet'
  const { inSeconds, from, to } = at
  const before = ahead === 0 ? 'next in its cage' : `${counted(ahead, 'fight')} before it`
  return html`${leadText(inSeconds)}, ${times.clock(from)} to ${times.clock(to, true)}${cage !== null && `, ${before}`}`
}

const statusNames: Readonly<Record<ScheduleStatus, string>> = {
  'In Cage': 'In the cage',
  'Load In': 'Loading in',
  Called: 'Called',
  Delayed: 'Delayed',
  'Starting Soon': 'Starting soon',
  Available: 'Waiting',
}

/** Fights that are not done as they are at the time of the request. */
export const scheduledNow = (
  archive: TrackedArchive,
  fights: readonly Fight[],
): readonly Scheduled[] =>
  timedSchedule(archive, (now) =>
    fights.map((fight) => scheduled(fight, archive.cages, now, expectedAt(archive, now))),
  )

/** True if the planned time is no start to expect. */
const pastPlan: readonly ScheduleStatus[] = ['Called', 'Load In', 'Delayed']

/** Delay of a fight, such as `Loading in` and `Delayed`. */
export const statusWords = ({ isPaused, status }: Scheduled): string =>
  isPaused ? 'Paused' : statusNames[status]

/** Text for a fight whose planned time is past. */
export const lateNote = ({ since }: Viewing, { state, scheduledUnix }: Fight): Part => {
  const late = state === 'pending' && scheduledUnix !== null && since(scheduledUnix)
  return late && `should have begun ${late}`
}

/**
 * Waiting fights and fights in a cage as rows: when, where, and how far they are. The time is the expected start if
 * there is one, else the planned one, with its day unless that is known: by default the day on which the event began.
 */
export const waitingRows = (
  viewing: Viewing,
  fights: readonly Scheduled[],
  notesOf: (waiting: Scheduled) => readonly Part[] = (waiting) => [expectedNote(viewing, waiting)],
  knownDay: (event: TournamentInfo) => number | null = ({ startUnix }) => startUnix,
): Part => {
  const { clock, day, dayKey } = viewing.times
  /** Start, else planned time. */
  const plan = ({ fight, status }: Scheduled): Part => {
    const unix = fight.startUnix ?? fight.scheduledUnix
    if (unix === null) return untimed
    const known = knownDay(fight.tournament)
    const isKnown = known !== null && dayKey(unix) === dayKey(known)
    const isPast = pastPlan.includes(status)
    return html`${!isKnown && html`${day(unix)} `}${clock(unix)}${isPast && html` <small>planned</small>`}`
  }
  return fightRows(
    viewing,
    fights.map((waiting) => {
      const { fight, status, cage, expected } = waiting
      return {
        fight,
        when: html`${expected?.at ? html`≈${clock(expected.at.start)}` : plan(waiting)} <small>${cage ?? (status === 'Delayed' && 'no cage yet')}</small>`,
        notes: [fightWords(fight), lateNote(viewing, fight), ...notesOf(waiting)],
        state: statusWords(waiting),
      }
    }),
  )
}

/** True if results are hidden, and no coming fight is one that the draw named. */
export const untold = 'Fights to come would tell results.'

const afterTexts = {
  winner: 'Then, if it wins: ',
  loser: 'Then, if it loses: ',
  either: 'Then perhaps: ',
} as const
/** Maximum number of named games. */
const maxNames = 4

/**
 * Text on the next games, such as `Then, if it wins: Final v the winner of Semifinals, fight 2 (A or B), not before
 * 15:10`.
 */
export const nextNote = (
  { times }: Viewing,
  { game, after, opponents = [], opponentFeed, notBefore }: NextGame,
): Html => {
  const names = opponents.length > maxNames ? '' : opponents.map(({ name }) => name).join(' or ')
  const isOpen = opponentFeed && opponents.length !== 1
  const who = opponentFeed?.takes === 'either' ? 'one' : `the ${opponentFeed?.takes}`
  const from = isOpen ? `${who} of ${fightWords(opponentFeed.source)}` : names
  const opponent = isOpen && names ? `${from} (${names})` : from
  return remark(
    html`${after ? afterTexts[after.takes] : 'Waits in '}${fightWords(game)}${opponent && ` v ${opponent}`}${notBefore !== null && html`, not before ${times.clock(notBefore)}`}`,
  )
}

/** Expected start of a fight in the queue of a cage, such as `≈14:05`; undefined if nothing can be said. */
export const queueTime = (
  { times }: Viewing,
  { queue }: CageState,
  { id, tournament }: Fight,
): Html | undefined => {
  const found = queue.find(
    ({ gameID, tournamentID }) => gameID === id && tournamentID === tournament.id,
  )
  if (found?.paused) return html`break`
  return found?.expectedStart ? html`≈${times.clock(found.expectedStart)}` : undefined
}
