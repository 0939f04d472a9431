import type { Unchecked } from '../source/check.ts'
import type { TournamentRows } from '../source/rows.ts'
import type { Archive } from './archive.ts'

type Names = Pick<ReadonlySet<string>, 'has'>

/** Tournaments, clips and stills that must not be served. */
export interface Hidden {
  readonly tournaments: Names
  /** Tokens of clips. */
  readonly clips: Names
  /** Tokens of stills. */
  readonly stills: Names
}

export const nothingHidden: Hidden = { tournaments: new Set(), clips: new Set(), stills: new Set() }

const hasProperty = <Name extends string>(row: unknown, name: Name): row is Record<Name, unknown> =>
  typeof row === 'object' && row !== null && name in row

const rowsOf = (table: unknown): readonly unknown[] => (Array.isArray(table) ? table : [])

/** Removes hidden clips and stills; returns the same value if there are none. */
export const withoutHidden = (
  rows: Unchecked<TournamentRows>,
  hidden: Pick<Hidden, 'clips' | 'stills'>,
): Unchecked<TournamentRows> => {
  const isOf = (tokens: Names) => (row: unknown) =>
    hasProperty(row, 'token') && tokens.has(String(row.token))
  const [isHiddenClip, isHiddenStill] = [isOf(hidden.clips), isOf(hidden.stills)]
  const [clips, stills] = [rowsOf(rows.clips), rowsOf(rows.stills)]
  if (!clips.some(isHiddenClip) && !stills.some(isHiddenStill)) return rows
  const hiddenIds = new Set(
    stills.filter(isHiddenStill).map((row) => hasProperty(row, 'id') && row.id),
  )
  const isHiddenTag = (tag: unknown): boolean =>
    hasProperty(tag, 'stillId') && hiddenIds.has(tag.stillId)
  return {
    ...rows,
    clips: clips.filter((row) => !isHiddenClip(row)),
    stills: stills.filter((row) => !isHiddenStill(row)),
    stillTags: rowsOf(rows.stillTags).filter((row) => !isHiddenTag(row)),
  }
}

/** Keys of entries that must not return from disk. */
export const hiddenKey = {
  tournaments: (id: string) => `tournament ${id}`,
  clips: (token: string) => `clip ${token}`,
  stills: (token: string) => `still ${token}`,
} as const satisfies Record<keyof Hidden, (name: string) => string>

/** Keys of tournaments, clips and stills that are no longer served. */
export const newlyHiddenKeys = (before: Archive, after: Archive): readonly string[] =>
  before.dataset.tournaments.flatMap((tournament) => {
    const { id } = tournament.info
    const now = after.dataset.tournamentsByID.get(id)
    if (now === tournament) return []
    if (!now) return [hiddenKey.tournaments(id)]
    return (['clips', 'stills'] as const).flatMap((kind) => {
      const shown = new Set(now[kind].map(({ token }) => token))
      return tournament[kind].flatMap(({ token }) =>
        shown.has(token) ? [] : hiddenKey[kind](token),
      )
    })
  })
