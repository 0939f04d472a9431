import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { callerName, unnamed } from '../../../src/http/usage/callerName.ts'
import { formatEvent, parseEvent } from '../../../src/http/usage/event.ts'

test.each([
  'me',
  'x',
  'Arena overlay',
  "Bob's overlay",
  'Bob’s overlay',
  'R&D overlay',
  'Q&A',
  'Stats & video for the UK',
  'cornell-combat-robotics-autonomous-26-27',
  'my-super-cool-robot-combat-discord-bot',
  'my-bot/1.0',
  'my-bot/1.0 (Linux)',
  'curl 8.5.0',
  'python-requests/2.32.3',
  'robot_stats_dashboard.v2',
  'NHRL_stats_dashboard.v2',
  'Cornell-Combat-Robotics-26-27',
  'RobotStats',
  'YouTube clips',
  'UKBots fan site',
  'BattleBotsFan',
  'ArenaTV',
  'RobotFightAPI',
  'iOS app',
  'iPhone widget',
  'macOS-menubar',
  'NHRLStats',
  'DeWalt tools',
  'bot42',
  '3lb-brackets',
  '30lb and 12lb',
  'overlay 2026',
  'overlay-2026-11-21',
  'overlay-20261121',
  'TEST_KEY_12345',
  '2nd screen',
  'v2.0.1-beta',
  '#robots',
  'bot#1234',
  'example.org',
  'https-proxy',
  'Go Team!',
  'Is it live?',
  'Big Robot Co.',
  'Stats (beta)',
  'Jo, Al, and Kit',
  'Robots, live',
  'Pit display – cage 4',
  'Cage 5 / overhead',
  'TV | main hall',
  'arena~display',
  'Żółw i Jeż',
  'Überblick',
  'Ñandú',
  'Kampfroboter-Anzeige',
  'Émilie à vélo',
  'Стас Оверлей',
  'Ελληνικά Ρομπότ',
  'ロボット',
  'ロボット コンバット 統計',
  'ロボットコンバット統計オーバーレイ',
  '로봇 전투',
  '机器人格斗数据',
  'روبوت القتال',
  'רובוט',
  'रोबोट',
  'หุ่นยนต์',
  'Böt 🤖 機械',
  '🤖',
  'a few more words that together are just about sixty four letters',
  `${'word '.repeat(12)}word`,
])('the key %p is the name of a caller', (key) => {
  expect(callerName(key)).toBe(key)
})

test('spaces around the name of a caller are removed', () => {
  expect(callerName('  me ')).toBe('me')
})

test.each([null, ''])('the key %p is no name of a caller', (key) => {
  expect(callerName(key)).toBeNull()
})

test.each([
  'mail@example.org',
  'me@example.com',
  'me@ example.com',
  'Jo.Doe@mail.example',
  '@SUM(1)',
  '@sum',
  '@robots',
  'bot @ home',
  ' ',
  'two\nlines',
  'tab\t',
  'nul\0',
  '\u001b[31mred',
  '\u202eback',
  'half \ud800 letter',
  'zero\u200bwidth',
  `z${'\u0336'.repeat(20)}algo`,
  '<script>alert(1)</script>',
  '<b>me</b>',
  'say "hi"',
  'back\\slash',
  '`id`',
  '$(id)',
  '$id',
  '{{id}}',
  "' or 1=1",
  'two  spaces',
  'two--dashes',
  '-me',
  '(unnamed key)',
  '(other keys)',
  '12',
  '127.0.0.1',
  '::1',
  '2001:db8::1',
  '192.0.2.1:8080',
  'd7-7b-e8-85-2c-1f',
  'A3 BA 1E A4 6E 3C',
  'x'.repeat(16),
  'robots-abcdefabcdef',
  'x'.repeat(65),
  `${'word '.repeat(13)}word`,
  'x'.repeat(65_536),
  '1.0',
  // All of these tokens are invented.
  'Basic bWU6bWU=',
  'user:pencil',
  'password=hunter2',
  'password: hunter2',
  'api_key: abc',
  'P@ssw0rd!',
  'Tr0ub4dor&3',
  'S3cr3t',
  'x9K2mQ7p',
  'https://me:secret@example.org',
  'https://hooks.example/T0/B0',
  '-----BEGIN PRIVATE KEY-----',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
  'sk_live_4eC39HqLyjWDar',
  'sk_test_51Hq8Zk2eZvKYlo2C',
  'sk-proj-Zk3nT8vQ1wYb7LsD',
  'ghp_16C7e42F292c6912E7',
  'github_pat_11ABCDEFG0abcdef',
  'glpat-x1Yz9_abcDEF-7890Qw',
  'xoxb-123456789012-abc',
  'AKIAIOSFODNN7EXAMPLE',
  'AIzaSyA1234567890abcdefghij',
  'ya29.a0AfH6SMBx',
  '550e8400-e29b-41d4-a716-446655440000',
  'd41d8cd98f00b204e9800998ecf8427e',
  '0123456789abcdef',
  '4111 1111 1111 1111',
  '4111-1111-1111-1111',
  'card 4111 1111 1111',
  'SSN 123-45-6789',
  '+49 151 2345 6789 01',
  'aGVsbG8gd29ybGQgdGhpcyBpcyBzZWNyZXQ=',
  'a1b2c3d4e5f6g7h8',
  'W269N-WFGWX-YVC9B-4J6C9-T83GX',
])('the key %p is not published', (key) => {
  expect(callerName(key)).toBe(unnamed)
  expect(callerName(key)).toBe(unnamed)
})

const tokenOf = (alphabet: string) =>
  fc
    .array(fc.constantFrom(...alphabet), { minLength: 16, maxLength: 80 })
    .map((characters) => characters.join(''))
const digits = '0123456789'
const small = 'abcdefghijklmnopqrstuvwxyz'
const letters = small.toUpperCase() + small
const without = (text: string, left: string) => text.replace(new RegExp(`[${left}]`, 'g'), '')

test.each([
  ['hex', tokenOf(`${digits}abcdef`)],
  ['HEX', tokenOf(`${digits}ABCDEF`)],
  ['base32', tokenOf(`${letters.slice(0, 26)}234567`)],
  ['base58', tokenOf(without(digits + letters, '0OIl'))],
  ['base62', tokenOf(digits + letters)],
  ['UUID', fc.uuid()],
])('a random token is not published: %s', (_, token) => {
  fc.assert(
    fc.property(token, (key) => callerName(key) === unnamed),
    { numRuns: 5000 },
  )
})

test.each([
  ['base64', `${digits + letters}+/`],
  ['base64url', `${digits + letters}-_`],
])('a random token is not published: %s', (_, alphabet) => {
  // A few of these spell words by chance, so the draw is fixed.
  fc.assert(
    fc.property(fc.noBias(tokenOf(alphabet)), (key) => callerName(key) === unnamed),
    { numRuns: 20_000, seed: 1 },
  )
})

test.each(['𠮷'.repeat(64), `${'🤖-'.repeat(31)}🤖`, 'word '.repeat(12).trim()])(
  'the key %p is logged as it is published',
  (key) => {
    const caller = callerName(key)
    expect(caller).toBe(key)
    const event = {
      timeMs: 1000,
      route: '/fights',
      status: 200,
      durationUs: 1000,
      bytes: 100,
      client: '0123456789abcdef',
      caller,
    }
    expect(parseEvent(formatEvent(event).trimEnd())).toEqual(event)
  },
)
