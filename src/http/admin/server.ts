import { generateHeapSnapshot } from 'bun'
import type { OpenedService } from '../../data/archive/archive.ts'
import type { Log } from '../../runtime/log.ts'
import type { Metrics } from './metrics.ts'

/** Names of this machine. Any other `Host` is the name of a site that resolves to this machine. */
const ownHosts = new Set(['127.0.0.1', 'localhost'])

/** Values of `Sec-Fetch-Site` that exclude requests made by pages of other origins. */
const ownSites: ReadonlySet<string | null> = new Set([null, 'same-origin', 'none'])

/** True if a request names this machine and no page sent it, which a browser would say. */
export const isOwnHost = ({ headers }: Request): boolean =>
  ownHosts.has((headers.get('host') ?? '').replace(/:\d+$/, '')) &&
  !headers.has('origin') &&
  ownSites.has(headers.get('sec-fetch-site'))

const refusal = (status: number, error: string): Response => Response.json({ error }, { status })

/** Answer to a request that does not name this machine, or that a page sent. */
export const refuseForeignHost = (): Response =>
  refusal(403, 'only requests to 127.0.0.1 are answered, and none of pages')

/** Handles one request for metrics or diagnostics. */
export const createAdmin = (
  metrics: Pick<Metrics, 'contentType' | 'render'>,
  { recentBadRows = () => [], notified }: Pick<OpenedService, 'recentBadRows' | 'notified'>,
  log: Log,
) => {
  let mayStop = true
  const answers: Readonly<Record<string, () => Response | Promise<Response>>> = {
    'GET /metrics': async () =>
      new Response(await metrics.render(), { headers: { 'content-type': metrics.contentType } }),
    'GET /bad-rows': () => Response.json({ badRows: recentBadRows() }),
    'POST /refresh': () => {
      if (!notified) return refusal(404, 'the source is not followed')
      notified()
      return Response.json({ refresh: 'begun' }, { status: 202 })
    },
    // A POST, because it stops the service while the snapshot is made.
    'POST /heap-snapshot': () => {
      if (!mayStop) return refusal(503, 'a heap snapshot was just made')
      mayStop = false
      const started = performance.now()
      const snapshot = generateHeapSnapshot('v8', 'arraybuffer')
      const ms = Math.round(performance.now() - started)
      log('warn', 'heap snapshot made', { ms })
      // Requests that came meanwhile are read only now; the service answers them first, for as long as it was stopped.
      setTimeout(() => {
        mayStop = true
      }, ms).unref()
      return new Response(snapshot, { headers: { 'content-type': 'application/json' } })
    },
  }
  return (request: Request): Response | Promise<Response> => {
    if (!isOwnHost(request)) return refuseForeignHost()
    const { pathname } = new URL(request.url)
    const answer = answers[`${request.method} ${pathname}`]
    return answer ? answer() : refusal(404, `there is ${Object.keys(answers).join(', ')}`)
  }
}
