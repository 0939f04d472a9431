import { generateHeapSnapshot } from 'bun'
import type { ArchiveService } from '../archive/archive.ts'
import type { Log } from '../log.ts'
import type { Metrics } from './metrics.ts'

/** Names of this machine. Another one in `Host` is a page that had its name point here. */
const ownHosts = new Set(['127.0.0.1', 'localhost'])

/** Whether a request names this machine, as no page of another site can let a browser do. */
export const isOwnHost = (request: Request): boolean =>
  ownHosts.has((request.headers.get('host') ?? '').replace(/:\d+$/, ''))

const refusal = (status: number, error: string): Response => Response.json({ error }, { status })

/** Answer to a request that does not name this machine. */
export const refuseForeignHost = (): Response =>
  refusal(403, 'only requests to 127.0.0.1 are answered')

/** Handles one request for metrics or diagnostics. */
export const createAdmin = (
  metrics: Pick<Metrics, 'contentType' | 'render'>,
  { recentBadRows = () => [] }: Pick<ArchiveService, 'recentBadRows'>,
  log: Log,
) => {
  const answers: Readonly<Record<string, () => Response | Promise<Response>>> = {
    'GET /metrics': async () =>
      new Response(await metrics.render(), { headers: { 'content-type': metrics.contentType } }),
    'GET /bad-rows': () => Response.json({ badRows: recentBadRows() }),
    // A POST, as it stops the service while it is made.
    'POST /heap-snapshot': () => {
      const started = performance.now()
      const snapshot = generateHeapSnapshot('v8', 'arraybuffer')
      log('warn', 'heap snapshot made', { ms: Math.round(performance.now() - started) })
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
