import { describe, expect, test } from 'bun:test'
import { cleanName, isPlaceholderName } from '../../../src/data/league/cleanName.ts'

describe('cleanName', () => {
  test.each([
    ['Fenny T. Rohm', 'fennytrohm'],
    ['Vex!', 'vex'],
    ["O'Brien (MK2)", 'obrienmk2'],
    ['0-0', '00'],
    ['Ängström', 'angstrom'],
    ['ﬁsh', 'fish'],
    ['Ｗｉｄｅ', 'wide'],
    ['Straße', 'strasse'],
    ['H₂O', 'h2o'],
    ['İzmir', 'izmir'],
    ['ロボ', 'robo'],
    ['ロボ'.normalize('NFD'), 'robo'],
    ['ﾛﾎﾞ', 'robo'],
    ['ｶﾞﾝﾀﾞﾑ', 'gandamu'],
    ['Робот', 'robot'],
    ['Зайка'.normalize('NFD'), 'zayka'],
    ['Żółw', 'zolw'],
    ['Øre', 'ore'],
    ['★', ''],
    ['!?', ''],
    ['', ''],
    ['\ud800x', 'x'],
  ])('the clean name of %s is %s', (name, clean) => {
    expect(cleanName(name)).toBe(clean)
    expect(cleanName(clean)).toBe(clean)
  })
})

describe('isPlaceholderName', () => {
  test.each(['(Bye)', 'Bye', ' (bye) ', 'BYE', 'Bracket Seed 4', 'bracket seed 128'])(
    'the name %s is a placeholder',
    (name) => expect(isPlaceholderName(name)).toBe(true),
  )
  test.each(['Bye Bye Birdie', 'Goodbye', 'Bracket', 'Bracket Seed', 'Seed 4', ''])(
    'the name %s is one of a bot',
    (name) => expect(isPlaceholderName(name)).toBe(false),
  )
})
