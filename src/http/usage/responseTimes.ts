import { DDSketch } from '@datadog/sketches-js'

/** Max relative error of a percentile. */
export const relativeAccuracy = 0.01

const { mapping } = new DDSketch({ relativeAccuracy })

/** Two hours; longer times count as this in the percentiles. */
const maxCountedUs = 7.2e9
export const timeBuckets = mapping.key(maxCountedUs) + 1

/**
 * Bucket of a response time in microseconds: its members are within {@link relativeAccuracy} of the
 * value that {@link percentiles} gives for it.
 */
export const timeBucket = (us: number): number =>
  us <= 1 ? 0 : mapping.key(Math.min(us, maxCountedUs))

const bucketUs = Float64Array.from({ length: timeBuckets }, (_, bucket) =>
  bucket === 0 ? 1 : mapping.value(bucket),
)

/**
 * Percentiles in microseconds for ascending shares; 0 without requests. Equals `getValueAtQuantile`
 * of a DDSketch in a tenth of the time, as none has to be filled.
 */
export const percentiles = (
  counts: Readonly<Float64Array>,
  shares: readonly number[],
): readonly number[] => {
  let total = 0
  for (let bucket = 0; bucket < counts.length; bucket += 1) total += counts[bucket] ?? 0
  let [bucket, passed] = [0, counts[0] ?? 0]
  return shares.map((share) => {
    if (total === 0) return 0
    const rank = share * (total - 1)
    while (passed <= rank && bucket < counts.length - 1) {
      bucket += 1
      passed += counts[bucket] ?? 0
    }
    return bucketUs[bucket] ?? 0
  })
}

/** Requests by bucket, without the empty buckets. */
export interface TimeCounts {
  readonly buckets: Uint16Array
  readonly requests: Uint32Array
}

export const listTimes = (times: Uint32Array): TimeCounts => {
  const buckets: number[] = []
  for (let bucket = 0; bucket < times.length; bucket += 1) {
    if (times[bucket]) buckets.push(bucket)
  }
  return {
    buckets: Uint16Array.from(buckets),
    requests: Uint32Array.from(buckets, (bucket) => times[bucket] ?? 0),
  }
}

/** Adds the requests of each bucket to the sums by bucket. */
export const addTimes = (
  sums: Uint32Array | Float64Array,
  { buckets, requests }: TimeCounts,
): void => {
  for (let index = 0; index < buckets.length; index += 1) {
    const bucket = buckets[index] ?? 0
    sums[bucket] = (sums[bucket] ?? 0) + (requests[index] ?? 0)
  }
}
