/** One request of a load and its expected status. */
export interface TrafficRequest {
  readonly method: string
  readonly path: string
  /** All but `Host` and `If-None-Match`, each with its line end. */
  readonly headers: string
  /** True if `If-None-Match` carries the ETag of the previous response. */
  readonly revalidates: boolean
  readonly isExpected: (status: number) => boolean
}

/** An endless sequence of requests. */
export type Traffic = () => TrafficRequest

export const isOk = (status: number): boolean => status === 200

export const getRequest = (path: string, isExpected = isOk): TrafficRequest => ({
  method: 'GET',
  path,
  headers: 'Accept-Encoding: gzip, deflate, br, zstd\r\n',
  revalidates: false,
  isExpected,
})
