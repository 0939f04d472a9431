import type { Cage, Cages, Fight } from '../../data/league/types.ts'
import { compareTexts } from '../../runtime/compareTexts.ts'
import { type Expected, type ExpectedStarts, expectedAt } from './expected.ts'

/**
 * Status of a fight that is not done; the first that applies:
 *
 * - `In Cage`: in progress.
 * - `Load In`: assigned to a cage, the robots are being loaded in.
 * - `Called`: the players are called.
 * - `Delayed`: on hold, or its scheduled time has passed.
 * - `Starting Soon`: scheduled within the next 30 minutes.
 * - `Available`: otherwise.
 */
export type ScheduleStatus =
  | 'In Cage'
  | 'Load In'
  | 'Called'
  | 'Available'
  | 'Starting Soon'
  | 'Delayed'

/** Parts of an archive with the times of fights; the first is read only for waiting fights. */
type LiveData = Parameters<typeof expectedAt>[0]

const soonSeconds = 30 * 60

/** A fight that is not done, with its status at some time. */
export interface Scheduled {
  readonly fight: Fight
  readonly status: ScheduleStatus
  /** Name of the cage that it is in or waits for; null while unknown. */
  readonly cage: string | null
  /** True if it is in progress with its clock stopped. */
  readonly isPaused: boolean
  /** Expected start; undefined unless the fight waits in an active tournament. */
  readonly expected: Expected | undefined
  /** Unix seconds until which it is valid without a change of the data. */
  readonly validUntil: number
}

type Status = Pick<Scheduled, 'status' | 'validUntil'>

/** Status in a cage or by the fight's own state, else by its scheduled time. */
const statusOf = (fight: Fight, cage: Cage | undefined, now: number): Status => {
  const always = (status: ScheduleStatus): Status => ({
    status,
    validUntil: Number.POSITIVE_INFINITY,
  })
  if (fight.state === 'active') return always('In Cage')
  if (cage?.status === 'assigned' && cage.fight === fight) return always('Load In')
  if (fight.waitsAs === 'called') return always('Called')
  const time = fight.scheduledUnix
  if (fight.waitsAs === 'hold' || (time !== null && now > time)) return always('Delayed')
  if (time === null) return always('Available')
  return now >= time - soonSeconds
    ? { status: 'Starting Soon', validUntil: time + 1 }
    : { status: 'Available', validUntil: time - soonSeconds }
}

/** The schedule entry of a fight that is not done; `now` in Unix seconds. */
export const scheduled = (
  fight: Fight,
  cages: Cages,
  now: number,
  starts: ExpectedStarts,
): Scheduled => {
  const all = Object.values(cages)
  const cage =
    all.find((each) => each.fight === fight) ?? all.find(({ queued }) => queued.has(fight))
  const { status, validUntil } = statusOf(fight, cage, now)
  const expected = starts.fights.get(fight)
  return {
    fight,
    status,
    expected,
    validUntil: expected ? Math.min(validUntil, starts.validUntil) : validUntil,
    cage: fight.cage ?? (cage ? `Cage ${cage.number}` : null),
    isPaused: cage?.status === 'paused' && cage.fight === fight,
  }
}

/** Sorted by scheduled time (missing times last), then cage, game id and tournament. */
const compareSchedule = ({ fight: a, cage }: Scheduled, { fight: b, cage: other }: Scheduled) =>
  (a.scheduledUnix ?? Number.MAX_SAFE_INTEGER) - (b.scheduledUnix ?? Number.MAX_SAFE_INTEGER) ||
  compareTexts(cage ?? '', other ?? '') ||
  compareTexts(a.id, b.id) ||
  compareTexts(a.tournament.id, b.tournament.id)

/** Fights of active tournaments, in progress or to come. */
export const buildSchedule = (archive: LiveData, now: number): readonly Scheduled[] => {
  const { dataset, cages } = archive
  const expected = expectedAt(archive, now)
  return dataset.tournaments
    .filter(({ info }) => info.active)
    .flatMap(({ fights }) => fights.filter(({ state }) => state !== 'done'))
    .map((fight) => scheduled(fight, cages, now, expected))
    .sort(compareSchedule)
}

const near: readonly ScheduleStatus[] = ['Called', 'Load In', 'In Cage']

/** True if a fight is in a cage or called to one. */
export const isNear = ({ status }: Scheduled): boolean => near.includes(status)

/** Actual start, else expected start, else planned start. */
export const startOf = ({ fight, expected }: Scheduled): number =>
  fight.startUnix ?? expected?.at?.start ?? fight.scheduledUnix ?? Number.MAX_SAFE_INTEGER

/** Order of fights, soonest first: in the cage, on the way into it, called, then by {@link startOf}. */
export const compareWaiting = (a: Scheduled, b: Scheduled): number =>
  near.indexOf(b.status) - near.indexOf(a.status) ||
  startOf(a) - startOf(b) ||
  compareSchedule(a, b)

/**
 * The fights that are in progress or upcoming, soonest first. If a tournament is not active, only its fights
 * scheduled from now on count: an open game of a finished one is never fought.
 */
export const buildUpcoming = (
  fights: readonly Fight[],
  archive: LiveData,
  now: number,
): readonly Scheduled[] => {
  const open = fights.filter(
    ({ state, tournament, scheduledUnix }) =>
      state !== 'done' && (tournament.active || (scheduledUnix ?? 0) >= now),
  )
  if (open.length === 0) return []
  const expected = expectedAt(archive, now)
  return open.map((fight) => upcoming(fight, archive.cages, now, expected)).sort(compareWaiting)
}

/** A fight of an inactive tournament leaves the list once its scheduled time has passed. */
const upcoming = (...[fight, ...rest]: Parameters<typeof scheduled>): Scheduled => {
  const found = scheduled(fight, ...rest)
  if (fight.tournament.active || fight.scheduledUnix === null) return found
  return { ...found, validUntil: Math.min(found.validUntil, fight.scheduledUnix + 1) }
}
