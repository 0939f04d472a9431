import { type CageRows, hiddenCage } from '../source/rows.ts'

/** Version names of data: equal data has equal names, independent of its source. */
export interface Version {
  /** Version of all served data. */
  readonly version: string
  /** Version of everything but the cages. */
  readonly dataVersion: string
}

/** Digest of a set of tournaments, independent of order: XOR adds and removes. */
export const combineDigests = (digests: Iterable<bigint>): bigint => {
  let combined = 0n
  for (const digest of digests) combined ^= digest
  return combined
}

/** Hides games of tournaments that are not shown, and the times of their changes. */
export const shownCages = (
  { cages, cageQueue }: CageRows,
  isShown: (tournamentID: string) => boolean,
): CageRows => ({
  cages: cages.map((row) =>
    row.tournamentId === null || isShown(row.tournamentId) ? row : { ...row, ...hiddenCage },
  ),
  cageQueue: cageQueue.filter(({ tournamentId }) => isShown(tournamentId)),
})

/** Versions for a combined digest of tournaments, and these cages. */
export const versionOf = (tournaments: bigint, { cages, cageQueue }: CageRows): Version => {
  const rows = [
    ...cages.map((row) => [
      row.number,
      row.status,
      row.tournamentId,
      row.gameId,
      row.pausedSince,
      row.updateTime,
    ]),
    ...cageQueue.map((row) => [row.cage, row.position, row.tournamentId, row.gameId]),
  ]
  const name = (digest: bigint): string => digest.toString(36).padStart(13, '0')
  return {
    version: name(Bun.hash.xxHash64(JSON.stringify(rows), tournaments)),
    dataVersion: name(tournaments),
  }
}
