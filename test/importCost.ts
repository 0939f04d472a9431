/**
 * A program of its own, as a large heap of other tests multiplies the cost of an allocation: prints how many times the
 * CPU time of an import of 2,000 fights one of 16,000 takes.
 */
import { join } from 'node:path'
import { readLeague } from '../scripts/import/csv/folder.ts'
import { planImport, writeImport } from '../scripts/import/csv/plan.ts'
import { createRun } from '../scripts/import/run.ts'
import { openSnapshotTarget } from '../scripts/import/target/snapshotTarget.ts'
import { silentProgress } from '../scripts/progress.ts'
import { readSnapshot } from '../src/data/source/snapshot.ts'
import { temporaryFolder } from './process.ts'

/** CPU milliseconds of an import of this many fights of one event into a new file, with a video each. */
const importCpu = async (fights: number): Promise<number> => {
  const path = join(await temporaryFolder(), 'league.cageside')
  const lines = (head: string, line: (index: number) => string): Buffer =>
    Buffer.from([head, ...Array.from({ length: fights }, (_, n) => line(n)), ''].join('\n'))
  const bots = Math.ceil(fights / 4)
  const contents = new Map([
    ['tournaments.csv', Buffer.from('tournament,weight,start\nspring,3,2026-03-14\n')],
    [
      'fights.csv',
      lines(
        'tournament,fight,red,blue,winner,method,start',
        (n) => `spring,W-${n},Bot ${n % bots}q,Bot ${(n + 1 + (n % 5)) % bots}q,red,KO,10:00`,
      ),
    ],
    [
      'recordings.csv',
      lines(
        'tournament,fight,camera,address',
        (n) => `spring,W-${n},Top,https://v.example/${n}.mp4`,
      ),
    ],
  ])
  const started = process.cpuUsage()
  const target = await openSnapshotTarget(path, { now: () => 1_770_000_000 })
  const run = createRun({ target, prune: true, progress: silentProgress })
  const league = readLeague(contents, {})
  if (league.problems.length > 0) throw new Error('a line cannot be used')
  // As the command does with large files.
  Bun.gc(true)
  const plan = await planImport(run, league, { source: 'mine', prune: true })
  Bun.gc(true)
  await writeImport(run, plan)
  await target.close()
  const { user, system } = process.cpuUsage(started)
  const { tournamentCount } = await readSnapshot(path)
  if (tournamentCount !== 1) throw new Error('no event is written')
  return (user + system) / 1000
}

await importCpu(500)
const few = await importCpu(2000)
console.log((await importCpu(16_000)) / few)
