import { clientBytes } from './counts.ts'
import { addToSketch, emptySketch, type Sketch } from './hyperLogLog.ts'

/** Clients and their requests in typed arrays: half the memory of a map of objects. */
export interface ClientTable {
  readonly places: Map<string, number>
  hashes: DataView<ArrayBuffer>
  requests: Uint32Array
}

const initialCapacity = 16
export const createClientTable = (): ClientTable => ({
  places: new Map(),
  hashes: new DataView(new ArrayBuffer(initialCapacity * clientBytes)),
  requests: new Uint32Array(initialCapacity),
})

export const sketchOf = ({ places, hashes }: ClientTable): Sketch => {
  const sketch = emptySketch()
  for (let at = 0; at < places.size * clientBytes; at += clientBytes) {
    addToSketch(sketch, hashes.getUint32(at), hashes.getUint32(at + 4))
  }
  return sketch
}

/**
 * Places by descending number of requests, then ascending. Both are packed into one number, which
 * sorts five times as fast as entries.
 */
export const byFrequency = ({ places, requests }: ClientTable): Float64Array => {
  const keys = new Float64Array(places.size)
  for (let place = 0; place < keys.length; place += 1) {
    keys[place] = place - (requests[place] ?? 0) * 2 ** 20
  }
  keys.sort()
  return keys.map((key) => ((key % 2 ** 20) + 2 ** 20) % 2 ** 20)
}

export const putClient = (clients: ClientTable, client: string, added: number): number => {
  const place = clients.places.size
  if (place === clients.requests.length) {
    const hashes = new Uint8Array(2 * place * clientBytes)
    hashes.set(new Uint8Array(clients.hashes.buffer))
    clients.hashes = new DataView(hashes.buffer)
    const requests = new Uint32Array(2 * place)
    requests.set(clients.requests)
    clients.requests = requests
  }
  clients.places.set(client, place)
  clients.hashes.setUint32(place * clientBytes, Number.parseInt(client.slice(0, 8), 16))
  clients.hashes.setUint32(place * clientBytes + 4, Number.parseInt(client.slice(8), 16))
  clients.requests[place] = added
  return place
}

/** Keeps the `kept` clients with the most requests. */
export const pruneClients = (clients: ClientTable, kept: number): ClientTable => {
  const names = [...clients.places.keys()]
  const pruned = createClientTable()
  for (const place of byFrequency(clients).subarray(0, kept)) {
    const name = names[place]
    if (name !== undefined) putClient(pruned, name, clients.requests[place] ?? 0)
  }
  return pruned
}
