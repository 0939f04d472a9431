import { compareTexts } from '../../runtime/compareTexts.ts'
import type { ClientList } from './counts.ts'
import { addToSketch, emptySketch, mergePacked, packSketch, sketchCount } from './hyperLogLog.ts'

/** Clients of an open day with their requests, bounded. */
export const openClients = () => ({
  requests: new Map<string, number>(),
  /** Requests of all clients, listed or not. */
  sketch: emptySketch(),
  /** True if all clients are listed. */
  isAll: true,
})
type OpenClients = ReturnType<typeof openClients>

/** The `kept` clients with the most requests, busiest first. */
const busiest = (
  requests: ReadonlyMap<string, number>,
  kept: number,
): readonly (readonly [string, number])[] => {
  const sorted = Uint32Array.from(requests.values()).sort()
  const least = sorted[sorted.length - kept] ?? 0
  return requests
    .entries()
    .filter(([, count]) => count >= least)
    .toArray()
    .sort(([, one], [, other]) => other - one)
    .slice(0, kept)
}

/** Adds requests of a client; beyond `limit` clients, the less frequent half is dropped. */
export const addClient = (
  clients: OpenClients,
  client: string,
  { added, limit }: { readonly added: number; readonly limit: number },
): void => {
  const { requests, sketch } = clients
  const known = requests.get(client)
  requests.set(client, (known ?? 0) + added)
  if (known !== undefined) return
  const [high, low] = [client.slice(0, 8), client.slice(8)]
  addToSketch(sketch, Number.parseInt(high, 16), Number.parseInt(low, 16))
  if (requests.size <= limit) return
  clients.requests = new Map(busiest(requests, limit / 2))
  clients.isAll = false
}

const hex = (hash: bigint): string => hash.toString(16).padStart(16, '0')

/** Adds a list of clients that was read from disk, or of a closed day. */
export const addList = (clients: OpenClients, list: ClientList, limit: number): void => {
  clients.isAll &&= list.isAll
  mergePacked(clients.sketch, list.sketch)
  for (const [index, hash] of list.hashes.entries()) {
    addClient(clients, hex(hash), { added: list.requests[index] ?? 0, limit })
  }
}

/** Number of different clients: estimated if a list of `kept` does not have all. */
export const countClients = ({ requests, sketch, isAll }: OpenClients, kept: number): number =>
  isAll && requests.size <= kept ? requests.size : sketchCount(sketch)

/** The `kept` busiest clients, and the sketch of all. */
export const listClients = ({ requests, sketch, isAll }: OpenClients, kept: number): ClientList => {
  const listed = busiest(requests, kept)
  return {
    hashes: BigUint64Array.from(listed, ([client]) => BigInt(`0x${client}`)),
    requests: Uint32Array.from(listed, ([, count]) => count),
    sketch: packSketch(sketch),
    isAll: isAll && listed.length === requests.size,
  }
}

/** The busiest clients of several lists together; clients of named callers have no requests. */
export const sumClients = (
  lists: readonly ClientList[],
  kept: number,
): readonly { readonly client: string; readonly requests: number }[] => {
  const sums = new Map<bigint, number>()
  for (const { hashes, requests } of lists) {
    for (const [index, hash] of hashes.entries()) {
      sums.set(hash, (sums.get(hash) ?? 0) + (requests[index] ?? 0))
    }
  }
  return [...sums]
    .filter(([, requests]) => requests > 0)
    .map(([hash, requests]) => ({ client: hex(hash), requests }))
    .sort((one, other) => other.requests - one.requests || compareTexts(one.client, other.client))
    .slice(0, kept)
}

/** Number of different clients of several lists together. */
export const countUnion = (lists: readonly ClientList[]): number => {
  const sketch = emptySketch()
  for (const list of lists) mergePacked(sketch, list.sketch)
  return sketchCount(sketch)
}
