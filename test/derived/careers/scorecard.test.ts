import { expect, test } from 'bun:test'
import { parseJudgeLine } from '../../../src/derived/careers/scorecard.ts'

test.each(['Damage 3-2', ': Damage 3-2', 'Ann: Damage 3-2, late'])(
  'the line %j has no scores of a judge',
  (line) => {
    expect(parseJudgeLine(line)).toEqual([])
  },
)
