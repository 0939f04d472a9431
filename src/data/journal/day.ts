export const dayMs = 86_400_000

/** The UTC day of a time, counted from the epoch. */
export const dayOf = (timeMs: number): number => Math.floor(timeMs / dayMs)

/** `2026-03-14` */
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** Day of a date such as `2026-03-14`; undefined for other texts. */
export const dayOfDate = (date: string): number | undefined => {
  const day = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) / dayMs : Number.NaN
  return Number.isInteger(day) && dateOf(day) === date ? day : undefined
}
