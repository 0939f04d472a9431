type Fields = Readonly<Record<string, unknown>>

/** Fields that follow other rows or the time, and make no change of their own. */
const derivedFields = {
  /** The first three fields follow the tournament, the fourth follows the recordings. */
  fight: new Set(['tournamentName', 'weightClass', 'weightClassName', 'cams', 'matchLength']),
  game: new Set<string>(),
  /** This field follows the start of the fight. */
  recording: new Set(['fightStartOffset']),
  clip: new Set(['views', 'likes']),
  /** This field is the name of the tournament. */
  still: new Set(['event']),
  tournament: new Set(['updateTime']),
  cage: new Set(['updatedTime', 'matchTime']),
  bot: new Set(['tournamentID']),
} as const
type Kind = keyof typeof derivedFields

/** The part of a field that follows no other row; records of players follow other fights. */
const ownPart = (name: string, value: unknown): unknown =>
  name === 'corners' && Array.isArray(value)
    ? value.map((corner) => ({ ...corner, wins: '', losses: '' }))
    : value

/** Names of the fields that differ between two rows, without derived ones. */
export const differences = (kind: Kind, before: Fields, after: Fields): readonly string[] =>
  Object.keys(after).filter(
    (name) =>
      !derivedFields[kind].has(name) &&
      !Bun.deepEquals(ownPart(name, before[name]), ownPart(name, after[name])),
  )

export const isSameRow = (kind: Kind, before: Fields, after: Fields): boolean =>
  differences(kind, before, after).length === 0

export const pick = <Row extends Fields>(row: Row, names: readonly string[]): Partial<Row> => {
  const picked: Partial<Row> = {}
  for (const name in row) if (names.includes(name)) picked[name] = row[name]
  return picked
}

/** Calls back with both versions of each row that was added or changed. */
export const eachChange = <Key, Row extends Fields>(
  kind: Kind,
  before: ReadonlyMap<Key, Row>,
  after: ReadonlyMap<Key, Row>,
  found: (before: Row | undefined, after: Row, changed: readonly string[]) => void,
): void => {
  for (const [key, row] of after) {
    const known = before.get(key)
    const changed = known ? differences(kind, known, row) : []
    if (!known || changed.length > 0) found(known, row, changed)
  }
}
