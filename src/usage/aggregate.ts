import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { Counts, DayCounts } from './counts.ts'
import { parseJson } from './event.ts'
import { sketchBytes, sketchCount } from './hyperLogLog.ts'
import { timeBuckets } from './responseTimes.ts'

/** The counts of one day as stored in a file. */
export interface Aggregate {
  readonly counts: DayCounts
  /** Bytes of the day's log included in the counts. */
  readonly coveredBytes: number
  /**
   * Digest of the beginning of that log; the counts include nothing of a log that begins otherwise.
   */
  readonly logStart?: string | undefined
  /** Whether the lists are already cut to the limits of a closed day. */
  readonly isClosed: boolean
}

const format = 1
const count = Type.Integer({ minimum: 0 })
const base64 = Type.String()

const StoredCounts = Type.Object({
  requests: count,
  errors: count,
  bytes: count,
  totalUs: count,
  maxUs: count,
  statuses: Type.Array(Type.Tuple([count, count])),
  times: Type.Object({ buckets: base64, requests: base64 }),
  clients: Type.Object({
    hashes: base64,
    requests: base64,
    sketch: Type.Union([base64, Type.Null()]),
  }),
  callers: Type.Array(Type.Object({ name: Type.String(), requests: count, lastSeen: count })),
})
type StoredCounts = Static<typeof StoredCounts>

const StoredDay = Type.Object({
  format: Type.Literal(format),
  coveredBytes: count,
  // Absent in files of earlier versions.
  logStart: Type.Optional(Type.String()),
  isClosed: Type.Boolean(),
  all: StoredCounts,
  endpoints: Type.Array(Type.Tuple([Type.String(), StoredCounts])),
})
type StoredDay = Static<typeof StoredDay>
const storedDay = TypeCompiler.Compile(StoredDay)

const encodeArray = ({ buffer, byteOffset, byteLength }: ArrayBufferView): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

/** Copies, because typed arrays of 2 and 4 bytes must be aligned. */
const decodeBytes = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, 'base64'))

const toStored = ({ uniqueClients: _derived, ...counts }: Counts): StoredCounts => ({
  ...counts,
  statuses: counts.statuses.map(([status, requests]) => [status, requests]),
  times: {
    buckets: encodeArray(counts.times.buckets),
    requests: encodeArray(counts.times.requests),
  },
  clients: {
    hashes: encodeArray(counts.clients.hashes),
    requests: encodeArray(counts.clients.requests),
    sketch: counts.clients.sketch && encodeArray(counts.clients.sketch),
  },
  callers: [...counts.callers],
})

/** Shares equal texts, as the same names occur on every day. */
type Intern = (text: string) => string

/** Undefined if the lengths of the arrays are inconsistent. */
const fromStored = (stored: StoredCounts, intern: Intern): Counts | undefined => {
  const [buckets, times, hashes, clients] = [
    decodeBytes(stored.times.buckets),
    decodeBytes(stored.times.requests),
    decodeBytes(stored.clients.hashes),
    decodeBytes(stored.clients.requests),
  ]
  const sketch = stored.clients.sketch === null ? null : decodeBytes(stored.clients.sketch)
  const fits =
    buckets.length * 2 === times.length &&
    times.length % 4 === 0 &&
    hashes.length === clients.length * 2 &&
    clients.length % 4 === 0 &&
    (sketch === null || sketch.length === sketchBytes)
  if (!fits) return undefined
  const bucketNumbers = new Uint16Array(buckets.buffer)
  if (bucketNumbers.some((bucket) => bucket >= timeBuckets)) return undefined
  return {
    ...stored,
    uniqueClients: sketch ? sketchCount(sketch) : clients.length / 4,
    times: { buckets: bucketNumbers, requests: new Uint32Array(times.buffer) },
    clients: { isSorted: true, hashes, requests: new Uint32Array(clients.buffer), sketch },
    callers: stored.callers.map((caller) => ({ ...caller, name: intern(caller.name) })),
  }
}

const digestOf = (json: string): string => new Bun.CryptoHasher('sha256').update(json).digest('hex')

/** Encodes an aggregate as two lines: the SHA-256 of the second, and JSON. */
export const encodeAggregate = ({
  counts,
  coveredBytes,
  logStart,
  isClosed,
}: Aggregate): string => {
  const stored: StoredDay = {
    format,
    coveredBytes,
    ...(logStart === undefined ? {} : { logStart }),
    isClosed,
    all: toStored(counts.all),
    endpoints: [...counts.endpoints].map(([route, endpoint]) => [route, toStored(endpoint)]),
  }
  const json = JSON.stringify(stored)
  return `${digestOf(json)}\n${json}\n`
}

/** Decodes an aggregate; undefined if it is damaged or invalid. */
export const decodeAggregate = (text: string, intern: Intern): Aggregate | undefined => {
  const [digest = '', json = ''] = text.split('\n', 2)
  if (digest !== digestOf(json)) return undefined
  const stored = parseJson(json)
  if (!storedDay.Check(stored)) return undefined
  const all = fromStored(stored.all, intern)
  const endpoints = stored.endpoints.flatMap(([route, counts]) => {
    const decoded = fromStored(counts, intern)
    return decoded ? [[intern(route), decoded] as const] : []
  })
  if (!all || endpoints.length < stored.endpoints.length) return undefined
  const { coveredBytes, logStart, isClosed } = stored
  return { counts: { all, endpoints: new Map(endpoints) }, coveredBytes, logStart, isClosed }
}
