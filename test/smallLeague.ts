import { join } from 'node:path'
import { generateLeague } from '../scripts/league/league.ts'
import { writeSnapshot } from '../src/data/source/snapshot.ts'
import { isPublic } from '../src/data/source/visibility.ts'
import { once } from '../src/runtime/once.ts'
import { temporaryFolder } from './process.ts'
import { cageRow } from './rows.ts'
import type { addressings } from './site.ts'

const { tournaments, ...rest } = generateLeague({ seed: 1, scale: 'sample' })
/** The league of the sample, which takes 0.2 s to generate. */
export const sampleLeague = { ...rest, tournaments: [...tournaments] }
export const { capturedAt } = sampleLeague

/** The event under way of the sample and the one before: tests of both need no earlier ones. */
export const lateSample = {
  ...sampleLeague,
  tournaments: sampleLeague.tournaments.filter(
    ({ tournament }) => !/(oct|nov|dec)25|^95c8/.test(tournament.id),
  ),
}

/** A small league with something in every table: the smallest tournaments of the sample, some of them hidden. */
export const smallLeague = (() => {
  const bySize = sampleLeague.tournaments.toSorted((a, b) => a.games.length - b.games.length)
  const withFilms = bySize.filter(
    ({ recordings, clips, stills }) =>
      recordings.length > 0 && clips.length > 0 && stills.length > 0,
  )
  const shown = withFilms.filter(({ tournament }) => isPublic(tournament)).slice(0, 6)
  const hidden = withFilms.filter(({ tournament }) => !isPublic(tournament)).slice(0, 2)
  const fights = [...shown, ...hidden].map(({ tournament, games }, index) => ({
    tournamentId: tournament.id,
    gameId: games[index]?.id ?? '',
  }))
  const statuses = ['active', 'paused', 'assigned', 'completed', 'active'] as const
  return {
    tournaments: [...shown, ...hidden],
    // The last cage and the last queue entry belong to hidden tournaments.
    cages: [0, 1, 2, 3, 6].map((index, at) =>
      cageRow({
        number: [1, 2, 4, 5, 6][at] ?? 1,
        status: statuses[at] ?? 'idle',
        ...fights[index],
      }),
    ),
    cageQueue: [4, 5, 7].flatMap((index, position) => {
      const fight = fights[index]
      return fight ? [{ cage: 1, position, ...fight }] : []
    }),
  }
})()

/** A snapshot file of the small league: its service takes half the CPU time of one with the sample. */
export const smallSnapshot = once(async () => {
  const path = join(await temporaryFolder(), 'small.cageside')
  await writeSnapshot(path, { capturedAt, ...smallLeague })
  return path
})

/** A service without settings has the sample, as for a new user; with settings the small league is enough. */
export const sizeOf = async (
  addressing: (typeof addressings)[number],
): Promise<Readonly<Record<string, string>>> =>
  addressing === 'no setting' ? {} : { SNAPSHOT: await smallSnapshot() }
