import { expect, spyOn, test } from 'bun:test'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { disk, diskProblems } from '../../src/runtime/disk.ts'
import { temporaryFolder } from '../process.ts'
import { until } from '../until.ts'

test('operations queued behind a hung close fail after 5 s, and later ones work', async () => {
  const path = join(await temporaryFolder(), 'file')
  const handle = await open(path, 'w')
  const { close } = handle
  await handle.close()
  const prototype = Object.getPrototypeOf(handle)
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const file = await disk.open(path, 'r')
  prototype.close = async function (): Promise<void> {
    prototype.close = close
    await answered
    await close.call(this)
  }
  const closing = file.close()
  await expect(disk.stat(path)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  await closing
  expect(diskProblems()).toHaveLength(1)
  answer()
  await until(() => diskProblems().length === 0)
  expect((await disk.stat(path)).isFile()).toBe(true)
})

test('a file that opens only after 5 s is closed, and a failed close is ignored', async () => {
  const path = join(await temporaryFolder(), 'pipe')
  expect(Bun.spawnSync(['mkfifo', path]).exitCode).toBe(0)
  // Opening a pipe blocks until it has a writer.
  await expect(disk.open(path, 'r')).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  const handle = await open('/dev/null', 'w')
  const { close } = handle
  const closing = spyOn(Object.getPrototypeOf(handle), 'close').mockImplementationOnce(
    async function (this: typeof handle) {
      await close.call(this)
      throw new Error('input/output error')
    },
  )
  await Bun.spawn(['sh', '-c', `: > ${path}`]).exited
  await until(() => closing.mock.calls.length > 0)
  closing.mockRestore()
  await handle.close()
  expect((await disk.stat(path)).isFIFO()).toBe(true)
})
