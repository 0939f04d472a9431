import { expect, test } from 'bun:test'
import { checkWithout, companionNames } from '../without.ts'

const names = await companionNames()

test('five companions can be deleted', () => {
  expect(names.toSorted()).toEqual(['bulk', 'changes', 'feeds', 'pages', 'sample'])
})

test.each(names.map((name) => [name]))('the types hold and the service starts without %s', (name) =>
  checkWithout(name),
)
