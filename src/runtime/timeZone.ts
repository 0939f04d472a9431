/** True if a name is in the IANA time zone database, such as `Europe/Berlin`. */
export const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Day of Unix seconds in a time zone, such as `2026-03-14`; days compare as texts. */
export type DayIn = (unix: number) => string

export const createDayIn = (timeZone: string): DayIn => {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone })
  return (unix) => format.format(unix * 1000)
}
