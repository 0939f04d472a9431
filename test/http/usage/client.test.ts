import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createClientHasher } from '../../../src/http/usage/client.ts'
import { temporaryFolder } from '../../process.ts'

const midnight = Date.UTC(2026, 2, 15)
const hourMs = 3_600_000

describe('the key of a day', () => {
  const opened = () =>
    createClientHasher({ nowMs: midnight - hourMs, rotation: 'day', keyPath: undefined })

  test('a day has one key, even if events come late or the clock goes back a little', () => {
    const clients = opened()
    const names = [1, -1, 3, -hourMs, 2 * hourMs].map((ms) =>
      clients.hash(midnight + ms, '192.0.2.1', 'agent'),
    )
    expect(new Set(names).size).toBe(1)
  })

  test('the day before and the day after have other keys', () => {
    const clients = opened()
    const names = [-hourMs, 1, 24 * hourMs, -48 * hourMs].map((ms) =>
      clients.hash(midnight + ms, '192.0.2.1', 'agent'),
    )
    expect(new Set(names).size).toBe(4)
  })

  test('a key that begins during a save is saved by the next one', async () => {
    const keyPath = join(await temporaryFolder(), 'client.key')
    const clients = createClientHasher({ nowMs: midnight - hourMs, rotation: 'day', keyPath })
    const saving = clients.save()
    clients.rotate(midnight)
    await saving
    await clients.save()
    expect(await Bun.file(keyPath).text()).toStartWith('2026-03-15\n')
  })
})
