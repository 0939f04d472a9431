import { addCaller, type CallerTable, topCallers } from './callerTable.ts'
import { addClients, addToUnion } from './clientList.ts'
import {
  type ClientList,
  type Counts,
  clientBytes,
  closedLimits,
  type DayCounts,
  type ListLimits,
} from './counts.ts'
import { emptySketch, sketchCount } from './hyperLogLog.ts'
import { addTimes, listTimes, timeBuckets } from './responseTimes.ts'
import { createTally } from './tally.ts'

const sumOf = (
  parts: readonly Counts[],
  field: 'requests' | 'errors' | 'bytes' | 'totalUs',
): number => parts.reduce((sum, part) => sum + part[field], 0)

const mergeClients = (
  lists: readonly ClientList[],
  maxClients: number,
): Pick<Counts, 'clients' | 'uniqueClients'> => {
  const tally = createTally(lists.reduce((sum, { requests }) => sum + requests.length, 0))
  for (const list of lists) addClients(tally, list, Number.POSITIVE_INFINITY)
  const kept = tally.mostFrequent(maxClients).slice(0, maxClients)
  const hashes = new Uint8Array(kept.length * clientBytes)
  const view = new DataView(hashes.buffer)
  for (const [index, { high, low }] of kept.entries()) {
    view.setUint32(index * clientBytes, high)
    view.setUint32(index * clientBytes + 4, low)
  }
  const isExact = kept.length === tally.size() && lists.every(({ sketch }) => sketch === null)
  const sketch = isExact ? null : emptySketch()
  if (sketch) for (const list of lists) addToUnion(sketch, list)
  return {
    uniqueClients: sketch ? sketchCount(sketch) : tally.size(),
    clients: {
      isSorted: true,
      hashes,
      requests: Uint32Array.from(kept, ({ requests }) => requests),
      sketch,
    },
  }
}

const mergeCounts = (parts: readonly Counts[], limits: ListLimits): Counts => {
  const statuses = new Map<number, number>()
  const times = new Uint32Array(timeBuckets)
  const callers: CallerTable = new Map()
  for (const part of parts) {
    for (const [status, requests] of part.statuses) {
      statuses.set(status, (statuses.get(status) ?? 0) + requests)
    }
    addTimes(times, part.times)
    for (const caller of part.callers) addCaller(callers, caller)
  }
  return {
    requests: sumOf(parts, 'requests'),
    errors: sumOf(parts, 'errors'),
    bytes: sumOf(parts, 'bytes'),
    totalUs: sumOf(parts, 'totalUs'),
    maxUs: parts.reduce((max, { maxUs }) => Math.max(max, maxUs), 0),
    statuses: [...statuses].sort(([one], [other]) => one - other),
    times: listTimes(times),
    callers: topCallers(callers, limits.callers),
    ...mergeClients(
      parts.map(({ clients }) => clients),
      limits.clients,
    ),
  }
}

/**
 * Merges the counts of several days, with the limits of one closed day. A step merges one endpoint,
 * or all requests: about 1 ms for 8 days of 2,000 clients.
 */
export const mergeDays = function* (days: readonly DayCounts[]): Generator<void, DayCounts> {
  const all = mergeCounts(
    days.map((day) => day.all),
    closedLimits.all,
  )
  yield
  const endpoints = new Map<string, Counts>()
  for (const route of new Set(days.flatMap((day) => [...day.endpoints.keys()]))) {
    const parts = days.flatMap((day) => day.endpoints.get(route) ?? [])
    endpoints.set(route, mergeCounts(parts, closedLimits.endpoint))
    yield
  }
  return { all, endpoints }
}
