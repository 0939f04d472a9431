import { asEntered } from '../../data/league/mistypedYears.ts'
import type { Cage, Cages, Corner, Fight } from '../../data/league/types.ts'
import { type ExpectedStarts, nothingExpected } from '../../derived/live/expected.ts'
import { fightClock } from '../../derived/live/fightClock.ts'
import { type Scheduled, scheduled } from '../../derived/live/schedule.ts'
import { toFlag, toTimestamp } from '../fields.ts'
import { expectation, fightSummary } from '../fights/view.ts'
import type { ChanceField } from '../ratings/lookup.ts'
import type { CageState, CageStates, ScheduledMatch, StandardCages } from './schema.ts'

const cornerState = (corner: Corner | undefined): CageState['player1'] =>
  corner?.player
    ? {
        name: corner.player.name,
        cleanName: corner.player.cleanName,
        isReady: toFlag(corner.isReady),
        tapped: toFlag(corner.tapped),
      }
    : null

/** The chance of a fight as a field of its payload. */
export type ChanceOf = (fight: Fight) => ChanceField
const withoutChance: ChanceOf = () => ({})

/** State of one cage at a time, in Unix seconds. */
export const cageState = (
  cage: Cage,
  cages: Cages,
  now: number,
  expected: ExpectedStarts = nothingExpected,
  chanceOf: ChanceOf = withoutChance,
): CageState => {
  const { number, status, fight, pausedUnix, updateUnix, queue } = cage
  return {
    cage: `Cage ${number}`,
    cageNumber: number,
    status,
    match: fight && {
      ...fightSummary(fight),
      cage: fight.cage ?? `Cage ${number}`,
      ...expectation(fight, expected.fights.get(fight)),
      state: fight.state,
      ...chanceOf(fight),
    },
    player1: cornerState(fight?.red),
    player2: cornerState(fight?.blue),
    startTime: toTimestamp(fight ? asEntered(fight).startUnix : null),
    stopTime: toTimestamp(fight ? asEntered(fight).stopUnix : null),
    matchTime: fight ? fightClock(fight, pausedUnix, now).seconds : 0,
    pausedSince: toTimestamp(pausedUnix),
    queue: queue.map((waiting) => ({
      tournamentID: waiting.tournament.id,
      gameID: waiting.id,
      name: waiting.name,
      player1: waiting.red.player.name,
      player2: waiting.blue.player.name,
      status: scheduled(waiting, cages, now, expected).status,
      ...expectation(waiting, expected.fights.get(waiting)),
    })),
    updatedTime: toTimestamp(updateUnix),
  }
}

/** Unix seconds until which the view of a cage is valid if the data does not change. */
const cageValidUntil = (
  { fight, pausedUnix, queue }: Cage,
  cages: Cages,
  now: number,
  expected: ExpectedStarts,
): number =>
  Math.min(
    expected.validUntil,
    fight && fightClock(fight, pausedUnix, now).isRunning ? now + 1 : Number.POSITIVE_INFINITY,
    ...queue.map((waiting) => scheduled(waiting, cages, now, expected).validUntil),
  )

type StateOf = (cage: Cage) => CageState

export const standardCages = (
  { cage1, cage2, cage4, cage5, cage6 }: Cages,
  stateOf: StateOf,
): StandardCages => ({
  cage1: stateOf(cage1),
  cage2: stateOf(cage2),
  cage4: stateOf(cage4),
  cage5: stateOf(cage5),
  cage6: stateOf(cage6),
})

export const cageStates = (cages: Cages, stateOf: StateOf): CageStates => ({
  ...Object.fromEntries(Object.entries(cages).map(([name, cage]) => [name, stateOf(cage)])),
  ...standardCages(cages, stateOf),
})

/** Unix seconds until which the view of all cages is valid if the data does not change. */
export const cagesValidUntil = (cages: Cages, now: number, expected: ExpectedStarts): number =>
  Math.min(...Object.values(cages).map((cage) => cageValidUntil(cage, cages, now, expected)))

export const scheduledMatch = (
  { fight, cage, status, expected }: Scheduled,
  chanceOf: ChanceOf,
): ScheduledMatch => ({
  ...fightSummary(fight),
  cage: cage ?? '',
  status,
  scheduledTime: toTimestamp(asEntered(fight).scheduledUnix),
  calledSince: toTimestamp(fight.calledUnix),
  availableSince: toTimestamp(fight.availableUnix),
  ...expectation(fight, expected),
  ...chanceOf(fight),
})
