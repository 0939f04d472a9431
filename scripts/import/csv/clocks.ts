/** Seconds that a zone is ahead of UTC at an instant. */
export const zoneOffset = (unix: number, timeZone: string): number => {
  const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(unix) * 1000)
  return instant.toZonedDateTimeISO(timeZone).offsetNanoseconds / 1e9
}

const daySeconds = 86_400

/**
 * Instants at which the clocks of a zone show a time, which is given as if it were UTC: one, two in the hour that is
 * repeated in autumn, and none in the hour that is skipped in spring.
 */
const instantsAt = (local: number, timeZone: string): readonly number[] => {
  const [before, after] = [local - daySeconds, local + daySeconds].map(
    (unix) => local - zoneOffset(unix, timeZone),
  )
  if (before === undefined || after === undefined || before === after) return [before ?? local]
  return [before, after].filter((unix) => unix + zoneOffset(unix, timeZone) === local)
}

/** The first instant at which clocks show a time; `isSkipped` if they never do, and it is the one when they go on. */
export const fromZone = (local: number, timeZone: string) => {
  const [first] = instantsAt(local, timeZone)
  // Clocks that are set forward are behind before: the time counts as if they had not been.
  const unix = first ?? local - zoneOffset(local - daySeconds, timeZone)
  return { unix, isSkipped: first === undefined }
}

/** True if the clocks of a zone show the time of an instant twice. */
export const isRepeated = (unix: number, timeZone: string): boolean =>
  instantsAt(unix + zoneOffset(unix, timeZone), timeZone).length > 1
