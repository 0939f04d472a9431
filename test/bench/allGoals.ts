import { cpus } from 'node:os'
import { overloadRows, reportRows, routeCostRows } from './dear.ts'
import { changeRows, searchRows } from './isolatedRuns.ts'
import { generator, generatorNote } from './loadGenerator.ts'
import { canPin } from './machine.ts'
import { memoryBoundRows } from './memoryBound.ts'
import { mixedLoadRows } from './mixedLoad.ts'
import { pageRows } from './pages.ts'
import type { Profile } from './profiles.ts'
import { servingRows } from './serving.ts'
import { openStage, type Stage } from './stage.ts'
import { isMet, printRows, type Row } from './stats.ts'

const notes = [
  generatorNote,
  canPin
    ? 'Servers run on one core, the load on another; Postgres on whichever is free.'
    : 'There is no taskset or no second core here: servers and load take time from each other.',
]

/** Everything that has a goal; a table on stderr. Throws when anything fails to run. */
export const benchAllGoals = async (profile: Profile) => {
  const rows: Row[] = []
  const started = performance.now()
  const measure = async (name: string, rowsOfStep: () => Promise<readonly Row[]>) => {
    console.error(`… ${name}`)
    rows.push(...(await rowsOfStep()))
  }
  let server = ''
  for (const [index, scale] of profile.scales.entries()) {
    console.error(`… scale ${scale}: the league`)
    await using stage = await openStage(scale)
    const step = (name: string, run: (stage: Stage, profile: Profile) => Promise<Row[]>) =>
      measure(`scale ${scale}: ${name}`, () => run(stage, profile))
    await step('throughput and start', servingRows)
    await step('mixed requests', mixedLoadRows)
    await step('cost of every route', routeCostRows)
    await step('overload', overloadRows)
    await step('reports', reportRows)
    await step('pages', ({ scale }, { rounds }) => pageRows(scale, 2 * rounds))
    // Its bound does not depend on the size of the league.
    if (index === 0) await step('hostile requests', memoryBoundRows)
    server = new URL('/postgres', stage.database.adminUrl).href
  }
  await measure('search', () => searchRows(profile, server))
  await measure('changes', () => changeRows(profile, server))
  printRows(rows)
  console.error(notes.join('\n'))
  return {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    bun: Bun.version,
    generator,
    seconds: Math.round((performance.now() - started) / 1000),
    rows: rows.map((row) => ({ ...row, isMet: isMet(row) })),
  }
}
