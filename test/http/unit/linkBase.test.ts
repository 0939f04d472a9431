import { expect, test } from 'bun:test'
import { linkBase } from '../../../src/http/linkBase.ts'

const settings = { publicUrl: undefined, basePath: '/api', trustedProxies: 0 }

test('a host in links is in lower case', () => {
  expect(linkBase(settings, new Headers({ host: 'Arena.Example:80' }))).toBe(
    'http://arena.example:80/api',
  )
})

test('a host of more than 260 characters is ignored', () => {
  const baseOf = (length: number) =>
    linkBase(settings, new Headers({ host: `${'a'.repeat(length - 5)}.test` }))
  expect(baseOf(260)).toBe(`http://${'a'.repeat(255)}.test/api`)
  expect(baseOf(261)).toBe('http://localhost/api')
})
