/** The value; throws if there is none. */
export const present = <Value>(value: Value | null | undefined): Value => {
  if (value === null || value === undefined) throw new Error('the value of the test is missing')
  return value
}
