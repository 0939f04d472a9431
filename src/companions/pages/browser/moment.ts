/** Seconds of a moment such as `72`, `1:12`, `1m12s` or `-3.5`; the start for any other text. */
export const readMoment = (text: string): number => {
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /^(-)?(?:(?:(\d+)[h:])?(\d+)[m:])?(?:(\d+(?:\.\d*)?)s?)?$/.exec(text) ?? []
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sign ? -total : total
}

/** A moment such as `1:12.0`; with a minus sign before the start. */
export const clockText = (time: number): string => {
  const tenths = Math.round(Math.abs(time) * 10)
  const minutes = Math.floor(tenths / 600)
  const seconds = ((tenths % 600) / 10).toFixed(1).padStart(4, '0')
  return `${time < 0 && tenths > 0 ? '−' : ''}${minutes}:${seconds}`
}
