/** The connection to the service as a page shows it. Pure: times are milliseconds of any steady clock. */
export interface Connection {
  /** Time of the service's last answer, and the age of its data then. */
  readonly answeredMs: number
  readonly ageSeconds: number
}

/** Time after which the data counts as old and fight clocks stop; a shorter silence is no lost connection. */
const oldSeconds = 15
const lostMs = 60_000

export const ageOf = ({ answeredMs, ageSeconds }: Connection, nowMs: number): number =>
  ageSeconds + (nowMs - answeredMs) / 1000

/** A duration such as `12 s`, `12 min`, `12 h` and `12 days`. */
export const ageText = (seconds: number): string => {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  const hours = Math.round(seconds / 3600)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}

export const isOld = (connection: Connection, nowMs: number): boolean =>
  ageOf(connection, nowMs) > oldSeconds

export const stateOf = (
  connection: Connection,
  nowMs: number,
): 'live' | 'old' | 'reconnecting' | 'lost' => {
  const silentMs = nowMs - connection.answeredMs
  if (silentMs > oldSeconds * 1000) return silentMs > lostMs ? 'lost' : 'reconnecting'
  return isOld(connection, nowMs) ? 'old' : 'live'
}
