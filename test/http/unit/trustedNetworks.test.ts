import { expect, test } from 'bun:test'
import { createTrust, parseNetworks } from '../../../src/http/trustedNetworks.ts'

test.each<readonly [string, readonly string[], readonly string[]]>([
  ['', [], ['127.0.0.1', '::1', 'unknown', '']],
  ['203.0.113.7', ['203.0.113.7', '::ffff:203.0.113.7'], ['203.0.113.8', '2001:db8::1']],
  [
    '203.0.113.0/24, 2001:db8:1::/48,',
    ['203.0.113.0', '203.0.113.255', '2001:db8:1::1', '2001:DB8:1:ffff::', '2001:db8:1::1%eth0'],
    ['203.0.114.0', '2001:db8:2::1', 'unknown', ''],
  ],
  ['::ffff:203.0.113.0/120', ['203.0.113.9', '::ffff:203.0.113.9'], ['203.0.112.9', '::9']],
  ['203.0.113.9/24', ['203.0.113.1'], ['203.0.112.1']],
  ['0.0.0.0/0', ['198.51.100.1', '::ffff:198.51.100.1'], ['2001:db8::1', 'unknown']],
  ['::/0', ['2001:db8::1'], ['198.51.100.1']],
])('the networks "%s" contain their addresses and no others', (list, inside, outside) => {
  const isTrusted = createTrust(parseNetworks(list) ?? [])
  for (const address of inside) expect([address, isTrusted(address)]).toEqual([address, true])
  for (const address of outside) expect([address, isTrusted(address)]).toEqual([address, false])
})
