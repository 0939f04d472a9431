import { expect, test } from 'bun:test'
import { buildTournament } from '../../../src/data/league/build.ts'
import { fightClock } from '../../../src/derived/live/fightClock.ts'
import { present } from '../../present.ts'
import { fightRows, playersNamed, tournamentOf } from '../../rows.ts'

const start = 1_770_000_000
const fightOf = (
  ...[game, pauses = []]: [Parameters<typeof fightRows>[0], [number, number | null][]?]
) =>
  present(
    buildTournament(
      tournamentOf(
        { active: true },
        playersNamed('Axe', 'Bolt'),
        [fightRows({ countdown: 180, startTime: start, ...game }, 'p0', 'p1', null)],
        {
          pauses: pauses.map(([from, to], idx) => ({
            ...{ gameId: 'W-0', idx, startTime: start + from },
            stopTime: to === null ? null : start + to,
          })),
        },
      ),
    ).fights[0],
  )
const active = { state: 'active' } as const
const done = { state: 'done', timerDuration: null, stopTime: null, endTime: null } as const

test.each([
  ['runs from the start of the fight', fightOf(active), null, 50, 50, true],
  ['is not before it', fightOf(active), null, -5, 0, true],
  ['runs up to the end of the countdown', fightOf(active), null, 180, 180, true],
  ['stops there', fightOf(active), null, 181, 180, false],
  ['leaves pauses out', fightOf(active, [[10, 30]]), null, 50, 30, true],
  [
    'stops in a pause',
    fightOf(active, [
      [10, 30],
      [40, null],
    ]),
    40,
    90,
    20,
    false,
  ],
  [
    'stops with the fight',
    fightOf({ ...done, stopTime: start + 70 }, [[10, 30]]),
    null,
    900,
    50,
    false,
  ],
  [
    'is that of the event after the fight',
    fightOf({ ...done, timerDuration: 33 }),
    null,
    900,
    33,
    false,
  ],
  ['says nothing of a fight that is over without a time', fightOf(done), null, 900, 0, false],
  ['has not begun before the fight', fightOf({ state: 'called' }), null, 50, 0, false],
] as const)('the clock %s', (_, fight, paused, now, seconds, isRunning) => {
  const pausedUnix = paused === null ? null : start + paused
  expect(fightClock(fight, pausedUnix, start + now)).toEqual({ seconds, isRunning })
})
