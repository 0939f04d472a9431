import { expect, test } from 'bun:test'
import { createRemote, retryAfterMs } from '../../../scripts/import/remote/remote.ts'

test('a key is sent to its own origin alone', async () => {
  const seen: (readonly [string, string | null])[] = []
  const serve = (answer: (path: string) => Response) =>
    Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        const { pathname } = new URL(request.url)
        seen.push([pathname, request.headers.get('authorization')])
        return answer(pathname)
      },
    })
  const other = serve(() => Response.json({ found: true }))
  const own = serve((path) =>
    path === '/one' ? Response.redirect('/two') : Response.redirect(`${other.url.origin}/three`),
  )
  const headers = { Authorization: 'secret' }
  const remote = createRemote({ base: own.url.origin, headers, rate: 1000 })
  expect(await remote.get('/one')).toEqual({ found: true })
  expect(seen).toEqual([
    ['/one', 'secret'],
    ['/two', 'secret'],
    ['/three', null],
  ])
  await own.stop(true)
  await other.stop(true)
})

test('Retry-After is seconds or a date', () => {
  const now = Date.UTC(2026, 2, 14)
  expect(retryAfterMs('120', now)).toBe(120_000)
  expect(retryAfterMs(new Date(now + 5000).toUTCString(), now)).toBe(5000)
  expect(retryAfterMs(new Date(now - 5000).toUTCString(), now)).toBe(0)
  for (const none of [null, '', 'soon']) expect(retryAfterMs(none, now)).toBeUndefined()
})
