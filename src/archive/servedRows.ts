import { nameFrame, type TournamentFrame } from '../source/snapshot.ts'
import type { ServedFrame, ServedRows } from './archive.ts'
import type { LoadedLeague } from './loadedLeague.ts'

export const frameInMemory = (frame: TournamentFrame): ServedFrame => ({
  id: frame.id,
  name: () => nameFrame(frame),
  read: () => frame,
})

export const rowsOfLeague = ({ archive, cages, entries }: LoadedLeague): ServedRows | undefined =>
  archive && {
    archive,
    cages,
    frames: [...entries.values()].map(({ frame }) => frameInMemory(frame)),
  }
