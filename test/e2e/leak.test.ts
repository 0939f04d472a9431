import { describe, expect, test } from 'bun:test'
import type { Archive } from '../../src/data/archive/archive.ts'
import { emptyLeague, type LoadedLeague } from '../../src/data/archive/loadedLeague.ts'
import { refreshLeague } from '../../src/data/following/refresh.ts'
import type { CageRows, TournamentRows } from '../../src/data/source/rows.ts'
import { answerAt, bodyAt } from '../addresses.ts'
import { everyAddressOf } from '../everyAddress.ts'
import { appOf, archiveWithCages, get, serviceOf } from '../fixtures.ts'
import { openDatabase } from '../leagueDatabase.ts'
import { cageRow, clipRow, fightRows, recordingRow, stillRow, tournamentOf } from '../rows.ts'
import { until } from '../until.ts'

const now = 1_770_003_600

/** An active tournament with something in every table; all its texts and numbers contain the mark. */
const league = (mark: string, index: number, over: Partial<TournamentRows['tournament']> = {}) => {
  const players = [1, 2, 3].map((n) => ({ id: `${mark}-p${n}`, name: `${mark} Bot ${n}` }))
  const [a = '', b = '', c = ''] = players.map(({ id }) => id)
  const open = { winAnnotation: null, timerDuration: null, stopTime: null, endTime: null }
  const id = (n: number) => 7_000_000 + index * 100 + n
  return tournamentOf(
    { id: `${mark}-cup`, name: `${mark} Cup`, active: true, ...over },
    players,
    [
      fightRows({ id: `${mark}-0`, stopTime: now - 100 }, a, b),
      fightRows({ ...open, id: `${mark}-1`, state: 'active', startTime: now - 60 }, b, c, null),
      fightRows({ ...open, id: `${mark}-2`, state: 'called', startTime: null }, a, c, null),
    ],
    {
      recordings: [recordingRow({ id: id(1), gameId: `${mark}-0`, camera: `${mark}-cam` })],
      clips: [
        clipRow({
          token: `${mark}-clip`,
          gameId: `${mark}-0`,
          name: `${mark} hit`,
          isCurated: true,
        }),
      ],
      stills: [
        stillRow({ id: id(2), token: `${mark}-still`, playerId: a, source: `${mark}-source` }),
        stillRow({ id: id(3), token: `${mark}-hero`, playerId: b, isHero: true, isCurated: true }),
      ],
      stillTags: [
        { stillId: id(2), tag: `${mark}-tag` },
        { stillId: id(3), tag: 'Hero-Bot' },
      ],
    },
  )
}

const shown = league('shown', 0)
const turning = league('turning', 1)
const hidden = [
  league('zza', 2, { privacy: 'private' }),
  league('zzb', 3, { privacy: 'unlisted' }),
  league('zzc', 4, { isTest: true }),
]
const inCage = (number: number, { tournament, games }: TournamentRows) =>
  cageRow({
    number,
    status: 'active',
    tournamentId: tournament.id,
    gameId: games[1]?.id ?? null,
  })
const cages: CageRows = {
  cages: [shown, turning, ...hidden].map((rows, index) =>
    inCage([1, 2, 4, 5, 6][index] ?? 1, rows),
  ),
  cageQueue: [turning, ...hidden, shown].map(({ tournament, games }, position) => ({
    cage: 1,
    position,
    tournamentId: tournament.id,
    gameId: games[2]?.id ?? '',
  })),
}

const all = [shown, turning, ...hidden]
/** Every URL that names or lists anything of them, as if all were public. */
const addresses = everyAddressOf(
  archiveWithCages(
    cages,
    ...all.map((rows) => ({
      ...rows,
      tournament: { ...rows.tournament, privacy: 'public' as const, isTest: false },
    })),
  ),
).filter((path) => path !== '/ready')

const weakly = ({ archive }: LoadedLeague, id: string): WeakRef<object> =>
  new WeakRef(archive?.dataset.tournamentsByID.get(id) ?? {})

const { admin, source } = await openDatabase({
  tournaments: [shown, turning, ...hidden],
  ...cages,
})

describe('hidden tournaments', () => {
  let current: LoadedLeague = emptyLeague
  const app = appOf({ ...serviceOf(undefined, now), archive: () => current.archive })
  const look = async (): Promise<void> => {
    current = (await refreshLeague(source, current, { maxLoss: 1 })).league
  }

  /** Expects the answers of a league without the other tournaments. */
  const expectOnly = async (...tournaments: readonly TournamentRows[]): Promise<void> => {
    const ids = tournaments.map(({ tournament }) => tournament.id)
    const own = {
      cages: cages.cages.map((row) =>
        ids.includes(row.tournamentId ?? '') ? row : cageRow({ number: row.number, updateTime: 0 }),
      ),
      cageQueue: cages.cageQueue.filter(({ tournamentId }) => ids.includes(tournamentId)),
    }
    const archive: Archive = archiveWithCages(own, ...tournaments)
    const alone = appOf(serviceOf(archive, now))
    for (const path of addresses) {
      expect([path, await answerAt(app, path)]).toEqual([path, await answerAt(alone, path)])
    }
    const drawn: { token: string }[] = (await get(app, '/legacy/randomClips')).body.clips
    expect(drawn.map(({ token }) => token).toSorted()).toEqual(
      tournaments.flatMap(({ clips }) => clips.map(({ token }) => token)).toSorted(),
    )
  }

  test('hidden tournaments do not exist next to public ones, also when one turns private and back', async () => {
    await look()
    await expectOnly(shown, turning)
    for (const [hide, show] of [
      [`privacy = 'private'`, `privacy = 'public'`],
      [`privacy = 'unlisted'`, `privacy = 'public'`],
      ['is_test = true', 'is_test = false'],
    ]) {
      await admin.unsafe(`UPDATE cageside.tournaments SET ${hide} WHERE id = 'turning-cup'`)
      const turned = weakly(current, 'turning-cup')
      await look()
      await expectOnly(shown)
      await until(async () => {
        // The last refresh and the last requests may still refer to their values.
        await look()
        for (const path of ['/', '/tournaments', '/bots', '/cages']) await get(app, path)
        Bun.gc(true)
        return turned.deref() === undefined
      })
      await expectOnly(shown)
      await admin.unsafe(`UPDATE cageside.tournaments SET ${show} WHERE id = 'turning-cup'`)
      await look()
      await expectOnly(shown, turning)
    }
  })

  test('hidden tournaments do not exist in a snapshot that contains them', async () => {
    const whole = appOf(serviceOf(archiveWithCages(cages, shown, turning, ...hidden), now))
    await look()
    for (const path of addresses) {
      expect([path, await bodyAt(whole, path)]).toEqual([path, await bodyAt(app, path)])
    }
  })
})
