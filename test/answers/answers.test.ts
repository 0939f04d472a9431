import { afterAll, beforeAll, setSystemTime, test } from 'bun:test'
import { differences } from './digests.ts'

const shown = 12

// They were recorded on another day: an answer that follows the clock of the machine cannot be the recorded one.
beforeAll(() => void setSystemTime(new Date('2031-05-17T23:59:59.999Z')))
afterAll(() => void setSystemTime())

test('every answer is the recorded one', async () => {
  // The first site that differs is enough to see why.
  for await (const found of differences()) {
    if (found.length === 0) continue
    throw new Error(
      [
        `${found.length} answers differ from test/snapshots/answers.txt:`,
        ...found.slice(0, shown).map((each) => `  ${each}`),
        'See how with `bun test/answers/command.ts --against COMMIT [SITE ADDRESS]`;',
        'if all of it is meant, record it with `bun test/answers/command.ts --renew`.',
      ].join('\n'),
    )
  }
}, 600_000)
