import { connections, holdToAccount } from './eventTraffic.ts'
import { startCrowd } from './load.ts'
import { highestResidentMB, residentMB } from './machine.ts'
import { endService, type Stage, startPinned } from './stage.ts'
import { figure, type Row } from './stats.ts'

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
  const crowd = startCrowd()
  try {
    const { pid } = running.process
    const before = await residentMB(pid)
    const parts: number[] = []
    for (let part = 0; part < 8; part += 1) {
      const order = { url: running.url, load: 'hostile', seed: 3, connections } as const
      holdToAccount(await crowd.ask({ ...order, requests: requests / 8 }))
      parts.push(await residentMB(pid))
    }
    const [middle = 0, end = 0] = [parts[3], parts[7]]
    const shared = { scale: String(stage.scale), unit: 'MiB' }
    return [
      {
        ...shared,
        what: `growth of memory by ${requests} hostile requests`,
        figure: figure([end - before]),
        beside: {
          'memory before': figure([before]),
          'memory at eight moments': figure(parts),
          'at the highest': figure([await highestResidentMB(pid)]),
        },
        judged: end - before,
        goal: { atMost: growthBoundMB },
      },
      {
        ...shared,
        what: 'of it, in the second half of them',
        figure: figure([end - middle]),
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
