import { describe, expect, test } from 'bun:test'
import { createLimiter, maxClients } from '../../../src/http/limiter.ts'
import { parseNetworks } from '../../../src/http/trustedNetworks.ts'

const cached = { isMade: false, sentBytes: 100 }
const made = { isMade: true, sentBytes: 100 }

describe('limits by client', () => {
  const limits = { rate: 10, burst: 20, maxWaiting: 2 }

  test('a client may make a burst of requests, then the rate', () => {
    let now = 0
    const { take } = createLimiter(limits, () => now)
    for (let n = 0; n < 20; n += 1) expect(take('203.0.113.1')).toBeUndefined()
    expect(take('203.0.113.1')).toBe(1)
    expect(take('203.0.113.2')).toBeUndefined()
    now += 100
    expect(take('203.0.113.1')).toBeUndefined()
    expect(take('203.0.113.1')).toBe(1)
    now += 3_600_000
    for (let n = 0; n < 20; n += 1) expect(take('203.0.113.1')).toBeUndefined()
    expect(take('203.0.113.1')).toBe(1)
  })

  test('uncached and large responses cost more units, up to a minute of debt', () => {
    const of = (response: typeof cached): number | undefined => {
      const { take, charge } = createLimiter({ ...limits, burst: 5 }, () => 0)
      charge('203.0.113.1', response)
      return take('203.0.113.1')
    }
    expect(of(cached)).toBeUndefined()
    expect(of(made)).toBeUndefined()
    expect(of({ isMade: false, sentBytes: 5 * 256 * 1024 })).toBe(1)
    expect(of({ isMade: true, sentBytes: 25 * 256 * 1024 })).toBe(3)
    expect(of({ isMade: true, sentBytes: 1e12 })).toBe(61)
  })

  test('an IPv6 client is a /64, in any notation', () => {
    const { take } = createLimiter({ ...limits, burst: 2 }, () => 0)
    expect(take('2001:db8:1:2::1')).toBeUndefined()
    expect(take('2001:DB8:1:2:ffff:0:0:9')).toBeUndefined()
    expect(take('2001:db8:1:2:3::')).toBe(1)
    expect(take('2001:db8:1:3::1')).toBeUndefined()
    // An IPv4 address within IPv6 is the IPv4 address.
    for (const address of ['::ffff:203.0.113.9', '203.0.113.9'])
      expect(take(address)).toBeUndefined()
    expect(take('203.0.113.9')).toBe(1)
  })

  test('the limiter keeps a bounded number of clients, the last seen ones', () => {
    const { take } = createLimiter({ ...limits, burst: 1 }, () => 0)
    const address = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
    for (let n = 0; n <= maxClients; n += 1) take(address(n))
    expect(take(address(maxClients))).toBe(1)
    expect(take(address(0))).toBeUndefined()
  })

  test('work in progress is bounded for each client', () => {
    const { enter } = createLimiter(limits)
    const [leave, other] = [enter('203.0.113.1'), enter('203.0.113.1')]
    expect([leave, other]).toEqual([expect.any(Function), expect.any(Function)])
    expect(enter('203.0.113.1')).toBeUndefined()
    expect(enter('203.0.113.2')).toBeFunction()
    leave?.()
    const again = enter('203.0.113.1')
    expect(enter('203.0.113.1')).toBeUndefined()
    for (const end of [again, other]) end?.()
    for (const place of ['first', 'second']) {
      expect([place, enter('203.0.113.1')]).toEqual([place, expect.any(Function)])
    }
    expect(enter('203.0.113.1')).toBeUndefined()
  })

  test('a trusted network has no limit, and its neighbours have theirs', () => {
    const trustedNetworks = parseNetworks('203.0.113.0/25') ?? []
    const { take, charge, debt, enter } = createLimiter({
      ...limits,
      maxWaiting: 1,
      trustedNetworks,
    })
    const spend = (address: string): unknown => {
      for (let n = 0; n < 100; n += 1) {
        charge(address, made)
        take(address)
        enter(address)
      }
      return [take(address), debt(address), enter(address)].map((each) => typeof each)
    }
    expect(spend('203.0.113.1')).toEqual(['undefined', 'undefined', 'function'])
    expect(spend('203.0.113.129')).toEqual(['number', 'number', 'undefined'])
  })

  test('a limit of 0 is no limit', () => {
    const { take, charge, enter } = createLimiter({ rate: 0, burst: 1, maxWaiting: 0 })
    for (let n = 0; n < 1000; n += 1) {
      charge('203.0.113.1', made)
      expect([take('203.0.113.1'), typeof enter('203.0.113.1')]).toEqual([undefined, 'function'])
    }
  })
})
