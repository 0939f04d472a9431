import { expect, test } from 'bun:test'
import { projectFolder, runToEnd } from './process.ts'

const modules = `
  for (const name of ['app', 'data/following/fromSnapshot', 'companions/changes/changes', 'api/streams/liveStreams', 'http/usage/usage']) {
    await import('./src/' + name + '.ts')
  }
  console.log(Object.keys(require.cache).join('\\n'))`

test('a start from a snapshot loads no library that few requests need', async () => {
  const { output, errors } = await runToEnd([process.execPath, '-e', modules], {
    cwd: projectFolder,
  })
  expect(errors).toBe('')
  const packages = [...output.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].map(
    ([, name]) => name,
  )
  expect(packages).toContain('elysia')
  for (const name of ['@elysiajs/swagger', 'fast-xml-parser', 'postgres', 'prom-client']) {
    expect(packages).not.toContain(name)
  }
})
