import type { Report } from '../problems.ts'
import { type Remote, RemoteError } from '../remote/remote.ts'
import { type Loose, record } from '../values.ts'

export type Reader = ReturnType<typeof createReader>

const maxMisses = 3

/**
 * Reads responses; a failure is reported and gives undefined. A `feature` is a part of the API that a server
 * may lack: after three 404s and no success it is not requested again, and reported once.
 */
export const createReader = (remote: Remote, report: Report) => {
  const misses = new Map<string, number>()
  const missing = (feature: string): boolean => (misses.get(feature) ?? 0) >= maxMisses
  const fail = (error: RemoteError, feature: string | undefined): void => {
    if (feature === undefined || error.status !== 404) {
      report({ where: error.path, reason: error.message })
      return
    }
    misses.set(feature, (misses.get(feature) ?? 0) + 1)
    if (misses.get(feature) === maxMisses) {
      report({ where: feature, reason: 'the server has none' })
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
    /** The object at a path. */
    read: async (path: string, feature?: string): Promise<Loose | undefined> => {
      const found = await readAny(path, feature)
      return found === undefined ? undefined : record(found)
    },
  }
}
