import { expect, test } from 'bun:test'
import { createTexts } from '../../../src/bulk/members.ts'

test('a text is whole, however many bytes its characters take', async () => {
  const lines = ['x'.repeat(200_000), 'ロ'.repeat(30_000), '🤖'.repeat(150_000), 'é'.repeat(9)]
  const texts = createTexts({
    opening: '',
    line: (row) => Object.values(row).join(''),
    parts: () => [],
  })
  for (const own of [lines, lines.toReversed()]) {
    const { bytes, rows } = await texts({
      key: 'k',
      of: undefined,
      rows: () => own.map((text) => ({ text })),
    })
    expect(rows).toBe(own.length)
    expect(bytes.toString() === own.join('')).toBe(true)
  }
})
