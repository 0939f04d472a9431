import { expect, test } from 'bun:test'
import { dictionaryText } from '../../../src/companions/bulk/dictionary.ts'
import { noRatings } from '../../../src/derived/ratings/ratings.ts'

test('chances are columns only if ratings are on', () => {
  const columnsWith = (ratings: typeof noRatings | undefined) =>
    [...dictionaryText({ dataVersion: 'one', ratings }, undefined).matchAll(/^\| (\w+) \|/gm)].map(
      ([, column]) => column,
    )
  const [shown, hidden] = [columnsWith(noRatings), columnsWith(undefined)]
  expect(shown.filter((column) => !hidden.includes(column))).toEqual(['player1WinProbability'])
  expect(shown).toHaveLength(hidden.length + 1)
})
