import { type ClientList, clientBytes } from './counts.ts'
import { addToSketch, mergeSketch, type Sketch } from './hyperLogLog.ts'
import type { Tally } from './tally.ts'

/** Number of clients that {@link addClients} reads; all of an unsorted list. */
export const countRead = ({ requests, isSorted }: ClientList, limit: number): number =>
  isSorted ? Math.min(requests.length, limit) : requests.length

const eachClient = (
  { hashes, requests }: ClientList,
  count: number,
  onClient: (high: number, low: number, requests: number) => void,
): void => {
  const view = new DataView(hashes.buffer, hashes.byteOffset, hashes.byteLength)
  for (let index = 0; index < count; index += 1) {
    const at = index * clientBytes
    onClient(view.getUint32(at), view.getUint32(at + 4), requests[index] ?? 0)
  }
}

/** Adds the `limit` most frequent clients of a list to a tally. */
export const addClients = (tally: Tally, list: ClientList, limit: number): void =>
  eachClient(list, countRead(list, limit), tally.add)

/** Merges all clients of a list into a sketch. */
export const addToUnion = (sketch: Sketch, list: ClientList): void => {
  if (list.sketch) mergeSketch(sketch, list.sketch)
  else eachClient(list, list.requests.length, (high, low) => addToSketch(sketch, high, low))
}
