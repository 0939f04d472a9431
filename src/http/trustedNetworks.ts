import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A network: its address, and the length of its prefix in bits. */
export type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** A network such as `203.0.113.0/24` or `2001:db8::/48`, or a single address; undefined if the text is neither. */
const parseNetwork = (text: string): Network | undefined => {
  const [, address = '', length] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  if (isIP(address) === 0) return undefined
  const parsed = ipaddr.parse(address)
  const maxBits = parsed instanceof ipaddr.IPv4 ? 32 : 128
  const bits = length === undefined ? maxBits : Number(length)
  if (bits > maxBits) return undefined
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= 96
    ? [parsed.toIPv4Address(), bits - 96]
    : [parsed, bits]
}

/** Networks of a list separated by commas; undefined if one cannot be parsed. */
export const parseNetworks = (list: string): readonly Network[] | undefined => {
  const texts = list.split(',').flatMap((text) => text.trim() || [])
  const networks = texts.map(parseNetwork)
  return networks.every((network) => network !== undefined) ? networks : undefined
}

/**
 * True for addresses of these networks, also for IPv4 mapped into IPv6. Limits by client do not apply to them, because
 * thousands of people share such an address: the Wi-Fi of a venue.
 */
export const createTrust = (networks: readonly Network[]): ((address: string) => boolean) => {
  if (networks.length === 0) return () => false
  return (address) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return networks.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    )
  }
}
