import { startLoadWorker } from './loadGenerator.ts'
import { maxResidentMB, residentMB } from './machine.ts'
import { connections, requireNoFailures } from './mixedLoad.ts'
import { endService, type Stage, startPinned } from './stage.ts'
import { type Row, statOf } from './stats.ts'

/** The most that hostile callers may add to the memory of a service that has just started, in MiB. */
export const growthBoundMB = 400
/** The most that it may still grow in the second half of the requests. */
export const lateGrowthBoundMB = 50

/**
 * Lets callers vary everything that a caller can, behind a proxy so that each may have an address of its
 * own, and looks at the memory on the way.
 */
export const memoryBoundRows = async (stage: Stage, requests: number): Promise<Row[]> => {
  const running = await startPinned(stage, { SNAPSHOT: stage.snapshotPath, TRUST_PROXY: '1' })
  const crowd = startLoadWorker()
  try {
    const { pid } = running.process
    const before = await residentMB(pid)
    const parts: number[] = []
    for (let part = 0; part < 8; part += 1) {
      const order = { url: running.url, load: 'hostile', seed: 3, connections } as const
      requireNoFailures(await crowd.run({ ...order, requests: requests / 8 }))
      parts.push(await residentMB(pid))
    }
    const [middle = 0, end = 0] = [parts[3], parts[7]]
    const shared = { scale: String(stage.scale), unit: 'MiB' }
    return [
      {
        ...shared,
        what: `growth of memory by ${requests} hostile requests`,
        figure: statOf([end - before]),
        beside: {
          'memory before': statOf([before]),
          'memory at eight moments': statOf(parts),
          'at the highest': statOf([await maxResidentMB(pid)]),
        },
        judged: end - before,
        goal: { atMost: growthBoundMB },
      },
      {
        ...shared,
        what: 'of it, in the second half of them',
        figure: statOf([end - middle]),
        beside: {},
        judged: end - middle,
        goal: { atMost: lateGrowthBoundMB },
      },
    ]
  } finally {
    await crowd.end()
    await endService(running)
  }
}
