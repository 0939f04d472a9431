import { expect, test } from 'bun:test'
import { apiPaths, createRoutes } from '../../src/api/routes.ts'
import { serviceOf } from '../fixtures.ts'

test('apiPaths has every route of the program', () => {
  const { routes } = createRoutes(serviceOf(undefined), {
    basePath: '',
    legacyBase: '',
    liveStreams: async () => [],
    pictureSizes: async () => undefined,
    companions: [],
  })
  const declared = routes.routes.map(({ path }) => path).filter((path) => !path.endsWith('.php'))
  const listed = Object.values(apiPaths).flat()
  expect([...new Set(declared)].toSorted()).toEqual(listed.toSorted())
})
