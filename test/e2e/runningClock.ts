/** A body without the clocks of the cages, which advance between two requests. */
export const withoutClocks = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (name, value) => (name === 'matchTime' ? undefined : value))
