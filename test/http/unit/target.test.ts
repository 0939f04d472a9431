import { expect, test } from 'bun:test'
import { canonicalPath, targetOf } from '../../../src/http/target.ts'

test.each([
  ['http://localhost/fights?page=2', '/fights?page=2'],
  ['http://localhost/fights/?page=2', '/fights?page=2'],
  ['http://localhost/fights/', '/fights'],
  ['http://localhost/', '/'],
  ['http://localhost/?q=a/', '/?q=a/'],
  ['http://localhost', '/'],
  ['/fights/', '/fights'],
  ['localhost:443', '/'],
])('the target of %s is %s', (url, target) => {
  expect(targetOf(url)).toBe(target)
})

test.each([
  ['/fights?page=2', '/fights'],
  ['/%62ots/axe', '/bots/axe'],
  ['/bots/a%20b', '/bots/a%20b'],
  ['/bots/%c5%bb', '/bots/%C5%BB'],
  ['/bots/a%2fb', '/bots/a%2Fb'],
  ['/.well-known/x', '/.well-known/x'],
  ['/bots/%zz', undefined],
  ['/bots/%ff', undefined],
  ['/./bots', undefined],
  ['/bots/%2e', undefined],
  ['/bots/%2E./x', undefined],
])('the canonical path of %s is %p', (target, path) => {
  expect(canonicalPath(target)).toBe(path)
})
