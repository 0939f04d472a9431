import { type Static, Type } from '@sinclair/typebox'
import { cageStatuses, gameProgress } from '../../data/source/rows.ts'
import {
  chanceFields,
  closed,
  count,
  flag,
  listOf,
  literals,
  named,
  orNull,
  timestamp,
  total,
} from '../fields.ts'
import { expectationFields, FightSummary } from '../fights/schema.ts'

const ScheduleStatus = literals(
  ['In Cage', 'Load In', 'Called', 'Available', 'Starting Soon', 'Delayed'],
  {
    title: 'ScheduleStatus',
    description:
      'In Cage: under way; Load In: on the way into the cage; Called: players are called; ' +
      'Delayed: on hold or overdue; Starting Soon: within 30 minutes; Available: all others',
  },
)

const CornerState = orNull(
  closed({
    name: Type.String(),
    cleanName: Type.String(),
    isReady: flag('1 when ready to fight'),
    tapped: flag('1 when it tapped out'),
  }),
  'null while there is no match',
  { title: 'CageCorner' },
)

const cageMatch = closed({
  ...FightSummary.properties,
  ...expectationFields,
  state: literals(gameProgress),
  ...chanceFields,
})

export const CageState = named('CageState', {
  cage: Type.String({ description: 'such as Cage 1' }),
  cageNumber: Type.Integer(),
  status: literals(cageStatuses),
  match: orNull(cageMatch, 'the current or last fight in the cage; null without one', {
    title: 'CageMatch',
  }),
  player1: CornerState,
  player2: CornerState,
  startTime: timestamp('start of the match'),
  stopTime: timestamp('end of the fighting'),
  matchTime: total('seconds fought, pauses left out'),
  pausedSince: timestamp('start of the current pause'),
  queue: listOf('fights waiting for this cage, next one first', {
    tournamentID: Type.String(),
    gameID: Type.String(),
    name: Type.String({ description: 'printed label' }),
    player1: Type.String(),
    player2: Type.String(),
    status: ScheduleStatus,
    ...expectationFields,
  }),
  updatedTime: timestamp('last change'),
})
export type CageState = Static<typeof CageState>

/** A fight under way or to come. */
export const ScheduledMatch = named('ScheduledMatch', {
  ...FightSummary.properties,
  ...expectationFields,
  status: ScheduleStatus,
  scheduledTime: timestamp('scheduled start'),
  calledSince: timestamp('when the players were called'),
  availableSince: timestamp('when both robots were known and free'),
  ...chanceFields,
})
export type ScheduledMatch = Static<typeof ScheduledMatch>

export const StandardCages = named('StandardCages', {
  cage1: CageState,
  cage2: CageState,
  cage4: CageState,
  cage5: CageState,
  cage6: CageState,
})
export type StandardCages = Static<typeof StandardCages>

/** All cages, keyed by `cage` and their number. */
export const CageStates = Type.Object(StandardCages.properties, {
  title: 'CageStates',
  additionalProperties: CageState,
  description: 'cages 1, 2, 4, 5 and 6, and all others of the league, such as cage3',
})
export type CageStates = StandardCages & Readonly<Record<string, CageState>>

export const CagesBody = named('CagesBody', { cages: CageStates })
export const CageBody = named('CageBody', { cage: CageState })
export const Schedule = named('Schedule', {
  matches: Type.Array(ScheduledMatch),
  count,
})
export type Schedule = Static<typeof Schedule>
