import type { ServedRows } from './archive.ts'
import type { LoadedLeague } from './loadedLeague.ts'

export const rowsOfLeague = ({ archive, cages, entries }: LoadedLeague): ServedRows | undefined =>
  archive && { archive, cages, frames: [...entries.values()].map(({ frame }) => frame) }
