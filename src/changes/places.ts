import { networkOf } from '../usage/address.ts'

/** Places of readers, limited in all and for each client. */
export interface Places {
  readonly count: () => number
  /** Takes a place for a client by its address, an IPv6 one by its /64; undefined when all are taken. */
  readonly take: (address: string | undefined) => Place | undefined
  readonly giveBack: (place: Place) => void
}

/** The client that has the place. */
type Place = string

export const createPlaces = (max: number, maxPerClient: number): Places => {
  const clients = new Map<string, number>()
  let taken = 0
  return {
    count: () => taken,
    take: (address) => {
      const client = networkOf(address ?? '')
      const own = clients.get(client) ?? 0
      if (taken >= max || own >= maxPerClient) return undefined
      taken += 1
      clients.set(client, own + 1)
      return client
    },
    giveBack: (client) => {
      taken -= 1
      const left = (clients.get(client) ?? 1) - 1
      if (left > 0) clients.set(client, left)
      else clients.delete(client)
    },
  }
}
