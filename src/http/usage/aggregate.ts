import { type Static, Type } from '@sinclair/typebox'
import { parseJson } from '../../data/journal/parseJson.ts'
import { compiled } from '../../runtime/once.ts'
import { type ClientList, type Counts, type DayCounts, maxTopClients } from './counts.ts'
import {
  addToSketch,
  emptySketch,
  mergePacked,
  packSketch,
  sketchBytes,
  sketchCount,
} from './hyperLogLog.ts'
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
  /** True if the lists are already cut to the limits of a closed day. */
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
  /** Busiest first, 8 bytes each, big-endian; the sketch is null if these are all. */
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
  // Missing in files of earlier versions.
  logStart: Type.Optional(Type.String()),
  isClosed: Type.Boolean(),
  all: StoredCounts,
  endpoints: Type.Array(Type.Tuple([Type.String(), StoredCounts])),
})
type StoredDay = Static<typeof StoredDay>
const storedDay = compiled(StoredDay)

const encodeArray = ({ buffer, byteOffset, byteLength }: ArrayBufferView): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

/** Copies, because typed arrays of 2 and 4 bytes must be aligned. */
const decodeBytes = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, 'base64'))

const storeClients = ({ hashes, requests, sketch, isAll }: ClientList): StoredCounts['clients'] => {
  const bytes = new DataView(new ArrayBuffer(8 * hashes.length))
  for (const [index, hash] of hashes.entries()) bytes.setBigUint64(8 * index, hash)
  const registers = emptySketch()
  mergePacked(registers, sketch)
  return {
    hashes: encodeArray(bytes),
    requests: encodeArray(requests),
    sketch: isAll ? null : encodeArray(registers),
  }
}

/**
 * The first `kept` clients; undefined if the lengths of the arrays are inconsistent. For a closed day, versions before
 * 2.3 list up to 2,000.
 */
const readClients = (
  stored: StoredCounts['clients'],
  kept: number,
): Pick<Counts, 'clients' | 'uniqueClients'> | undefined => {
  const hashes = decodeBytes(stored.hashes)
  const requests = decodeBytes(stored.requests)
  if (hashes.length !== requests.length * 2 || requests.length % 4 !== 0) return undefined
  const listed = requests.length / 4
  const view = new DataView(hashes.buffer)
  const sketch = stored.sketch === null ? emptySketch() : decodeBytes(stored.sketch)
  if (sketch.length !== sketchBytes) return undefined
  if (stored.sketch === null) {
    for (let at = 0; at < hashes.length; at += 8) {
      addToSketch(sketch, view.getUint32(at), view.getUint32(at + 4))
    }
  }
  const length = Math.min(listed, kept)
  return {
    uniqueClients: stored.sketch === null ? listed : sketchCount(sketch),
    clients: {
      hashes: BigUint64Array.from({ length }, (_, index) => view.getBigUint64(8 * index)),
      requests: new Uint32Array(requests.buffer).slice(0, length),
      sketch: packSketch(sketch),
      isAll: stored.sketch === null && length === listed,
    },
  }
}

const toStored = ({ uniqueClients: _derived, ...counts }: Counts): StoredCounts => ({
  ...counts,
  statuses: counts.statuses.map(([status, requests]) => [status, requests]),
  times: {
    buckets: encodeArray(counts.times.buckets),
    requests: encodeArray(counts.times.requests),
  },
  clients: storeClients(counts.clients),
  callers: [...counts.callers],
})

/** Shares equal texts, because the same names occur on every day. */
type Intern = (text: string) => string

/** The counts of a stored day; undefined if the lengths of the arrays are inconsistent. */
const fromStored = (
  stored: StoredCounts,
  { intern, maxClients }: { readonly intern: Intern; readonly maxClients: number },
): Counts | undefined => {
  const buckets = decodeBytes(stored.times.buckets)
  const times = decodeBytes(stored.times.requests)
  const clients = readClients(stored.clients, maxClients)
  const fits = buckets.length * 2 === times.length && times.length % 4 === 0
  if (!fits || !clients) return undefined
  const bucketNumbers = new Uint16Array(buckets.buffer)
  if (bucketNumbers.some((bucket) => bucket >= timeBuckets)) return undefined
  return {
    ...stored,
    times: { buckets: bucketNumbers, requests: new Uint32Array(times.buffer) },
    ...clients,
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
  if (!storedDay().Check(stored)) return undefined
  const maxClients = stored.isClosed ? maxTopClients : Number.POSITIVE_INFINITY
  const all = fromStored(stored.all, { intern, maxClients })
  const endpoints = stored.endpoints.flatMap(([route, counts]) => {
    const decoded = fromStored(counts, { intern, maxClients })
    return decoded ? [[intern(route), decoded] as const] : []
  })
  if (!all || endpoints.length < stored.endpoints.length) return undefined
  const { coveredBytes, logStart, isClosed } = stored
  return { counts: { all, endpoints: new Map(endpoints) }, coveredBytes, logStart, isClosed }
}
