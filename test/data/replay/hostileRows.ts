import fc from 'fast-check'
import { clipRow, gameRow, recordingRow, slotRow, tournamentOf } from '../../rows.ts'

const start = 1_770_000_000
/** Capture time of the rows. */
export const capturedAt = start + 100_000
const players = ['a', 'b', 'c', 'd'].map((id) => ({ id }))

const time = fc.option(fc.integer({ min: start - 1000, max: start + 120_000 }), {
  nil: null,
  freq: 3,
})
const ids = ['W-0', 'W-1', 'W-2', 'EX-0', 'EX-1']
/** Rows that fit their schemas, but not each other. */
export const hostileRows = fc
  .record({
    games: fc.tuple(
      ...ids.map((id) =>
        fc.record({
          state: fc.constantFrom(
            'unavailable' as const,
            'available' as const,
            'called' as const,
            'hold' as const,
            'active' as const,
            'done' as const,
            'done' as const,
            'done' as const,
          ),
          roundIdx: fc.constantFrom(0, 0, 1),
          notice: fc.constantFrom('', 'Rematch'),
          winAnnotation: fc.constantFrom('KO', 'DQ', null),
          timerDuration: fc.constantFrom(90, null),
          availableSince: time,
          calledSince: time,
          startTime: time,
          stopTime: time,
          endTime: time,
          id: fc.constant(id),
          bracketId: fc.constant(id.split('-')[0] ?? ''),
          cage: fc.constantFrom('Cage 2', 'Cage 1', null),
        }),
      ),
    ),
    corners: fc.array(
      fc.record({
        playerId: fc.constantFrom('a', 'b', 'c', 'd', 'bye', null),
        prevGameId: fc.constantFrom(...ids, 'nowhere', null, null, null),
        state: fc.constantFrom('winner' as const, 'loser' as const, 'pending' as const),
        isReady: fc.boolean(),
        showMotionTime: time,
      }),
      { minLength: 10, maxLength: 10 },
    ),
    tournament: fc.record({
      createTime: time.map((unix) => unix ?? start),
      updateTime: time.map((unix) => unix ?? start),
      startTime: time,
      endTime: time,
      active: fc.boolean(),
    }),
    pauses: fc.array(fc.tuple(time, time), { maxLength: 3 }),
    films: fc.array(time, { maxLength: 3 }),
  })
  .map(({ games, corners, tournament, pauses, films }) =>
    tournamentOf(
      tournament,
      [...players, { id: 'bye', isBye: true }].map((each, seed) => ({
        ...each,
        seed,
        placement: tournament.active ? null : seed + 1,
        isDisqualified: each.id === 'd',
      })),
      [],
      {
        brackets: [
          { id: 'EX', position: 0, name: 'Qualifying', isExhibition: true, formatType: null },
          { id: 'W', position: 1, name: 'Winners', isExhibition: false, formatType: null },
        ],
        rounds: ['EX', 'W'].flatMap((bracketId) =>
          [0, 1].map((idx) => ({ bracketId, idx, name: `Round ${idx}`, scoreToWin: 1 })),
        ),
        games: games.map(gameRow),
        slots: corners.map((corner, index) =>
          slotRow({ ...corner, gameId: ids[index >> 1] ?? '', idx: index % 2 }),
        ),
        pauses: pauses.map(([from, to], idx) => ({
          gameId: ids[idx] ?? '',
          idx,
          startTime: from ?? start,
          stopTime: to,
        })),
        judgeLines: ids.map((gameId) => ({ gameId, idx: 0, line: 'Ann: Damage 3-2' })),
        recordings: films.map((unix, index) =>
          recordingRow({
            id: index + 1,
            gameId: ids[index] ?? '',
            startMs: unix === null ? null : unix * 1000 + 1,
          }),
        ),
        clips: films.map((unix, index) =>
          clipRow({
            token: `clip-${index}`,
            gameId: ids[index + 1] ?? '',
            createdTime: unix ?? start,
          }),
        ),
      },
    ),
  )
