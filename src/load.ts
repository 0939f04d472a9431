import type { Archive } from './archive.ts'
import { buildDataset, buildTournament } from './dataset/build.ts'
import type { Tournament } from './dataset/types.ts'
import { type BadRow, checkTournament, type OnBadRow, type Unchecked } from './source/check.ts'
import { isPublic, type TournamentRows } from './source/rows.ts'

/** What loading made of the rows of a source. */
export interface Loaded {
  readonly archive: Archive
  readonly badRows: number
  /** The first few, for the log. */
  readonly badRowExamples: readonly BadRow[]
}

const keptExamples = 5

/** Collects tournaments from unchecked rows; hidden ones and rows that break their schema stay out. */
export const createLoader = () => {
  const tournaments: Tournament[] = []
  const examples: BadRow[] = []
  let badRows = 0
  const onBadRow: OnBadRow = (bad) => {
    badRows += 1
    if (examples.length < keptExamples) examples.push(bad)
  }
  return {
    add: (unchecked: Unchecked<TournamentRows>): void => {
      const rows = checkTournament(unchecked, onBadRow)
      if (rows && isPublic(rows.tournament)) tournaments.push(buildTournament(rows))
    },
    finish: (version: string): Loaded => ({
      archive: { version, dataset: buildDataset(tournaments) },
      badRows,
      badRowExamples: examples,
    }),
  }
}
