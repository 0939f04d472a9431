import type { Archive } from './archive.ts'

/** The archive that the previous process saved last. */
export interface SavedArchive {
  /** The saved archive without entries that are hidden by now. */
  readonly archive: Archive
  /** The version under which it was saved. */
  readonly version: string
  /** Tournaments whose saved rows are not all in `archive`. */
  readonly withheld: ReadonlySet<string>
}

/** Receives each version of the archive that a source serves. */
export interface ChangeSink {
  /**
   * Takes the saved archive that is served until the source is read. If it does not fit the log, an epoch begins.
   * Resolves to true if more was published than was saved.
   */
  readonly found: (saved: SavedArchive) => Promise<boolean>
  /** The first current archive. Without a saved one, or with each further call, an epoch begins. */
  readonly begin: (archive: Archive) => void
  /** Compares two versions in time slices, before `after` is served: {@link swapped} then has nothing to compare. */
  readonly compare: (before: Archive, after: Archive) => Promise<void>
  /** `after` is served from now on. */
  readonly swapped: (before: Archive, after: Archive) => void
  /**
   * Resolves to true once the log has the version, so that its archive can be saved. Resolves to false if a newer
   * version is served by now, which is to be saved instead: a start cannot continue from a version that was never
   * published.
   */
  readonly beforeSave: (version: string) => Promise<boolean>
}
