import { expect, test } from 'bun:test'
import { callerName, unnamed } from '../../../src/usage/callerName.ts'

test.each([
  'me',
  'Arena overlay',
  'my-bot/1.0 (https://example.org/bot)',
  'mail@example.org',
  'Böt 🤖 機械',
  'cageside-overlay-2026',
  'NHRL_stats_dashboard.v2',
  'x'.repeat(31),
  'a few more words that together are just about sixty four letters',
])('%p is a name', (key) => {
  expect(callerName(key)).toBe(key)
})

test('space around a name is no part of it', () => {
  expect(callerName('  me ')).toBe('me')
})

test.each([null, ''])('%p is no key', (key) => {
  expect(callerName(key)).toBeNull()
})

test.each([
  ' ',
  'two\nlines',
  'tab\t',
  'nul\0',
  '\u001b[31mred',
  '\u202eback',
  'half \ud800 letter',
  'zero\u200bwidth',
  '<script>alert(1)</script>',
  'say "hi"',
  "it's",
  'a & b',
  'back\\slash',
  '`id`',
  'x'.repeat(65),
  'x'.repeat(65_536),
  '🤖'.repeat(65),
  // Every one of these is invented.
  'Bearer abc',
  'Basic bWU6bWU=',
  'password=hunter2',
  'api_key: abc',
  'https://me:secret@example.org',
  '-----BEGIN PRIVATE KEY-----',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
  'sk_live_4eC39HqLyjWDar',
  'sk-proj-abcdefghijkl',
  'sk-abcdefghijklmnopqrst',
  'ghp_16C7e42F292c6912E7',
  'github_pat_11ABCDEFG0abcdef',
  'glpat-abcdefghij1234567890',
  'xoxb-123456789012-abc',
  'AKIAIOSFODNN7EXAMPLE',
  'AIzaSyA1234567890abcdefghij',
  'ya29.a0AfH6SMBx',
  'npm_abcdefghijklmnop',
  'hf_abcdefghijklmnop',
  '550e8400-e29b-41d4-a716-446655440000',
  'd41d8cd98f00b204e9800998ecf8427e',
  '0123456789abcdef',
  '4111 1111 1111 1111',
  '+49 151 2345 6789 01',
  'aGVsbG8gd29ybGQgdGhpcyBpcyBzZWNyZXQ=',
  'a1b2c3d4e5f6g7h8',
])('%p is not published', (key) => {
  expect(callerName(key)).toBe(unnamed)
  expect(callerName(key)).toBe(unnamed)
})
