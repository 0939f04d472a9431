import { type CageRows, hiddenCage } from '../source/rows.ts'

/** What data is called: equal data has equal names, whatever it was read from. */
export interface Version {
  /** Of everything that is served. */
  readonly version: string
  /** Of everything but the cages. */
  readonly dataVersion: string
}

/** The digest of a set of tournaments, in any order: adding one and taking it out are the same. */
export const combineDigests = (digests: Iterable<bigint>): bigint => {
  let combined = 0n
  for (const digest of digests) combined ^= digest
  return combined
}

/** The cages without games of tournaments that are not shown, not even that they changed. */
export const shownCages = (
  { cages, cageQueue }: CageRows,
  isShown: (tournamentID: string) => boolean,
): CageRows => ({
  cages: cages.map((row) =>
    row.tournamentId === null || isShown(row.tournamentId) ? row : { ...row, ...hiddenCage },
  ),
  cageQueue: cageQueue.filter(({ tournamentId }) => isShown(tournamentId)),
})

/** The version of tournaments with this combined digest, and of these cages. */
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
