/** One request of a load, and what counts as the right answer to it. */
export interface TrafficRequest {
  readonly method: string
  readonly path: string
  /** All but `Host` and `If-None-Match`, each with its line end. */
  readonly headers: string
  /** Whether the tag of the answer before is sent along. */
  readonly revalidates: boolean
  readonly isExpected: (status: number) => boolean
}

/** An endless stream of requests. */
export type Traffic = () => TrafficRequest
