/** A number with its noun, such as `1 fight` and `2 fights`. */
export const counted = (count: number, thing: string): string =>
  `${count} ${thing}${count === 1 ? '' : 's'}`

/** Seconds as minutes and seconds, such as `1:54`. */
export const duration = (seconds: number): string => {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
