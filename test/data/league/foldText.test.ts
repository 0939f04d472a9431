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
  ])('the folded text of %s is %s', (text, folded) => {
    expect(foldText(text)).toBe(folded)
  })
  test('folding cuts a long text, but never within a character', () => {
    expect(foldText('x'.repeat(5000))).toBe('x'.repeat(128))
    expect(foldText(`${'x'.repeat(127)}🤖`).isWellFormed()).toBe(true)
    expect(foldText(`${'x'.repeat(127)} y`)).toBe('x'.repeat(127))
  })
  test('folding a folded text changes nothing', () => {
    for (const text of ['Hero-Bot', 'İzmir', `${'É'.repeat(200)}`, `${'ab '.repeat(60)}`]) {
      expect(foldText(foldText(text))).toBe(foldText(text))
    }
  })
})
