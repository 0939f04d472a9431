import { expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { createCompressor } from '../../../src/companions/bulk/members.ts'

test('a member has the whole text, with characters of one to four bytes', async () => {
  const lines = ['x'.repeat(200_000), 'ロ'.repeat(30_000), '🤖'.repeat(150_000), 'é'.repeat(9)]
  const compressor = createCompressor({
    opening: '',
    line: (row) => Object.values(row).join(''),
  })
  for (const own of [lines, lines.toReversed()]) {
    const { bytes, rows } = await compressor.member({ rows: () => own.map((text) => ({ text })) })
    expect(rows).toBe(own.length)
    expect(gunzipSync(bytes).toString() === own.join('')).toBe(true)
  }
})
