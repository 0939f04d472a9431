import { generateLeague } from '../../scripts/league/league.ts'
import { compressTournament, packTournament, writeFrames } from '../../src/source/snapshot.ts'

/** Writes a league to the path in its argument again and again, until it is killed. */
const [path = ''] = Bun.argv.slice(2)
const league = generateLeague({ seed: 1, scale: 'sample' })
const frames = [...league.tournaments].map((rows) =>
  compressTournament(packTournament(rows), 'fast'),
)
for (;;) {
  await writeFrames(path, league, frames)
  process.stdout.write('.')
}
