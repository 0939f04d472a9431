import { expect, test } from 'bun:test'
import { whyOf } from '../../src/files.ts'

test.each([
  ['ENOSPC', 'the disk is full (ENOSPC)'],
  ['SQLITE_FULL', 'the disk is full (SQLITE_FULL)'],
  ['SQLITE_READONLY_DIRECTORY', 'the file system is read-only (SQLITE_READONLY_DIRECTORY)'],
  ['EWHATEVER', 'EWHATEVER'],
])('the reason of %s is one for people', (code, reason) => {
  expect(whyOf(Object.assign(new Error('x'), { code }))).toBe(reason)
})
