import { join } from 'node:path'
import { writeSnapshot } from '../src/data/source/snapshot.ts'
import { temporaryFolder } from './process.ts'
import { fightRows, playersNamed, tournamentOf } from './rows.ts'

const write = async (): Promise<string> => {
  const path = join(await temporaryFolder(), 'one-fight.cageside')
  const players = playersNamed('Axe', 'Blade')
  await writeSnapshot(path, {
    capturedAt: 1_770_000_000,
    tournaments: [tournamentOf({}, players, [fightRows({ id: 'W-0' }, 'p0', 'p1')])],
    cages: [],
    cageQueue: [],
  })
  return path
}

let written: Promise<string> | undefined
/** A snapshot of one fight, for tests of the process itself: it starts with less CPU time than with the sample. */
export const oneFight = (): Promise<string> => {
  written ??= write()
  return written
}
