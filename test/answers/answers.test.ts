import { afterAll, beforeAll, expect, setSystemTime, test } from 'bun:test'
import { join } from 'node:path'
import { answersFolder, recordAnswers } from './recorded.ts'

// The answers were recorded on another day, and must not follow the clock of the machine.
beforeAll(() => void setSystemTime(new Date('2031-05-17T23:59:59.999Z')))
afterAll(() => void setSystemTime())

test('every answer over the small league is the recorded one (renew: bun test/answers/command.ts --renew)', async () => {
  const recorded = new Map<string, string>()
  for await (const name of new Bun.Glob('*.txt').scan(answersFolder))
    recorded.set(name, await Bun.file(join(answersFolder, name)).text())
  const now = await recordAnswers()
  expect([...recorded.keys()].sort()).toEqual([...now.keys()].sort())
  const differing = [...now].filter(([name, text]) => recorded.get(name) !== text)
  // The first difference is shown line by line, the others by name.
  expect(differing.map(([name]) => `${name}\n${recorded.get(name)}`).slice(0, 1)).toEqual(
    differing.map(([name, text]) => `${name}\n${text}`).slice(0, 1),
  )
})
