import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { createMediaMtx } from './source/mediamtx.ts'
import { createNginxRtmp } from './source/nginxRtmp.ts'
import { type Broadcast, type StreamSource, StreamSourceError } from './source/streams.ts'

/** What is broadcasting now; undefined while the streaming server cannot be asked. */
export type LiveStreams = () => Promise<readonly Broadcast[] | undefined>

/** So long the streaming server has for all that one answer takes. */
const answerWithinMs = 2000
/** So long an answer, or that there is none, is given again. */
const reuseForMs = 2000

/**
 * Asks the source when somebody wants to know. Who asks meanwhile gets the same answer, and so does
 * everybody within two seconds of it. A failure is logged when it begins, changes, and is over.
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
    if (found === undefined) log('info', 'the streaming server answers again')
    else log('warn', 'the streaming server cannot be asked', { cause: found })
  }

  const ask: LiveStreams = async () => {
    const asking = new AbortController()
    try {
      const signals = [asking.signal, AbortSignal.timeout(answerWithinMs)]
      const broadcasts = await source.list(AbortSignal.any(signals))
      note(undefined)
      return broadcasts
    } catch (error) {
      if (!(error instanceof StreamSourceError)) throw error
      note(error.message)
      return undefined
    } finally {
      // Ends what was refused before it was read to its end.
      asking.abort()
      freshUntilMs = nowMs() + reuseForMs
    }
  }

  return () => {
    if (answer && nowMs() < freshUntilMs) return answer
    freshUntilMs = Number.POSITIVE_INFINITY
    answer = ask()
    return answer
  }
}

const kinds = { mediamtx: createMediaMtx, 'nginx-rtmp': createNginxRtmp } as const

/** The configured streaming server; without one nothing can ever be asked. */
export const openLiveStreams = (
  { streamApiUrl, streamKind, streamHlsUrl }: Config,
  log: Log,
): LiveStreams =>
  streamApiUrl === undefined || streamHlsUrl === undefined
    ? async () => undefined
    : createLiveStreams(kinds[streamKind](streamApiUrl, streamHlsUrl), log)
