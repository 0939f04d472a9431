import type { Report } from '../problems.ts'
import { type Remote, RemoteError } from '../remote/remote.ts'
import { type Loose, record } from '../values.ts'

/** Reads responses; a failure is reported and gives undefined. */
export interface Reader {
  /**
   * The object at a path. A `feature` is a part of the API that a server may lack: after three 404s and no
   * success it is not requested again, and reported once.
   */
  readonly read: (path: string, feature?: string) => Promise<Loose | undefined>
  /** The same for any JSON value. */
  readonly readAny: (path: string, feature?: string) => Promise<unknown>
}

const maxMisses = 3

export const createReader = (remote: Remote, report: Report): Reader => {
  const misses = new Map<string, number>()
  const missing = (feature: string): boolean => (misses.get(feature) ?? 0) >= maxMisses
  const fail = (error: RemoteError, feature: string | undefined): void => {
    if (feature === undefined || error.status !== 404) {
      report({ where: error.path, reason: error.message })
      return
    }
    if (misses.get(feature) === Number.NEGATIVE_INFINITY) return
    misses.set(feature, (misses.get(feature) ?? 0) + 1)
    if (misses.get(feature) === maxMisses) {
      report({ where: error.path, reason: `the server has no ${feature}` })
    }
  }
  const readAny = async (path: string, feature?: string): Promise<unknown> => {
    if (feature !== undefined && missing(feature)) return undefined
    try {
      const found = await remote.get(path)
      if (feature !== undefined) misses.set(feature, Number.NEGATIVE_INFINITY)
      return found
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error
      fail(error, feature)
      return undefined
    }
  }
  return {
    readAny,
    read: async (path, feature) => {
      const found = await readAny(path, feature)
      return found === undefined ? undefined : record(found)
    },
  }
}
