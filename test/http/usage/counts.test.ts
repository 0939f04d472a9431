import { describe, expect, test } from 'bun:test'
import { decodeAggregate, encodeAggregate } from '../../../src/http/usage/aggregate.ts'
import { createCalendar } from '../../../src/http/usage/calendar.ts'
import { addCaller, type CallerTable } from '../../../src/http/usage/callerTable.ts'
import { type DayCounts, openLimits } from '../../../src/http/usage/counts.ts'
import { formatEvent, parseEvent, type UsageEvent } from '../../../src/http/usage/event.ts'
import {
  addToSketch,
  emptySketch,
  mergePacked,
  packSketch,
  sketchCount,
} from '../../../src/http/usage/hyperLogLog.ts'
import { openDay } from '../../../src/http/usage/openDay.ts'
import { buildReport, lastReportDay } from '../../../src/http/usage/report.ts'
import { timeBuckets } from '../../../src/http/usage/responseTimes.ts'
import { present } from '../../present.ts'

const day = 20_526
const hash = (of: number | string): string =>
  new Bun.CryptoHasher('sha256').update(String(of)).digest('hex').slice(0, 16)
const event = (over: Partial<UsageEvent> = {}): UsageEvent => ({
  timeMs: day * 86_400_000 + 1000,
  route: '/fights',
  status: 200,
  durationUs: 1000,
  bytes: 10,
  client: hash(1),
  caller: null,
  ...over,
})
const reportOf = (events: readonly UsageEvent[], days = 1, route?: string) => {
  const calendar = createCalendar()
  for (const each of events) calendar.add(each)
  return buildReport(calendar, { lastDay: day, days, route })
}

test('a caller was last seen at its latest request, in any order of days', () => {
  const [early, late] = [10, 20].map((lastSeen) => ({ name: 'Bot', requests: 1, lastSeen }))
  for (const callers of [
    [early, late],
    [late, early],
  ]) {
    const sums: CallerTable = new Map()
    for (const caller of callers) if (caller) addCaller(sums, caller)
    expect(sums.get('Bot')).toEqual({ name: 'Bot', requests: 2, lastSeen: 20 })
  }
})

describe('an event', () => {
  const odd = event({ caller: 'Böt "2"\u2028', route: '/a"b', durationUs: 1234 })
  test('a usage event is one line of JSON', () => {
    const line = formatEvent(odd)
    expect(line.indexOf('\n')).toBe(line.length - 1)
    expect(JSON.parse(line)).toEqual({
      time: odd.timeMs,
      route: '/a"b',
      status: 200,
      ms: 1.234,
      bytes: 10,
      client: odd.client,
      key: 'Böt "2"\u2028',
    })
  })
  test('a usage event is the same when it is read', () => {
    expect(parseEvent(formatEvent(odd))).toEqual(odd)
    expect(parseEvent(formatEvent(event()))).toEqual(event())
    for (let us = 0; us < 5_000_000; us += 1 + (us >> 6)) {
      expect(parseEvent(formatEvent(event({ durationUs: us })))?.durationUs).toBe(us)
    }
    expect(parseEvent(formatEvent(event({ openMs: 0 })))?.openMs).toBe(0)
  })
  test.each(['', '{', 'null', '[]', '{}', '\0\0', '{"time":1}', formatEvent(odd).slice(0, -9)])(
    'the line %p is no usage event',
    (line) => {
      expect(parseEvent(line)).toBeUndefined()
    },
  )
  const written = JSON.parse(formatEvent({ ...odd, openMs: 1 }))
  test.each([
    ['time', 0, 8_640_000_000_000_000],
    ['route', '', 'r'.repeat(200)],
    ['status', 100, 599],
    ['ms', 0, 1e9],
    ['bytes', 0, 2 ** 40],
    ['open', 0, 2 ** 40],
    ['key', '', 'k'.repeat(128)],
  ])('a usage event has a %s up to its bounds', (name, ...bounds) => {
    for (const bound of bounds) {
      const parsed = parseEvent(JSON.stringify({ ...written, [name]: bound }))
      expect([bound, parsed]).toEqual([bound, expect.any(Object)])
    }
  })
  test.each([
    ['time', -1, 1.5, 8_640_000_000_000_001, null],
    ['route', 'r'.repeat(201), 1],
    ['status', 99, 600, 200.5],
    ['ms', -0.001, '1'],
    ['bytes', -1, 0.5],
    ['open', -1, 0.5],
    ['client', '0'.repeat(15), '0'.repeat(17), 'g'.repeat(16), 'A'.repeat(16)],
    ['key', 'k'.repeat(129), 1],
  ])('a usage event with a bad %s is refused', (name, ...others) => {
    expect(parseEvent(JSON.stringify(written))).toBeDefined()
    for (const other of others) {
      const parsed = parseEvent(JSON.stringify({ ...written, [name]: other }))
      expect([other, parsed]).toEqual([other, undefined])
    }
  })
})

