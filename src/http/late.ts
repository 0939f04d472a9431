import type { Log } from '../runtime/log.ts'
import { refusals } from './errors.ts'
import type { Moment } from './moment.ts'
import type { LateResponse, Origin, Pending } from './requestContext.ts'
import type { CachedResponse } from './responseCache.ts'
import { type Answer, reportFailure, type Send, type Sending } from './sending.ts'
import { nothingRead } from './trackedArchive.ts'

interface Options {
  readonly present: () => Moment
  readonly sending: Sending
  readonly send: Send
  readonly log: Log
  readonly charge: (sender: string, bytes: number) => void
}

/**
 * Answers requests whose response is made later, outside of Elysia: while one waits, nothing refers to the archive of
 * its arrival.
 */
export const createWaiting = ({ present, sending, send, log, charge }: Options) => {
  const encoded = new WeakMap<LateResponse, Promise<CachedResponse>>()

  /** The response has the headers of the moment after the wait. */
  const answerLate = async (
    origin: Origin,
    { headers, route, ignored }: Omit<Pending, 'begin'>,
    late: LateResponse,
  ): Promise<Answer> => {
    const arrival = { ...origin, moment: present() }
    try {
      const { status, bytes } = late
      const typed = { 'content-type': 'application/json', ...headers }
      if (status !== 200) {
        const plain = { status, headers: typed, body: bytes }
        return { ...sending.sendPlain(arrival, plain), ignored, isMade: true }
      }
      const made = { headers: typed, bytes, key: undefined, read: nothingRead }
      const shared = await encoded.getOrInsertComputed(late, () =>
        sending.toResponse(arrival, route, made),
      )
      return await sending.sendMade(arrival, shared, true, ignored, bytes)
    } catch (error) {
      reportFailure(log, { requestId: origin.requestId, template: route }, error)
      return sending.sendPlain(arrival, refusals.failed)
    }
  }

  return (origin: Origin, { begin, ...head }: Pending, isCharged: boolean): Promise<Response> => {
    const { sender, request } = origin
    const sinceMs = performance.now()
    const respond = async (late: LateResponse): Promise<Response> => {
      const waitedMs = performance.now() - sinceMs
      const answered = await answerLate(origin, head, late)
      const waited = head.isWait ? { ...answered, waitedMs } : answered
      return send(origin, waited, head.route, isCharged)
    }
    return new Promise((resolve) =>
      begin(
        {
          charge: (bytes) => {
            if (sender !== undefined) charge(sender, bytes)
          },
          respond: (late) => resolve(respond(late)),
        },
        request.signal,
      ),
    )
  }
}
