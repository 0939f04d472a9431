import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Replaces an address that cannot be parsed. */
const unknown = 'unknown'

/** Maximum number of characters read from the end of the header: more than 32 proxies write. */
const maxEntriesLength = 4096

/** Removes the port that some proxies write into `X-Forwarded-For`. */
const withoutPort = (entry: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1]
  return bracketed ?? entry.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
}

/**
 * Address of the client: with n trusted proxies the n-th entry of `X-Forwarded-For` from the right, because entries
 * further left can be forged; else, and if that is no address, `peer()`. Resolving the peer takes a tenth of the time
 * of a response, so it is called only if needed.
 */
export const senderOf = (
  { headers }: Request,
  trustedProxies: number,
  peer: () => string,
): string => {
  if (trustedProxies === 0) return peer()
  const entries = headers
    .get('x-forwarded-for')
    ?.slice(-maxEntriesLength)
    .split(',')
    .slice(-trustedProxies)
  const entry = withoutPort(entries?.[0]?.trim() ?? '')
  return isIP(entry) === 0 ? peer() : entry
}

/**
 * Normal form of an address: IPv4 whole, also when mapped into IPv6; IPv6 cut to the /64 of one
 * subscriber.
 */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return unknown
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