describe('percentiles', () => {
  test('percentiles are within a hundredth of the true ones', async () => {
    const times = Array.from({ length: 10_000 }, (_, index) =>
      Math.ceil(20 + 1e6 * (((index * 7919) % 10_000) / 10_000) ** 6),
    )
    const { p50Us, p95Us, p99Us, maxUs, endpoints } = await reportOf(
      times.map((durationUs) => event({ durationUs })),
    )
    const sorted = times.toSorted((a, b) => a - b)
    for (const [share, found] of [
      [0.5, p50Us],
      [0.95, p95Us],
      [0.99, p99Us],
    ] as const) {
      const exact = sorted[Math.floor(share * (sorted.length - 1))] ?? 0
      expect(Math.abs(found / exact - 1)).toBeLessThanOrEqual(0.0101)
    }
    expect(maxUs).toBe(sorted.at(-1) ?? 0)
    expect(endpoints.map((endpoint) => endpoint.p95Us)).toEqual([p95Us])
  })

  test('a percentile is the value at a position, counted from 0', async () => {
    const [low, high] = [100, 900_000]
    for (const [slow, expected] of [
      [50, low],
      [51, high],
    ] as const) {
      const times = [...Array(50).fill(low), ...Array(slow).fill(high)]
      const { p50Us } = await reportOf(times.map((durationUs) => event({ durationUs })))
      expect(p50Us / expected).toBeCloseTo(1, 1)
    }
  })

  test('registers hold the leading zeros of the rest of a hash, up to their five bits', () => {
    const registers = (
      [
        [0xffe0_0001, 1],
        [0x0010_0000, 0],
        [0x0020_0001, 0],
        [0x0040_0000, 0x8000_0000],
        [0x0060_0000, 0x0080_0000],
        [0x0080_0000, 1],
      ] as const
    ).map(([high, low]) => {
      const sketch = emptySketch()
      addToSketch(sketch, high, low)
      const [register = 0] = packSketch(sketch)
      return [register >>> 5, register & 31]
    })
    expect(registers).toEqual([
      [2047, 21],
      [0, 1],
      [1, 21],
      [2, 22],
      [3, 30],
      [4, 31],
    ])
  })

  test('percentiles hold for extreme values', async () => {
    const { p50Us, maxUs } = await reportOf([event({ durationUs: 0 })])
    expect(p50Us).toBeLessThanOrEqual(1)
    expect(maxUs).toBe(0)
    // The maximum is two hours.
    for (const [durationUs, counted] of [
      [7e9, 7e9],
      [1e12, 7.2e9],
    ] as const) {
      const report = await reportOf([event({ durationUs })])
      expect(report.maxUs).toBe(durationUs)
      expect(Math.abs(report.p50Us / counted - 1)).toBeLessThanOrEqual(0.0101)
    }
  })
})

test('a report ends with a counted day at most two days ahead', () => {
  const lastDays = [0, 1, 2, 3].map((ahead) =>
    lastReportDay({ has: (counted) => counted === day + ahead }, day * 86_400_000 + 1),
  )
  expect(lastDays).toEqual([day, day + 1, day + 2, day])
})

test('a report lists 100 callers and all routes, the busiest first, then by name', async () => {
  const names = Array.from({ length: 160 }, (_, index) => `caller ${index}`)
  const calls = names.map((caller, index) => event({ caller, route: `/r${(7 * index) % 10}` }))
  const { callers, endpoints } = await reportOf([...calls, ...calls.slice(60), ...calls.slice(159)])
  expect(callers.map(({ name, requests }) => [name, requests])).toEqual([
    ['caller 159', 3],
    ...names
      .slice(60, 159)
      .toSorted()
      .map((name) => [name, 2]),
  ])
  expect(endpoints.map(({ route }) => route)).toEqual(
    [3, 0, 1, 2, 4, 5, 6, 7, 8, 9].map((digit) => `/r${digit}`),
  )
})

