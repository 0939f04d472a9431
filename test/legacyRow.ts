/**
 * A fight of the current API as spelled by legacy rows: every value is text, an unset time is empty. Their `winner` is
 * a different one.
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

/** The answer with brackets as in legacy: without possible later games. */
export const legacyBrackets = (answer: unknown) =>
  JSON.parse(JSON.stringify(answer), (name, value) =>
    name === 'notBefore' || name === 'mayBe' ? undefined : value,
  )
