import { networkOf } from '../../http/usage/address.ts'

/** A client, and the places that it has. */
export interface Client {
  readonly network: string
  places: number
  /** Bytes that wait to be sent to this client. */
  unreadBytes: number
}

/** Places of readers, limited in all and for each client. */
export const createPlaces = (max: number, maxPerClient: number) => {
  const clients = new Map<string, Client>()
  let taken = 0
  return {
    count: (): number => taken,
    /** Takes a place for a client by its address, an IPv6 one by its /64; undefined when all are taken. */
    take: (address: string | undefined): Client | undefined => {
      const network = networkOf(address ?? '')
      const client = clients.get(network) ?? { network, places: 0, unreadBytes: 0 }
      if (taken >= max || client.places >= maxPerClient) return undefined
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
