import { readdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'

/** What is measured runs on one core, what asks it on another. */
export const cores = { server: 0, load: 1 } as const

/** Whether processes can be told where to run. */
export const canPin = Bun.which('taskset') !== null && availableParallelism() > 1

/** Keeps a process and all its threads on a core, where that is possible. */
export const pin = (pid: number, core: number): void => {
  if (canPin) Bun.spawnSync(['taskset', '-acp', String(core), String(pid)])
}

/** The command that starts another one on a core, where that is possible. */
export const pinned = (core: number, command: readonly string[]): string[] =>
  canPin ? ['taskset', '-c', String(core), ...command] : [...command]

const statusOf = async (pid: number, field: string): Promise<number> => {
  const status = await Bun.file(`/proc/${pid}/status`).text()
  return Number(status.match(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'))?.[1] ?? 0) / 1024
}

/** Resident memory of a process, in MiB. */
export const residentMB = (pid: number): Promise<number> => statusOf(pid, 'VmRSS')

/** The most resident memory that a process ever had, in MiB. */
export const maxResidentMB = (pid: number): Promise<number> => statusOf(pid, 'VmHWM')

/** Files, sockets and pipes that a process has open. */
export const descriptors = async (pid: number): Promise<number> =>
  (await readdir(`/proc/${pid}/fd`)).length

/** Processor time that the main thread of a process has used, without that of its other threads. */
export const mainThreadMs = async (pid: number): Promise<number> => {
  const [nanoseconds] = (await Bun.file(`/proc/${pid}/task/${pid}/schedstat`).text()).split(' ')
  return Number(nanoseconds) / 1e6
}
