import { DDSketch } from '@datadog/sketches-js'

/** A percentile is off by at most this share of itself. */
export const relativeAccuracy = 0.01

const { mapping } = new DDSketch({ relativeAccuracy })

/** Two hours; what takes longer counts as that in the percentiles. */
const longestUs = 7.2e9
export const timeBuckets = mapping.key(longestUs) + 1

/**
 * The bucket of a response time in microseconds: all times in a bucket are within
 * {@link relativeAccuracy} of the one that {@link percentiles} gives for it.
 */
export const timeBucket = (us: number): number =>
  us <= 1 ? 0 : mapping.key(Math.min(us, longestUs))

/** The times, in microseconds, below which these shares of the counted ones lie; 0 for none. */
export const percentiles = (
  counts: Readonly<Float64Array>,
  shares: readonly number[],
): readonly number[] => {
  const sketch = new DDSketch({ relativeAccuracy })
  for (const [bucket, count] of counts.entries()) {
    if (count > 0) sketch.accept(bucket === 0 ? 1 : mapping.value(bucket), count)
  }
  return shares.map((share) => (sketch.count === 0 ? 0 : sketch.getValueAtQuantile(share)))
}
