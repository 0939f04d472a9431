import { describe, expect, test } from 'bun:test'
import { noCages, updateArchive } from '../../src/data/archive/archive.ts'
import { buildTournament } from '../../src/data/league/build.ts'
import type { ClipRow, TournamentRows } from '../../src/data/source/rows.ts'
import { appOf, archiveOf, get } from '../fixtures.ts'
import { clipRow, fightRows, tournamentOf } from '../rows.ts'

const players = [
  { id: 'a', name: 'Wynk' },
  { id: 'b', name: 'Blåde' },
  { id: 'bye', name: '(Bye)', isBye: true },
]
const league = (
  clips: readonly ClipRow[],
  tournament: Partial<TournamentRows['tournament']> = {},
): TournamentRows =>
  tournamentOf(
    tournament,
    players,
    [fightRows({ id: 'W-0' }, 'a', 'b'), fightRows({ id: 'W-1' }, 'a', 'bye')],
    { clips },
  )
const tokensOf = (body: { clips: { token: string }[] }) => body.clips.map(({ token }) => token)

describe('GET /clips', () => {
  test.each([
    ['that is being processed', { state: 'processing' }],
    ['that failed', { state: 'failed' }],
    ['that is not public', { isPublic: false }],
    ['of a game that is no fight', { gameId: 'W-1' }],
    ['of a missing game', { gameId: 'W-9' }],
  ] as const)('/clips has no clip %s', async (_, over) => {
    const app = appOf(
      archiveOf(league([clipRow({ token: 'hidden', ...over }), clipRow({ token: 'shown' })])),
    )
    const { body } = await get(app, '/clips')
    expect(tokensOf(body)).toEqual(['shown'])
    expect(body.pagination.total).toBe(1)
    expect((await get(app, '/clips/hidden')).status).toBe(404)
  })

  test.each([{ privacy: 'private' }, { privacy: 'unlisted' }, { isTest: true }] as const)(
    '/clips has no clip of a tournament with %j',
    async (tournament) => {
      const app = appOf(archiveOf(league([clipRow({ token: 'hidden' })], tournament)))
      expect((await get(app, '/clips')).body.clips).toEqual([])
      expect((await get(app, '/clips/hidden')).status).toBe(404)
    },
  )
})

test('clips are newest first; clips of the same second are ordered by token', async () => {
  const clips = (['c', 'a', 'd', 'b'] as const).map((token) =>
    clipRow({ token, createdTime: token === 'd' ? 6 : 5 }),
  )
  const { body } = await get(appOf(archiveOf(league(clips))), '/clips')
  expect(tokensOf(body)).toEqual(['d', 'a', 'b', 'c'])
})

test('clips equal the clips of a fresh start after any change', async () => {
  const variants = [
    [
      clipRow({ token: 'a', createdTime: 5, isCurated: true }),
      clipRow({ token: 'c', createdTime: 5, isCurated: true }),
    ],
    [
      clipRow({ token: 'c', createdTime: 7, isCurated: true }),
      clipRow({ token: 'b', createdTime: 5 }),
    ],
    [clipRow({ token: 'a', isPublic: false })],
    [],
    undefined,
  ]
  const others = league([clipRow({ token: 'bb', createdTime: 6, isCurated: true })], {
    id: 'others',
  })
  for (const before of variants) {
    for (const after of variants) {
      const tournaments = (clips: ClipRow[] | undefined) =>
        clips ? [others, league(clips)] : [others]
      const changed = after && buildTournament(league(after))
      const archive = await updateArchive(
        archiveOf(...tournaments(before)),
        'next',
        new Map([['spring_30lb', changed]]),
        noCages,
      )
      expect(archive.clips).toEqual(archiveOf(...tournaments(after)).clips)
    }
  }
})
