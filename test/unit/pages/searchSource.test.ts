import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Answer, createSource } from '../../../src/pages/browser/searchSource.ts'
import { until } from '../../until.ts'

/** A service that answers when it is told to, with the text as the name of a bot. */
const answering = () => {
  const waiting: { readonly text: string; readonly end: (status: number) => void }[] = []
  const server = Bun.serve({
    port: 0,
    fetch: async ({ url }) => {
      const text = new URL(url).searchParams.get('q') ?? ''
      const { promise, resolve } = Promise.withResolvers<number>()
      waiting.push({ text, end: resolve })
      return Response.json({ suggestions: [{ name: text }] }, { status: await promise })
    },
  })
  return { server, waiting, address: `http://127.0.0.1:${server.port}/autocomplete` }
}
const { server, waiting, address } = answering()
afterAll(() => server.stop(true))

test('suggestions answer the latest text or its beginning, whatever is typed while they are fetched', async () => {
  const step = fc.oneof(
    fc.constantFrom(...['', 's', 'sa', 'saw', 'SAW ', 'b', 'bo']).map((text) => ({ text })),
    fc.constantFrom(200, 200, 500).map((status) => ({ status })),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      waiting.length = 0
      let typed = ''
      let shown: string | undefined
      const requested: string[] = []
      const { want } = createSource(address, 'bot', (answer: Answer | undefined) => {
        shown = answer?.suggestions[0]?.name
        if (shown !== undefined) expect(typed.startsWith(shown)).toBe(true)
      })
      const settled = (): boolean => shown === typed || waiting.length > 0
      for (const step of steps) {
        if ('text' in step) {
          typed = step.text.trim().toLowerCase()
          want(step.text)
          if (typed === '') expect(shown).toBeUndefined()
          else await until(settled)
          continue
        }
        const request = waiting.shift()
        if (!request) continue
        requested.push(request.text)
        request.end(step.status)
        if (step.status !== 200 || typed === '') await Bun.sleep(2)
        else await until(settled)
      }
      for (const text of [typed, 'end']) {
        typed = text
        want(text)
        while (shown !== text && text !== '') {
          waiting.shift()?.end(200)
          await Bun.sleep(1)
        }
      }
      // What is known is not requested again, but after a failure.
      const failed = steps.filter((each) => 'status' in each && each.status !== 200).length
      expect(requested.length - new Set(requested).size).toBeLessThanOrEqual(failed)
    }),
    { numRuns: 30 },
  )
}, 60_000)
