import { networkOf } from '../../http/usage/address.ts'

/** A client and its places. */
export interface Client {
  readonly network: string
  /** True if no limit by client applies. */
  readonly isTrusted: boolean
  places: number
  /** Bytes that wait to be sent to this client. */
  unreadBytes: number
}

/** Places of readers, limited in total and per client, but trusted clients only in total. */
export const createPlaces = (
  max: number,
  maxPerClient: number,
  isTrusted: (address: string) => boolean = () => false,
) => {
  const clients = new Map<string, Client>()
  let taken = 0
  return {
    count: (): number => taken,
    /** Takes a place for a client by its address, for IPv6 by its /64; undefined if all are taken. */
    take: (address = ''): Client | undefined => {
      const trusted = isTrusted(address)
      // A trusted address may be one of a network that is not.
      const network = `${networkOf(address)}${trusted ? ' trusted' : ''}`
      const client = clients.get(network) ?? {
        network,
        isTrusted: trusted,
        places: 0,
        unreadBytes: 0,
      }
      if (taken >= max || (client.places >= maxPerClient && !trusted)) return undefined
      taken += 1
      client.places += 1
      clients.set(network, client)
      return client
    },
    giveBack: (client: Client): void => {
      taken -= 1
      client.places -= 1
      if (client.places === 0) clients.delete(client.network)
    },
  }
}