describe('a sketch', () => {
  const sketchOf = (from: number, to: number) => {
    const sketch = emptySketch()
    for (let each = from; each < to; each += 1) {
      const bytes = Buffer.from(hash(each), 'hex')
      addToSketch(sketch, bytes.readUInt32BE(0), bytes.readUInt32BE(4))
    }
    return sketch
  }
  test.each([0, 1, 10, 1000, 5000, 20_000, 100_000])('a sketch counts %i', (count) => {
    expect(Math.abs(sketchCount(sketchOf(0, count)) - count)).toBeLessThanOrEqual(count * 0.08)
  })
  test('a sketch of two groups counts common members once', () => {
    const both = sketchOf(0, 6000)
    mergePacked(both, packSketch(sketchOf(3000, 9000)))
    expect(both).toEqual(sketchOf(0, 9000))
  })
})

describe('the number of clients', () => {
  const crowd = (count: number): UsageEvent[] =>
    Array.from({ length: count }, (_, index) =>
      event({ client: hash(index), caller: index % 2 ? `caller ${index}` : null }),
    )
  const regulars = Array.from({ length: 3000 }, (_, index) =>
    event({ client: hash(`r${index % 30}`) }),
  )
  const named = Array.from({ length: 3000 }, (_, index) =>
    event({ client: hash(`n${index % 30}`), caller: `regular ${index % 30}` }),
  )

  test('the number of clients is exact up to the limit', async () => {
    const report = await reportOf([...crowd(9000), ...regulars, ...named])
    expect(report.uniqueClients).toBe(9060)
    expect(report.topClients).toHaveLength(20)
    const anonymous = new Set(regulars.map(({ client }) => client))
    for (const { client, requests } of report.topClients) {
      expect([anonymous.has(client), requests]).toEqual([true, 100])
    }
  })

  test('the number of clients is an estimate beyond the limit, and lists keep the busiest', async () => {
    const strangers = crowd(60_000)
    const mixed = strangers.flatMap((each, index) => [
      each,
      ...regulars.slice(index, index + 1),
      ...named.slice(index, index + 1),
    ])
    const report = await reportOf(mixed)
    expect(report.totals.requests).toBe(66_000)
    expect(Math.abs(report.uniqueClients / 60_060 - 1)).toBeLessThan(0.08)
    const known = new Set(regulars.map(({ client }) => client))
    expect(report.topClients).toHaveLength(20)
    for (const { client, requests } of report.topClients) {
      expect(known.has(client)).toBe(true)
      expect(requests).toBe(100)
    }
    expect(report.callers).toHaveLength(100)
    expect(report.callers[0]?.name).toBe('(other keys)')
    expect(report.callers.slice(1, 31).every(({ requests }) => requests === 100)).toBe(true)
  })
})

