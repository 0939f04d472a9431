import ipaddr from 'ipaddr.js'

/**
 * Reach of an IP address: `public`, or `local` for loopback and private networks. Undefined for all others: link-local
 * (cloud metadata services among them), multicast, reserved and translated addresses.
 */
export type Reach = 'public' | 'local'

const localRanges: readonly string[] = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']

export const reachOf = (address: string): Reach | undefined => {
  if (!ipaddr.isValid(address)) return undefined
  const range = ipaddr.process(address).range()
  if (range === 'unicast') return 'public'
  return localRanges.includes(range) ? 'local' : undefined
}
