import { expect, test } from 'bun:test'
import { bandChart } from '../../../src/companions/pages/charts.ts'

test('a band entirely on one side of the compared value has that value at its edge', () => {
  const chart = (value: number) => {
    const points = [0, 60].map((unix) => ({
      ...{ unix, value, low: value - 100, high: value + 100, label: '' },
    }))
    return bandChart(points, { label: '', middle: 1500 }).toString()
  }
  expect(chart(1700)).toMatch(/points="0,0 1000,0 1000,66.67 0,66.67".*M0 100H1000/)
  expect(chart(1300)).toMatch(/points="0,33.33 1000,33.33 1000,100 0,100".*M0 0H1000/)
})
