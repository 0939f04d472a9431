import { afterAll, expect, spyOn, test } from 'bun:test'
import fc from 'fast-check'
import { createSource, readOptions } from '../../../src/companions/pages/browser/searchSource.ts'
import { until } from '../../until.ts'

/** A service that answers on demand, with the text as the name of a bot. */
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

test('suggestions answer the latest text or its beginning, however typing and answers interleave', async () => {
  const step = fc.oneof(
    fc.constantFrom('', 's', 'sa', 'SA ', 'b').map((text) => ({ text })),
    fc.constantFrom(200, 200, 500).map((status) => ({ status })),
  )
  const [s, sa, answered] = [{ text: 's' }, { text: 'sa' }, { status: 200 }]
  const knownAgain = [sa, answered, s, sa, answered]
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
      waiting.length = 0
      let typed = ''
      let shown: string | undefined
      const requested: string[] = []
      let closed = 0
      const wrong: unknown[] = []
      const { want } = createSource(address, 'bot', (answer) => {
        const next = answer?.suggestions[0]?.name
        const isBeginning = typed !== '' && next !== undefined && typed.startsWith(next)
        if (next !== undefined && (!isBeginning || shown === typed)) wrong.push([typed, next])
        shown = next
        if (next === undefined) closed += 1
      })
      const settled = (): boolean => shown === typed || waiting.length > 0
      for (const step of steps) {
        if ('text' in step) {
          typed = step.text.trim().toLowerCase()
          shown = undefined
          const before = closed
          want(step.text)
          if (typed === '') expect(shown).toBeUndefined()
          else await until(() => settled() || closed > before)
          continue
        }
        const request = waiting.shift()
        if (!request) continue
        requested.push(request.text)
        const before = closed
        request.end(step.status)
        if (typed !== '') await until(() => settled() || closed > before)
        // No event says that nothing is to be shown; a longer wait would notice more.
        await Bun.sleep(3)
      }
      typed = 'end'
      while (shown !== typed) {
        want(typed)
        waiting.shift()?.end(200)
        await Bun.sleep(1)
      }
      expect(wrong).toEqual([])
      // Known results are not requested again, except after a failure.
      const failed = steps.filter((each) => 'status' in each && each.status !== 200).length
      expect(requested.length - new Set(requested).size).toBeLessThanOrEqual(failed)
    }),
    { numRuns: 30, examples: [[knownAgain]] },
  )
}, 60_000)

test.each([500, 429, 404])(
  'a search that fails with %i is not retried by itself',
  async (status) => {
    waiting.length = 0
    let closed = 0
    let shown = 0
    const { want } = createSource(address, 'bot', (answer) => {
      if (answer) shown += 1
      else closed += 1
    })
    want('x')
    await until(() => waiting.length === 1)
    waiting.shift()?.end(status)
    await until(() => closed + shown === 1)
    expect([closed, shown]).toEqual([1, 0])
    want('xy')
    await until(() => waiting.length > 0)
    expect(waiting.map(({ text }) => text)).toEqual(['xy'])
    waiting.shift()?.end(200)
  },
)

test('a search that fails while a newer text is wanted closes nothing, and the newer one is sent', async () => {
  waiting.length = 0
  const answers: unknown[] = []
  const { want } = createSource(address, 'bot', (answer) => answers.push(answer))
  want('p')
  await until(() => waiting.length === 1)
  want('pq')
  waiting.shift()?.end(500)
  await until(() => waiting.length === 1 || answers.length > 0)
  expect([waiting[0]?.text, answers]).toEqual(['pq', []])
  waiting.shift()?.end(200)
  await until(() => answers.length === 1)
})

test('a search sends the first 48 letters, and longer texts share their answer', async () => {
  waiting.length = 0
  let shown = 0
  const { want } = createSource(address, 'bot', () => {
    shown += 1
  })
  want('w'.repeat(60))
  await until(() => waiting.length === 1)
  expect(waiting[0]?.text).toBe('w'.repeat(48))
  waiting.shift()?.end(200)
  await until(() => shown === 1)
  want('w'.repeat(61))
  expect([shown, waiting.length]).toEqual([2, 0])
})

test('suggested bots, pairs and events link to their pages, without outcomes if they are hidden', () => {
  const bot = { name: 'A/xe', cleanName: 'a/xe' }
  const answer = {
    query: 'a',
    suggestions: [
      {
        ...{ ...bot, score: 1, totalFights: 1, match: [[0, 1]] },
        ...{ weightClasses: [3, 30], weightClassNames: [] },
      },
    ],
    pairs: [{ bot1: bot, bot2: { name: 'Bolt', cleanName: 'bolt' }, totalFights: 2 }],
    tournaments: [
      { tournamentID: 'e', tournamentName: 'E', weightClass: 3, weightClassName: null, score: 1 },
    ],
  }
  const shown = (hidesOutcomes: boolean) =>
    readOptions(answer, { base: '/x', hidesOutcomes }).map(({ kind, names, detail, href }) => [
      kind,
      names.map(({ name, match }) => `${name} ${match.join()}`),
      detail,
      href,
    ])
  expect(shown(false)).toEqual([
    ['bot', ['A/xe 0,1'], '1 fight, 3 lb, 30 lb', '/x/b/a%2Fxe'],
    ['pair', ['A/xe ', 'Bolt '], '2 fights', '/x/vs/a%2Fxe/bolt'],
    ['tournament', ['E '], 'Event', '/x/e/e'],
  ])
  expect(shown(true)).toEqual([
    ['bot', ['A/xe 0,1'], '3 lb, 30 lb', '/x/b/a%2Fxe?spoilers=0'],
    ['pair', ['A/xe ', 'Bolt '], 'Compare', '/x/vs/a%2Fxe/bolt?spoilers=0'],
    ['tournament', ['E '], 'Event', '/x/e/e?spoilers=0'],
  ])
})

test('the search box remembers 300 answers, and then starts over', async () => {
  using asked = spyOn(globalThis, 'fetch').mockImplementation(
    Object.assign(async () => Response.json({ suggestions: [] }), { preconnect: () => undefined }),
  )
  let shown = Promise.withResolvers<unknown>()
  const { want } = createSource(address, 'bot', (answer) => shown.resolve(answer))
  const requestsAfter = async (text: string): Promise<number> => {
    shown = Promise.withResolvers()
    want(text)
    await shown.promise
    return asked.mock.calls.length
  }
  for (let number = 0; number < 300; number += 1) await requestsAfter(`t${number}`)
  expect(await requestsAfter('t0')).toBe(300)
  expect([await requestsAfter('next'), await requestsAfter('t0')]).toEqual([301, 302])
})
