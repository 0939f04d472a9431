import { CommandError } from '../../scripts/command.ts'
import { connections, requireNoFailures, startLoadWorker } from './loadGenerator.ts'
import { maxResidentMB, residentMB } from './machine.ts'
import { openSnapshotStage, startPinned } from './stage.ts'
import { type Extent, isMet, printRows, type Row, rowsOf } from './stats.ts'

/** Growth of memory after the start, and in the second half of the requests, in MiB. */
const maxGrowthMB = 400
const maxLateGrowthMB = 50

/** Memory while hostile clients vary everything they can; fails if it grows beyond its bound. */
export const benchHostile = async ({ scale, rounds: requests }: Extent): Promise<Row[]> => {
  await using stage = await openSnapshotStage(scale)
  await using service = await startPinned(stage, {
    SNAPSHOT: stage.snapshotPath,
    TRUST_PROXY: '1',
  })
  await using worker = startLoadWorker()
  const { url, pid } = service
  const before = await residentMB(pid)
  const parts: number[] = []
  for (let part = 0; part < 8; part += 1) {
    const task = { url, traffic: 'hostile', seed: 3, connections } as const
    requireNoFailures(await worker.run({ ...task, requests: requests / 8 }))
    parts.push(await residentMB(pid))
  }
  const [middle = 0, end = 0] = [parts[3], parts[7]]
  const row = rowsOf(scale)
  const rows = [
    row(`growth of memory by ${requests} hostile requests`, 'MiB', end - before, {
      beside: {
        'memory before': before,
        'memory after each eighth': parts,
        'maximum memory': await maxResidentMB(pid),
      },
      atMost: maxGrowthMB,
    }),
    row('of it, in the second half', 'MiB', end - middle, { atMost: maxLateGrowthMB }),
  ]
  if (rows.every((each) => isMet(each))) return rows
  printRows(rows)
  throw new CommandError('memory grew too much')
}
