import type { Bot } from '../careers/bots.ts'
import { compareTexts } from '../compareTexts.ts'
import type { Cages, Dataset, Fight } from '../league/types.ts'

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

const soonSeconds = 30 * 60

/** The status by cages and by the fight itself; undefined where its scheduled time decides. */
const settledStatus = (fight: Fight, cages: Cages): ScheduleStatus | undefined => {
  if (fight.state === 'active') return 'In Cage'
  const isAssigned = Object.values(cages).some(
    (cage) => cage.status === 'assigned' && cage.fight === fight,
  )
  if (isAssigned) return 'Load In'
  if (fight.waitsAs === 'called') return 'Called'
  return fight.waitsAs === 'hold' ? 'Delayed' : undefined
}

/** Name of the cage of a fight that is not done, else of the one in whose queue it waits; null when unknown. */
const cageOf = (fight: Fight, cages: Cages): string | null => {
  const cage = Object.values(cages).find(
    (cage) => cage.fight === fight || cage.queue.includes(fight),
  )
  return fight.cage ?? (cage ? `Cage ${cage.number}` : null)
}

/** A fight with its status at some time. */
export interface Scheduled {
  readonly fight: Fight
  readonly status: ScheduleStatus
  /** Unix seconds at which the status changes without a change of the data. */
  readonly validUntil: number
}

/** A fight to come of one bot; `cage` is where it will be, null while unknown. */
export interface Upcoming extends Scheduled {
  readonly cage: string | null
}

/** The schedule entry of a fight that is not done; `now` in Unix seconds. */
export const scheduled = (fight: Fight, cages: Cages, now: number): Scheduled => {
  const forEver = Number.POSITIVE_INFINITY
  const status = settledStatus(fight, cages)
  if (status) return { fight, status, validUntil: forEver }
  const time = fight.scheduledUnix
  if (time === null) return { fight, status: 'Available', validUntil: forEver }
  if (now > time) return { fight, status: 'Delayed', validUntil: forEver }
  if (now >= time - soonSeconds) return { fight, status: 'Starting Soon', validUntil: time + 1 }
  return { fight, status: 'Available', validUntil: time - soonSeconds }
}

/** By scheduled time (those without one last), then cage, game id and tournament. */
export const compareSchedule = (a: Fight, b: Fight): number =>
  (a.scheduledUnix ?? Number.MAX_SAFE_INTEGER) - (b.scheduledUnix ?? Number.MAX_SAFE_INTEGER) ||
  compareTexts(a.cage ?? '', b.cage ?? '') ||
  compareTexts(a.id, b.id) ||
  compareTexts(a.tournament.id, b.tournament.id)

/** Fights of active tournaments, in progress or to come. */
export const buildSchedule = (
  { tournaments }: Dataset,
  cages: Cages,
  now: number,
): readonly Scheduled[] =>
  tournaments
    .filter(({ info }) => info.active)
    .flatMap(({ fights }) => fights.filter(({ state }) => state !== 'done'))
    .sort(compareSchedule)
    .map((fight) => scheduled(fight, cages, now))

const isNear = (status: ScheduleStatus): number =>
  status === 'In Cage' ? 0 : status === 'Load In' ? 1 : status === 'Called' ? 2 : 3

/**
 * Fights of one bot in progress or to come, soonest first: in the cage, on the way into it,
 * called, then by scheduled time. Of a tournament that is not active, only fights scheduled from now on
 * count: an open game of a finished one is never fought.
 */
export const buildUpcoming = (bot: Bot, cages: Cages, now: number): readonly Upcoming[] =>
  bot.entries
    .flatMap(({ tournament }) =>
      tournament.fights.filter(
        (fight) =>
          fight.state !== 'done' &&
          [fight.red, fight.blue].some(({ player }) => player.cleanName === bot.cleanName) &&
          (tournament.info.active || (fight.scheduledUnix ?? 0) >= now),
      ),
    )
    .map((fight) => upcoming(fight, cages, now))
    .sort((a, b) => isNear(a.status) - isNear(b.status) || compareSchedule(a.fight, b.fight))

/** A fight of an inactive tournament leaves the list once its scheduled time has passed. */
const upcoming = (fight: Fight, cages: Cages, now: number): Upcoming => {
  const found = { ...scheduled(fight, cages, now), cage: cageOf(fight, cages) }
  if (fight.tournament.active || fight.scheduledUnix === null) return found
  return { ...found, validUntil: Math.min(found.validUntil, fight.scheduledUnix + 1) }
}
