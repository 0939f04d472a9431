import { cpus } from 'node:os'
import { overloadRows, reportRows, routeCostRows } from './dear.ts'
import { generator, generatorNote } from './loadGenerator.ts'
import { canPin } from './machine.ts'
import { memoryBoundRows } from './memoryBound.ts'
import { mixedLoadRows } from './mixedLoad.ts'
import type { Profile } from './profiles.ts'
import { servingRows } from './serving.ts'
import { openStage } from './stage.ts'
import { isMet, type Row, table } from './stats.ts'
import { changeRows, searchRows } from './subprocess.ts'

const notes = [
  generatorNote,
  'The mix of an event is asked by a generator of our own: it keeps a rate, sends the tags it was',
  'given, and holds the status of every answer against the one that is right.',
  canPin
    ? 'Servers run on one core, the load on another; Postgres on whichever is free.'
    : 'There is no taskset or no second core here: servers and load take time from each other.',
]

const step = (name: string): void => console.error(`… ${name}`)

/** All that is measured, as a table on stderr once it is complete. Throws when anything fails to run. */
export const benchAllGoals = async (effort: Profile) => {
  const rows: Row[] = []
  const started = performance.now()
  for (const scale of effort.scales) {
    step(`scale ${scale}: the league`)
    const stage = await openStage(scale)
    try {
      step(`scale ${scale}: throughput and start`)
      rows.push(...(await servingRows(stage, effort)))
      step(`scale ${scale}: mixed requests`)
      rows.push(...(await mixedLoadRows(stage, effort)))
      step(`scale ${scale}: the dearest request of every route`)
      rows.push(...(await routeCostRows(stage, effort)))
      step(`scale ${scale}: overload and reports`)
      rows.push(...(await overloadRows(stage, effort)), ...(await reportRows(stage, effort)))
      // What it must not do does not depend on the size of the league.
      if (scale === effort.scales[0]) {
        step(`scale ${scale}: hostile requests`)
        rows.push(...(await memoryBoundRows(stage, effort.hostileRequests)))
      }
    } finally {
      await stage.close()
    }
  }
  step('search')
  rows.push(...(await searchRows(effort)))
  step('changes')
  rows.push(...(await changeRows(effort)))
  console.error(`\n${table(rows)}\n\n${notes.join('\n')}`)
  return {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    bun: Bun.version,
    generator,
    seconds: Math.round((performance.now() - started) / 1000),
    rows: rows.map((row) => ({ ...row, isMet: isMet(row) })),
  }
}
