/**
 * A fight of the current API as legacy rows spell it: every value is text, an unset time is empty. Their
 * `winner`, where they have one, is another.
 */
export const legacyRow = ({
  winner: _winner,
  ...fight
}: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fight).map(([name, value]) => [
      name,
      value === 0 && /^(start|stop|end)Time$/.test(name) ? '' : String(value ?? ''),
    ]),
  )

/** The answer with brackets as legacy has it: without what may become of games to come. */
export const legacyBrackets = (answer: unknown) =>
  JSON.parse(JSON.stringify(answer), (name, value) =>
    name === 'notBefore' || name === 'mayBe' ? undefined : value,
  )
