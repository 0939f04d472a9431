import { describe, expect, test } from 'bun:test'
import { foldText } from '../../../src/data/league/foldText.ts'

describe('foldText', () => {
  test.each([
    ['Hero-Bot', 'hero-bot'],
    ['  Blåde’s  Edge ', 'blade’s  edge'],
    ['ÀÉÎ', 'aei'],
    ['ロボ', 'ロホ'],
    ['Ｗｉｄｅ', 'wide'],
    ['', ''],
    ['\u0301\u0308', ''],
    ['🤖', '🤖'],
  ])('%s is compared as %s', (text, folded) => {
    expect(foldText(text)).toBe(folded)
  })
  test('cuts what is long, and never a character in two', () => {
    expect(foldText('x'.repeat(5000))).toBe('x'.repeat(128))
    expect(foldText(`${'x'.repeat(127)}🤖`).isWellFormed()).toBe(true)
    expect(foldText(`${'x'.repeat(127)} y`)).toBe('x'.repeat(127))
  })
  test('of a folded text is the same text', () => {
    for (const text of ['Hero-Bot', 'İzmir', `${'É'.repeat(200)}`, `${'ab '.repeat(60)}`]) {
      expect(foldText(foldText(text))).toBe(foldText(text))
    }
  })
})
