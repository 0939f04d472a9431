import type { Report } from '../problems.ts'
import { type GetOptions, type Remote, type RemoteBody, RemoteError } from '../remote/remote.ts'
import { type Loose, record } from '../values.ts'

/** Reads responses; a failure is reported and gives undefined. */
export interface Reader {
  /**
   * The object at a path. A `feature` is a part of the API that a server may lack: after three 404s and no
   * success it is not requested again, and reported once.
   */
  readonly read: (
    path: string,
    feature?: string,
    options?: GetOptions,
  ) => Promise<Loose | undefined>
  /** The same for any JSON value. */
  readonly readAny: (path: string, feature?: string) => Promise<unknown>
  /** The whole response. */
  readonly readWhole: (
    path: string,
    feature?: string,
    options?: GetOptions,
  ) => Promise<RemoteBody | undefined>
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
  const readWhole = async (
    path: string,
    feature?: string,
    options: GetOptions = { resume: true },
  ): Promise<RemoteBody | undefined> => {
    if (feature !== undefined && missing(feature)) return undefined
    try {
      const found = await remote.get(path, options)
      if (feature !== undefined) misses.set(feature, Number.NEGATIVE_INFINITY)
      return found
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error
      fail(error, feature)
      return undefined
    }
  }
  return {
    readWhole,
    readAny: async (path, feature) => (await readWhole(path, feature))?.body,
    read: async (path, feature, options) => {
      const found = await readWhole(path, feature, options)
      return found && record(found.body)
    },
  }
}
