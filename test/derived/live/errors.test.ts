import { expect, test } from 'bun:test'
import { errorsAt } from '../../../src/derived/live/errors.ts'

const errors = [
  { lead: 1, early: -0.5, late: 1 },
  { lead: 3, early: -1.5, late: 2 },
  { lead: 5, early: -2, late: 6 },
]

test.each([
  ['half of the lead and a turn more than it, if no day was measured', [], 4, -2, 5],
  ['those of the shortest lead, before that', errors, 0.2, -0.5, 1],
  ['those of a lead that was measured', errors, 3, -1.5, 2],
  ['between two leads as far as it is from them', errors, 2.5, -1.25, 1.75],
  ['longer in proportion after the longest', errors, 10, -4, 12],
])('the errors of a forecast are %s', (_, measured, lead, early, late) => {
  expect(errorsAt(measured, lead)).toEqual({ lead, early, late })
})
