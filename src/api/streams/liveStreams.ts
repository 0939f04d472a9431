import { RequestError } from '../../data/remote/request.ts'
import type { Log } from '../../runtime/log.ts'
import { createMediaMtx } from './mediamtx.ts'
import { createNginxRtmp } from './nginxRtmp.ts'
import type { Broadcast, StreamSource } from './streamSource.ts'

/** Streams that are broadcasting now; undefined while the streaming server is unreachable. */
export type LiveStreams = () => Promise<readonly Broadcast[] | undefined>

/** Deadline for all the requests that one answer takes. */
const answerWithinMs = 2000
/** Time for which an answer or a failure is reused. */
const reuseForMs = 2000

/**
 * Requests the streams on demand. Concurrent calls, and calls within two seconds, share one result. A
 * failure is logged when it begins, changes and ends.
 */
export const createLiveStreams = (
  source: StreamSource,
  log: Log,
  nowMs: () => number = () => performance.now(),
): LiveStreams => {
  let answer: ReturnType<LiveStreams> | undefined
  let freshUntilMs = 0
  let problem: string | undefined

  const note = (found: string | undefined): void => {
    if (found === problem) return
    problem = found
    if (found === undefined) log('info', 'the streaming server is reachable again')
    else log('warn', 'the streaming server is unreachable', { cause: found })
  }

  const requestStreams: LiveStreams = async () => {
    const abort = new AbortController()
    try {
      const signals = [abort.signal, AbortSignal.timeout(answerWithinMs)]
      const broadcasts = await source(AbortSignal.any(signals))
      note(undefined)
      return broadcasts
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      note(error.message)
      return undefined
    } finally {
      // Ends responses that were rejected before they were read to the end.
      abort.abort()
      freshUntilMs = nowMs() + reuseForMs
    }
  }

  return () => {
    if (answer && nowMs() < freshUntilMs) return answer
    freshUntilMs = Number.POSITIVE_INFINITY
    answer = requestStreams()
    return answer
  }
}

/** Values of `STREAM_KIND`. */
export const streamKinds = ['mediamtx', 'nginx-rtmp'] as const

const kinds = { mediamtx: createMediaMtx, 'nginx-rtmp': createNginxRtmp } as const

interface StreamSettings {
  readonly streamApiUrl?: string | undefined
  readonly streamKind: (typeof streamKinds)[number]
  readonly streamHlsUrl?: string | undefined
}

/** The configured streaming server; without one the list is empty. */
export const openLiveStreams = (
  { streamApiUrl, streamKind, streamHlsUrl }: StreamSettings,
  log: Log,
): LiveStreams =>
  streamApiUrl === undefined || streamHlsUrl === undefined
    ? async () => []
    : createLiveStreams(kinds[streamKind](streamApiUrl, streamHlsUrl), log)
