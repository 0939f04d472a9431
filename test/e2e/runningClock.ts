/** A body without the clocks of the cages, which go on between two requests. */
export const withoutClocks = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (name, value) => (name === 'matchTime' ? undefined : value))
