import { afterAll, describe, expect, test } from 'bun:test'
import { createRandom } from '../../scripts/league/random.ts'
import type { Catalog } from '../bench/catalog.ts'
import { type Answer, connectTo } from '../bench/connection.ts'
import { createEventTraffic } from '../bench/eventTraffic.ts'
import { createHostileTraffic } from '../bench/hostileTraffic.ts'
import { double, drop, neighbourKey, oneDigit, swap } from '../bench/searchTypos.ts'
import { isMet, rounded, rowsOf, summary } from '../bench/stats.ts'

describe('a connection of the load', () => {
  const end = 'Content-Length: 4\r\n\r\nbody'
  const told: Readonly<Record<string, readonly string[]>> = {
    '/whole': [`HTTP/1.1 200 OK\r\n${end}`],
    '/pieces': ['HTTP/1.1 200 OK\r\nETag: W/"a"\r\nContent-Le', 'ngth: 4\r\n\r', '\nbo', 'dy'],
    '/same': ['HTTP/1.1 304 Not Modified\r\netag: W/"a"\r\nContent-Length: 4\r\n\r\n'],
    '/wrong': [`HTTP/1.1 500 Internal Server Error\r\n${end}`],
    '/chunks': [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n',
      '0\r\n',
      '\r\n',
    ],
    '/unending': ['HTTP/1.1 200 OK\r\n\r\nbody'],
    '/more': [`HTTP/1.1 200 OK\r\n${end}more`],
  }
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: async (socket, chunk) => {
        const pieces = told[chunk.toString().split(' ')[1] ?? '']
        if (!pieces) return void socket.end()
        for (const piece of pieces) {
          socket.write(piece)
          await Bun.sleep(5)
        }
      },
    },
  })
  afterAll(() => server.stop(true))

  const ask = (path: string): Promise<Answer | undefined> => {
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>()
    const connection = connectTo(`http://127.0.0.1:${server.port}`, (answer) => {
      connection.close()
      resolve(answer)
    })
    connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`, false)
    return promise
  }

  test('reads an answer, in one piece or several', async () => {
    expect(await ask('/whole')).toEqual({ status: 200, etag: null })
    expect(await ask('/pieces')).toEqual({ status: 200, etag: 'W/"a"' })
    expect(await ask('/chunks')).toEqual({ status: 200, etag: null })
    expect(await ask('/same')).toEqual({ status: 304, etag: 'W/"a"' })
    expect(await ask('/wrong')).toEqual({ status: 500, etag: null })
  })

  test('reports incomplete and missing responses', async () => {
    expect(await ask('/unending')).toBeUndefined()
    expect(await ask('/more')).toBeUndefined()
    expect(await ask('/closed')).toBeUndefined()
  })
})

test('a misspelling changes letters alone, in a name with emoji too', () => {
  const random = createRandom(1)
  for (const misspell of [neighbourKey, drop, double, swap, oneDigit]) {
    for (let draw = 0; draw < 20; draw += 1) {
      expect(misspell('🤖🤖 ota', random)).toMatch(/^🤖🤖 (?!ota$)[a-z0-9]{2,4}$/u)
      expect(misspell('🤖', random)).toBeNull()
    }
  }
})

describe('the loads', () => {
  const world: Catalog = {
    tournaments: ['cup', 'open'],
    fights: [{ tournamentID: 'cup', gameID: 'W-1' }],
    bots: [
      { name: 'Axe Été', cleanName: 'axeete' },
      { name: 'Öl', cleanName: 'ol' },
    ],
    recordings: ['1'],
    cages: [1, 2],
    lastFightPage: 9,
  }

  test('are the same for the same seed', () => {
    for (const create of [createEventTraffic, createHostileTraffic]) {
      const draw = (seed: number) => {
        const next = create(world, seed)
        return Array.from({ length: 500 }, () => JSON.stringify(next()))
      }
      expect(draw(1)).toEqual(draw(1))
      expect(draw(1)).not.toEqual(draw(2))
    }
  })

  test('ask for what does not exist once in twenty times', () => {
    const next = createEventTraffic(world, 1)
    const asked = Array.from({ length: 10_000 }, next)
    const missing = asked.filter(({ isExpected }) => isExpected(404)).length
    expect(Math.abs(missing / asked.length - 0.05)).toBeLessThan(0.01)
    expect(asked.some(({ isExpected }) => isExpected(500))).toBe(false)
    expect(asked.every(({ path }) => /^\/[!-~]*$/.test(path))).toBe(true)
  })

  test('are hostile with no request twice', () => {
    const next = createHostileTraffic(world, 1)
    const asked = Array.from({ length: 5000 }, () => {
      const { method, path, headers } = next()
      return `${method} ${path} ${headers}`
    })
    expect(new Set(asked).size).toBeGreaterThan(4950)
    expect(asked.every((text) => /^[\r\n -~]*$/.test(text))).toBe(true)
  })
})

describe('figures', () => {
  test('have the middle of several repetitions and their bounds', () => {
    expect(summary([5, 1, 3])).toEqual({ median: 3, min: 1, p99: 5, max: 5, repetitions: 3 })
    expect(summary([]).median).toBe(0)
  })

  test('are rounded by their size', () => {
    expect([0.12345, 12.345, 1234.5].map(rounded)).toEqual([0.123, 12.3, 1235])
  })

  test('say whether a goal is met', () => {
    const row = rowsOf(1)
    expect(isMet(row('speed', 'ms', 2, { atMost: 2 }))).toBe(true)
    expect(isMet(row('speed', 'ms', [2.1], { atMost: 2 }))).toBe(false)
    expect(isMet(row('speed', 'ms', 2.1, { judged: 2, atMost: 2 }))).toBe(true)
    expect(isMet(row('rate', 'times', 0.85, { atLeast: 0.85 }))).toBe(true)
    expect(isMet(row('rate', 'times', 0.8, { atLeast: 0.85 }))).toBe(false)
    expect(isMet(row('speed', 'ms', 1))).toBeNull()
  })
})
