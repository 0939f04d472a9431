import { expect, test } from 'bun:test'
import { reachOf } from '../../../src/data/remote/networkAddress.ts'

test.each([
  ['93.184.216.34', 'public'],
  ['2606:2800:220:1::1', 'public'],
  ['::ffff:93.184.216.34', 'public'],
  ['127.0.0.1', 'local'],
  ['::1', 'local'],
  ['::ffff:127.0.0.1', 'local'],
  ['10.1.2.3', 'local'],
  ['172.16.0.1', 'local'],
  ['192.168.1.1', 'local'],
  ['100.64.0.1', 'local'],
  ['fd00::1', 'local'],
  ['169.254.169.254', undefined],
  ['::ffff:169.254.169.254', undefined],
  ['fe80::1', undefined],
  ['0.0.0.0', undefined],
  ['::', undefined],
  ['224.0.0.1', undefined],
  ['255.255.255.255', undefined],
  ['240.0.0.1', undefined],
  ['64:ff9b::7f00:1', undefined],
  ['2002:7f00:1::', undefined],
  ['localhost', undefined],
  ['', undefined],
])('the reach of %s is %p', (address, reach) => {
  expect<string | undefined>(reachOf(address)).toBe(reach)
})