describe('a day', () => {
  const filled = (events: readonly UsageEvent[]) => {
    const open = openDay()
    for (const each of events) open.add(each)
    return open
  }
  const events = Array.from({ length: 5000 }, (_, index) =>
    event({
      client: hash(index % 400),
      caller: index % 3 ? null : `caller ${index % 7}`,
      route: `/route${index % 5}`,
      status: [200, 304, 404, 500][index % 4] ?? 200,
      durationUs: index * 37,
      bytes: index,
    }),
  )

  test('a day written to a file and read again is equal', () => {
    const counts = filled(events).read()
    const text = encodeAggregate({ counts, coveredBytes: 7, isClosed: false })
    expect(decodeAggregate(text, (name) => name)).toEqual({
      counts,
      coveredBytes: 7,
      isClosed: false,
    })
  })

  test('a day with too many callers drops the half with fewer requests', () => {
    const { callers } = openLimits.all
    const open = openDay()
    const call = (number: number, times: number) => {
      for (let time = 0; time < times; time += 1)
        open.add(event({ caller: `caller ${number}`, route: `/route${number % 8}` }))
    }
    for (let number = 0; number < callers; number += 1) call(number, number < 10 ? 2 : 1)
    const countOf = () => open.read().all.callers.length
    expect(countOf()).toBe(callers)
    call(callers, 1)
    // The list ends with the sum of the dropped callers.
    expect(countOf()).toBe(callers / 2 + 1)
    for (let number = callers + 1; number < 2 * callers; number += 1) call(number, 1)
    const { all } = open.read()
    expect(all.callers.reduce((sum, { requests }) => sum + requests, 0)).toBe(all.requests)
    const names = all.callers.map(({ name }) => name)
    for (let number = 0; number < 10; number += 1) expect(names).toContain(`caller ${number}`)
    const { callers: ofEndpoint } = openLimits.endpoint
    for (let number = 0; number <= ofEndpoint; number += 1)
      open.add(event({ caller: `other ${number}`, route: '/other' }))
    expect(open.read().endpoints.get('/other')?.callers).toHaveLength(ofEndpoint / 2 + 1)
    expect([callers, ofEndpoint]).toEqual([500, 100])
  })

  test('a day of an earlier version keeps its 20 busiest clients and the number of all', () => {
    const lists = filled(Array.from({ length: 900 }, (_, index) => event({ client: hash(index) })))
    for (const each of events) lists.add(each)
    // Earlier versions listed up to 2,000 clients of a closed day.
    const text = encodeAggregate({ counts: lists.read(), coveredBytes: 0, isClosed: true })
    expect(text).toContain('"sketch":null')
    const read = decodeAggregate(text, (name) => name)?.counts.all
    expect([read?.uniqueClients, read?.clients.isAll]).toEqual([900, false])
    expect(read?.clients.hashes).toEqual(lists.close().all.clients.hashes)
    expect(read?.clients.sketch).toEqual(lists.close().all.clients.sketch)
  })

  test.each(['first', 'last'])(
    'a day in two halves is the same, the %s one added before',
    (which) => {
      const halves = [filled(events.slice(0, 2500)).read(), filled(events.slice(2500)).read()]
      const put = openDay()
      for (const half of which === 'first' ? halves : halves.reverse()) put.addDay(half)
      const byName = ({ all, endpoints }: DayCounts) =>
        [all, ...[...endpoints].sort().map(([, counts]) => counts)].map(
          ({ clients, callers, statuses, ...totals }) => ({
            ...totals,
            clients: new Map([...clients.hashes].map((each, at) => [each, clients.requests[at]])),
            callers: callers.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
            statuses: new Map(statuses),
          }),
        )
      expect(byName(put.read())).toEqual(byName(filled(events).read()))
    },
  )

  test('a day lists a limited number of clients, with times in whole seconds', () => {
    const { clients } = openLimits.endpoint
    const open = openDay()
    const visit = (number: number) => open.add(event({ client: hash(number) }))
    for (let number = 0; number < clients; number += 1) visit(number)
    const listed = () => open.read().endpoints.get('/fights')?.clients
    expect([listed()?.hashes.length, listed()?.isAll]).toEqual([clients, true])
    visit(clients)
    expect([listed()?.hashes.length, listed()?.isAll]).toEqual([clients / 2, false])
    const added = openDay()
    for (const first of [0, clients]) {
      const numbers = Array.from({ length: clients }, (_, index) => first + index)
      const visits = numbers.map((number) => event({ client: hash(number), caller: `c${number}` }))
      added.addDay(filled(visits).read())
    }
    const of = added.read().endpoints.get('/fights')
    expect(of?.clients.hashes.length).toBeLessThan(clients)
    expect(of?.callers.length).toBeLessThan(openLimits.endpoint.callers)
    open.add(event({ caller: 'me', timeMs: day * 86_400_000 + 1999 }))
    expect(open.read().all.callers).toEqual([
      { name: 'me', requests: 1, lastSeen: day * 86_400 + 1 },
    ])
  })

  test('a closed day takes little memory, and still counts all clients', async () => {
    const visits = 50_000
    const busy = filled(
      Array.from({ length: visits }, (_, index) =>
        event({ client: hash(index), caller: `c${index % 5000}`, route: `/route${index % 40}` }),
      ),
    )
    const closed = busy.close()
    expect(
      encodeAggregate({ counts: closed, coveredBytes: 0, isClosed: true }).length,
    ).toBeLessThan(500_000)
    expect(closed.all.requests).toBe(visits)
    // The list ends with the sum of the other callers.
    for (const [counts, callers] of [
      [closed.all, 101],
      [closed.endpoints.get('/route7'), 21],
    ] as const)
      expect(counts?.callers).toHaveLength(callers)
    const report = await buildReport(
      { live: () => closed },
      { lastDay: day, days: 1, route: undefined },
    )
    expect(Math.abs(report.uniqueClients / visits - 1)).toBeLessThan(0.08)
  })

  test.each([10, 300, 3000, 9000])(
    'a day of %i clients that is closed and read again counts them',
    (clients) => {
      const visits = Array.from({ length: clients }, (_, index) => event({ client: hash(index) }))
      const again = openDay()
      const text = encodeAggregate({
        counts: filled(visits).close(),
        coveredBytes: 0,
        isClosed: true,
      })
      again.addDay(present(decodeAggregate(text, String)).counts)
      const { all, endpoints } = again.read()
      for (const { uniqueClients } of [all, ...endpoints.values()])
        expect(Math.abs(uniqueClients / clients - 1)).toBeLessThan(0.08)
    },
  )

  test('a day has a bounded number of endpoints, and counts every request', () => {
    const visits = Array.from({ length: 1500 }, (_, index) => event({ route: `/made-up/${index}` }))
    const { all, endpoints } = filled(visits).read()
    expect(endpoints.size).toBeLessThanOrEqual(1001)
    expect(all.requests).toBe(1500)
    expect(endpoints.values().reduce((sum, { requests }) => sum + requests, 0)).toBe(1500)
    expect(endpoints.get('(unmatched)')?.requests).toBe(500)
  })

  test.each([
    ['an empty file', () => ''],
    ['a file that was cut', (text: string) => text.slice(0, -20)],
    ['a flipped letter', (text: string) => text.replace('"requests":5000', '"requests":5001')],
    ['a line of something else', () => `${hash(1)}\n{}\n`],
    [
      'an endpoint with more counts than times',
      (text: string) => {
        const stored = JSON.parse(text.split('\n')[1] ?? '')
        stored.endpoints[0][1].times.buckets = ''
        const json = JSON.stringify(stored)
        return `${new Bun.CryptoHasher('sha256').update(json).digest('hex')}\n${json}\n`
      },
    ],
    ['a digest of no JSON', () => `${new Bun.CryptoHasher('sha256').update('').digest('hex')}\n`],
  ])('a day is not read from %s', (_, damage) => {
    const text = encodeAggregate({
      counts: filled(events).read(),
      coveredBytes: 0,
      isClosed: true,
    })
    expect(decodeAggregate(damage(text), (name) => name)).toBeUndefined()
  })

  test.each([
    ['more hashes than requests', { hashes: 16, sketch: 2048 }],
    ['fewer registers than a sketch has', { hashes: 8, sketch: 2047 }],
  ])('a day is not read from a file with clients of %s', (_, lengths) => {
    const counts = filled([event()]).read()
    const [, json = ''] = encodeAggregate({ counts, coveredBytes: 0, isClosed: true }).split('\n')
    const read = ({ hashes, sketch }: typeof lengths) => {
      const stored = JSON.parse(json)
      const zeros = (length: number) => Buffer.alloc(length).toString('base64')
      Object.assign(stored.all.clients, { hashes: zeros(hashes), sketch: zeros(sketch) })
      const changed = JSON.stringify(stored)
      const digest = new Bun.CryptoHasher('sha256').update(changed).digest('hex')
      return decodeAggregate(`${digest}\n${changed}\n`, String)
    }
    expect(read({ hashes: 8, sketch: 2048 })).toBeDefined()
    expect(read(lengths)).toBeUndefined()
  })

  test.each([
    ['a time of more than two hours', { buckets: Uint16Array.of(timeBuckets), requests: 4 }],
    ['half a bucket', { buckets: Uint8Array.of(1), requests: 2 }],
    ['more buckets than requests', { buckets: Uint16Array.of(1, 2), requests: 4 }],
  ])('a day is not read from a file with %s', (_, { buckets, requests }) => {
    const counts = filled([event()]).read()
    const [, json = ''] = encodeAggregate({ counts, coveredBytes: 0, isClosed: true }).split('\n')
    const textWith = (times: Readonly<Record<string, string>>): string => {
      const stored = JSON.parse(json)
      const changed = JSON.stringify({ ...stored, all: { ...stored.all, times } })
      return `${new Bun.CryptoHasher('sha256').update(changed).digest('hex')}\n${changed}\n`
    }
    const read = (ofBuckets: Uint8Array | Uint16Array, bytes: number) =>
      decodeAggregate(
        textWith({
          buckets: Buffer.from(ofBuckets.buffer).toString('base64'),
          requests: Buffer.alloc(bytes).toString('base64'),
        }),
        String,
      )
    expect(read(Uint16Array.of(timeBuckets - 1), 4)).toBeDefined()
    expect(read(buckets, requests)).toBeUndefined()
  })
})
