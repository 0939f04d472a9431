import { describe, expect, test } from 'bun:test'
import { networkOf, senderOf } from '../../../src/http/usage/address.ts'

describe('the sender', () => {
  test.each([
    ['1.2.3.4', 0, '10.0.0.1'],
    ['1.2.3.4', 1, '1.2.3.4'],
    ['6.6.6.6, 1.2.3.4', 1, '1.2.3.4'],
    ['6.6.6.6,1.2.3.4', 2, '6.6.6.6'],
    ['5.5.5.5, 6.6.6.6, 1.2.3.4', 2, '6.6.6.6'],
    // Fewer entries than proxies: the request bypassed one of them.
    ['1.2.3.4', 3, '1.2.3.4'],
    [' 1.2.3.4:8080 ', 1, '1.2.3.4'],
    ['[2001:db8::1]:8080', 1, '2001:db8::1'],
    ['[2001:db8::1]', 1, '2001:db8::1'],
    ['2001:db8::1', 1, '2001:db8::1'],
    ['', 1, '10.0.0.1'],
    ['1.2.3.4,', 1, '10.0.0.1'],
    ['garbage1', 1, '10.0.0.1'],
    ['unknown', 1, '10.0.0.1'],
    ['999.1.1.1', 1, '10.0.0.1'],
    ['1.2.3', 1, '10.0.0.1'],
    ['[x]:80', 1, '10.0.0.1'],
    ['1.2.3.4, garbage1', 2, '1.2.3.4'],
    [`${'6.6.6.6, '.repeat(600)}1.2.3.4`, 1, '1.2.3.4'],
    [`6.6.6.6, 1.2.3.4${', [2001:db8:1:2:3:4:5:6]:65535'.repeat(31)}`, 32, '1.2.3.4'],
    [null, 1, '10.0.0.1'],
  ])(
    'the sender behind X-Forwarded-For: %.40s and %i proxies is %s',
    (forwardedFor, proxies, address) => {
      const headers = new Headers(forwardedFor === null ? {} : { 'x-forwarded-for': forwardedFor })
      const request = new Request('http://localhost/', { headers })
      expect(senderOf(request, proxies, () => '10.0.0.1')).toBe(address)
    },
  )
})

describe('the network', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
    ['', 'unknown'],
    ['999.1.1.1', 'unknown'],
    ['x'.repeat(100_000), 'unknown'],
  ])('the network of %.40s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
