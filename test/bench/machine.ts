import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { temporaryFolder } from '../process.ts'

/** Core of the measured servers and core of the load. */
export const cores = { server: 0, load: 1 } as const

/** True if processes can be pinned to cores. */
export const canPin = Bun.which('taskset') !== null && availableParallelism() > 1

/** Pins a process with its threads to a core, if possible. */
export const pin = (pid: number, core: number): void => {
  if (canPin) Bun.spawnSync(['taskset', '-acp', String(core), String(pid)])
}

const childrenOf = async (pid: number): Promise<readonly number[]> => {
  const children = await Bun.file(`/proc/${pid}/task/${pid}/children`).text()
  return children.split(' ').filter(Boolean).map(Number)
}

/** Pins a process and its children. */
export const pinFamily = async (pid: number, core: number): Promise<void> => {
  pin(pid, core)
  for (const child of await childrenOf(pid)) await pinFamily(child, core)
}

/** The command that starts a command pinned to a core, if possible. */
export const pinned = (core: number, command: readonly string[]): string[] =>
  canPin ? ['taskset', '-c', String(core), ...command] : [...command]

const statusOf = async (pid: number, field: string): Promise<number> => {
  const status = await Bun.file(`/proc/${pid}/status`).text()
  return Number(status.match(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'))?.[1] ?? 0) / 1024
}

/** Resident memory of a process, in MiB. */
export const residentMB = (pid: number): Promise<number> => statusOf(pid, 'VmRSS')

/** Peak resident memory of a process, in MiB. */
export const maxResidentMB = (pid: number): Promise<number> => statusOf(pid, 'VmHWM')

/** CPU time of the main thread of a process. */
export const mainThreadMs = async (pid: number): Promise<number> => {
  const [nanoseconds] = (await Bun.file(`/proc/${pid}/task/${pid}/schedstat`).text()).split(' ')
  return Number(nanoseconds) / 1e6
}

/** CPU time of a process and its children, in steps of 10 ms; ended threads count, too. */
export const familyMs = async (pid: number): Promise<number> => {
  const stat = await Bun.file(`/proc/${pid}/stat`).text()
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const own = 10 * (Number(fields[11]) + Number(fields[12]))
  return (await Promise.all((await childrenOf(pid)).map(familyMs))).reduce(
    (sum, each) => sum + each,
    own,
  )
}

/** Makes a service, started with these settings and options of Bun, report how long its turns hold the main thread. */
export const watchTurns = async () => {
  const path = join(await temporaryFolder(), 'turns')
  return {
    settings: { TURNS: path },
    preload: ['--preload', join(import.meta.dirname, 'turns.ts')],
    /** The longest turn that ended between two moments, in ms; 0 for none over 5 ms. */
    longest: async (fromMs: number, toMs: number): Promise<number> => {
      const file = Bun.file(path)
      const lines = (await file.exists()) ? (await file.text()).split('\n').slice(0, -1) : []
      const turns = lines.map((line) => line.split(' ').map(Number))
      return Math.max(
        0,
        ...turns.map(([end = 0, ms = 0]) => (end >= fromMs && end <= toMs ? ms : 0)),
      )
    },
  }
}
export type Turns = Awaited<ReturnType<typeof watchTurns>>
