import { setTimeout as delay } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { RequestError } from '../../data/remote/request.ts'
import type { Log } from '../../runtime/log.ts'
import { readPictureHead } from './pictureHead.ts'
import { type PictureSize, pictureSize } from './pictureSize.ts'

/** Size of the picture at an address; undefined while it is unknown. */
export type PictureSizes = (url: string) => Promise<PictureSize | undefined>

const defaultAnswerWithinMs = 2000
const maxReads = 16
/** Maximum number of waiting reads; further callers get no size. */
const maxWaiting = 256
/** Maximum number of remembered sizes, about 8 MiB. */
const maxKnown = 20_000
const maxFailed = 4096
const retryAfterMs = 30_000

interface Options {
  readonly log: Log
  readonly read?: (url: string, signal: AbortSignal) => Promise<Uint8Array>
  /** Milliseconds on a clock that is never set back. */
  readonly nowMs?: () => number
  /** Time limit of a caller, with the wait for its turn, and of one read; default two seconds. */
  readonly answerWithinMs?: number
}

/**
 * Reads sizes of pictures from their first bytes and remembers them until the process ends. Callers of
 * one picture share one read. A picture that cannot be read is tried again after 30 s, as are all of a
 * host that sent no response.
 */
export const createPictureSizes = ({
  log,
  read = readPictureHead,
  nowMs = () => performance.now(),
  answerWithinMs = defaultAnswerWithinMs,
}: Options): PictureSizes => {
  const known = new LRUCache<string, PictureSize>({ max: maxKnown })
  /** Addresses of pictures, and origins of hosts, that failed. */
  const failed = new LRUCache<string, true>({
    max: maxFailed,
    ttl: retryAfterMs,
    ttlResolution: 0,
    perf: { now: nowMs },
  })
  const underWay = new Map<string, Promise<PictureSize | undefined>>()
  const inTurn = pLimit(maxReads)

  const hasFailed = (url: string): boolean =>
    failed.has(url) || failed.has(URL.parse(url)?.origin ?? '')

  const fail = (url: string, error: RequestError): undefined => {
    failed.set(url, true)
    if (error.silentOrigin !== undefined) failed.set(error.silentOrigin, true)
    log('debug', 'the size of a picture cannot be read', { cause: error.message })
  }

  const readSize = async (url: string): Promise<PictureSize | undefined> => {
    // The host may have failed while this read waited for its turn.
    if (hasFailed(url)) return undefined
    try {
      const size = pictureSize(await read(url, AbortSignal.timeout(answerWithinMs)))
      if (!size) throw new RequestError('it is no picture of a known kind')
      known.set(url, size)
      return size
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      return fail(url, error)
    }
  }

  const begin = (url: string): Promise<PictureSize | undefined> => {
    const reading = inTurn(readSize, url).finally(() => underWay.delete(url))
    underWay.set(url, reading)
    return reading
  }

  return async (url) => {
    const size = known.get(url)
    if (size || hasFailed(url)) return size
    const before = underWay.get(url)
    if (!before && inTurn.pendingCount >= maxWaiting) return undefined
    return await Promise.race([
      before ?? begin(url),
      delay(answerWithinMs, undefined, { ref: false }),
    ])
  }
}
