import { type Static, Type } from '@sinclair/typebox'
import { closed, flag, named, timestamp } from '../fields.ts'
import { FightSummary } from '../fights/schema.ts'

const ScheduleStatus = Type.Union(
  [
    Type.Literal('In Cage'),
    Type.Literal('Load In'),
    Type.Literal('Called'),
    Type.Literal('Available'),
    Type.Literal('Starting Soon'),
    Type.Literal('Delayed'),
  ],
  {
    title: 'ScheduleStatus',
    description:
      'In Cage: under way; Load In: on the way into the cage; Called: players are called; ' +
      'Delayed: on hold or overdue; Starting Soon: within 30 minutes; Available: all others',
  },
)

const CornerState = Type.Union(
  [
    Type.Object(
      {
        name: Type.String(),
        cleanName: Type.String(),
        isReady: flag('1 when ready to fight'),
        tapped: flag('1 when it tapped out'),
      },
      closed,
    ),
    Type.Null(),
  ],
  { title: 'CageCorner', description: 'null while there is no match' },
)

const cageMatch = Type.Object(
  {
    ...FightSummary.properties,
    state: Type.Union([Type.Literal('pending'), Type.Literal('active'), Type.Literal('done')]),
  },
  closed,
)

/** State of one cage. */
export const CageState = Type.Object(
  {
    cage: Type.String({ description: 'such as Cage 1' }),
    cageNumber: Type.Integer(),
    status: Type.Union([
      Type.Literal('idle'),
      Type.Literal('assigned'),
      Type.Literal('active'),
      Type.Literal('paused'),
      Type.Literal('completed'),
    ]),
    match: Type.Union([cageMatch, Type.Null()], {
      title: 'CageMatch',
      description: 'the current or last fight in the cage; null without one',
    }),
    player1: CornerState,
    player2: CornerState,
    startTime: timestamp('start of the match'),
    stopTime: timestamp('end of the fighting'),
    matchTime: Type.Integer({ minimum: 0, description: 'seconds fought, pauses left out' }),
    pausedSince: timestamp('start of the current pause'),
    queue: Type.Array(
      Type.Object(
        {
          tournamentID: Type.String(),
          gameID: Type.String(),
          name: Type.String({ description: 'printed label' }),
          player1: Type.String(),
          player2: Type.String(),
          status: ScheduleStatus,
        },
        closed,
      ),
      { description: 'fights waiting for this cage, next one first' },
    ),
    updatedTime: timestamp('last change'),
  },
  named('CageState'),
)
export type CageState = Static<typeof CageState>

/** A fight under way or to come. */
export const ScheduledMatch = Type.Object(
  {
    ...FightSummary.properties,
    status: ScheduleStatus,
    scheduledTime: timestamp('scheduled start'),
    calledSince: timestamp('when the players were called'),
    availableSince: timestamp('when both robots were known and free'),
  },
  named('ScheduledMatch'),
)
export type ScheduledMatch = Static<typeof ScheduledMatch>

/** Cages that every league has. */
export const StandardCages = Type.Object(
  { cage1: CageState, cage2: CageState, cage4: CageState, cage5: CageState, cage6: CageState },
  named('StandardCages'),
)
export type StandardCages = Static<typeof StandardCages>

/** All cages, by `cage` and the number. */
export const CageStates = Type.Object(StandardCages.properties, {
  title: 'CageStates',
  additionalProperties: CageState,
  description: 'cages 1, 2, 4, 5 and 6, and all others of the league, such as cage3',
})
export type CageStates = StandardCages & Readonly<Record<string, CageState>>

export const CagesBody = Type.Object({ cages: CageStates }, named('CagesBody'))
export const CageBody = Type.Object({ cage: CageState }, named('CageBody'))
export const Schedule = Type.Object(
  { matches: Type.Array(ScheduledMatch), count: Type.Integer({ minimum: 0 }) },
  named('Schedule'),
)
