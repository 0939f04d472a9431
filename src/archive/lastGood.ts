import { link, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../files.ts'
import type { Log } from '../log.ts'
import { readSnapshot } from '../source/snapshot.ts'
import type { Archive } from './archive.ts'
import type { Hidden } from './guard.ts'
import { type HiddenJournal, openHiddenJournal } from './hiddenJournal.ts'
import type { LoadedLeague } from './loadedLeague.ts'
import { leagueOfSnapshot, saveLeague } from './savedLeague.ts'

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const tournamentKey = (id: string): string => `tournament ${id}`
const clipKey = (token: string): string => `clip ${token}`
const stillKey = (token: string): string => `still ${token}`

/**
 * Keys of tournaments, clips and stills that are no longer served and must not return from disk.
 */
export const newlyHiddenKeys = (before: Archive, after: Archive): readonly string[] =>
  before.dataset.tournaments.flatMap((tournament) => {
    const { id } = tournament.info
    const now = after.dataset.tournamentsByID.get(id)
    if (now === tournament) return []
    if (!now) return [tournamentKey(id)]
    const clips = new Set(now.clips.map(({ token }) => token))
    const stills = new Set(now.stills.map(({ token }) => token))
    return [
      ...tournament.clips.flatMap(({ token }) => (clips.has(token) ? [] : [clipKey(token)])),
      ...tournament.stills.flatMap(({ token }) => (stills.has(token) ? [] : [stillKey(token)])),
    ]
  })

/** A saved league. */
export interface Saved {
  readonly league: LoadedLeague
  /** Unix seconds at which it was current. */
  readonly capturedAt: number
  /** Of all that the file holds, hidden or not; undefined if the file does not say. */
  readonly version: string | undefined
  /** Tournaments that are hidden by now, or parts of them. */
  readonly withheld: ReadonlySet<string>
}

/** Storage of the last good league and the generation before it. */
export interface LastGood {
  /** Newest valid generation, without entries hidden since; undefined if there is none. */
  readonly read: (hiddenNow: Promise<Hidden>) => Promise<Saved | undefined>
  /** Records newly hidden entries. Resolves to true if the saved league should be replaced soon. */
  readonly recordHidden: (before: Archive, after: Archive) => Promise<boolean>
  /** Resolves to false on an I/O error. */
  readonly save: (league: LoadedLeague, capturedAt: number) => Promise<boolean>
}

/**
 * Two generations in `folder`, `last-good.cageside` and `last-good.previous.cageside`, each
 * replaced atomically. Hidden entries are first recorded in `last-good.hidden`; if that fails, both
 * files are removed, as they could serve hidden entries.
 */
export const openLastGood = (folder: string, log: Log): LastGood => {
  const current = join(folder, 'last-good.cageside')
  const previous = join(folder, 'last-good.previous.cageside')
  let saveFailed = false
  let currentIsDamaged = false
  /** The saved files contain entries of the journal. */
  let holdsHidden = false
  /** Removes temporary files of a killed process. */
  const removeLeftovers = async (): Promise<void> => {
    for (const name of await readdir(folder)) {
      if (/^last-good\..*\.tmp$/.test(name)) await rm(join(folder, name), { force: true })
    }
  }

  const openJournal = async (): Promise<HiddenJournal> => {
    await mkdir(folder, { recursive: true }).catch(() => undefined)
    await removeLeftovers().catch(() => undefined)
    return openHiddenJournal(join(folder, 'last-good.hidden'), (reason) => {
      log('warn', 'hidden entries cannot be recorded', { reason })
    })
  }
  const journal = openJournal().then((opened) => {
    holdsHidden ||= !opened.isEmpty()
    return opened
  })

  const readFile = async (path: string, hidden: Hidden): Promise<Saved | undefined> => {
    if (!(await Bun.file(path).exists())) return undefined
    try {
      const snapshot = await readSnapshot(path)
      return { ...(await leagueOfSnapshot(snapshot, hidden)), capturedAt: snapshot.capturedAt }
    } catch (error) {
      log('error', 'a last good archive is invalid', { reason: reasonOf(error) })
      return undefined
    }
  }

  return {
    read: async (hiddenNow) => {
      const [{ has, isDamaged }, now] = await Promise.all([journal, hiddenNow])
      if (isDamaged()) {
        log(
          'error',
          'the last good archive is not used: the list of what it must not show is damaged',
        )
        return undefined
      }
      const either = (
        keyOf: (name: string) => string,
        set: Pick<ReadonlySet<string>, 'has'>,
      ): Pick<ReadonlySet<string>, 'has'> => ({
        has: (name) => has(keyOf(name)) || set.has(name),
      })
      const hidden: Hidden = {
        tournaments: either(tournamentKey, now.tournaments),
        clips: either(clipKey, now.clips),
        stills: either(stillKey, now.stills),
      }
      const saved = await readFile(current, hidden)
      if (saved) return saved
      currentIsDamaged = true
      return readFile(previous, hidden)
    },
    recordHidden: async (before, after) => {
      const keys = newlyHiddenKeys(before, after)
      if (keys.length === 0) return false
      holdsHidden = true
      if (await (await journal).add(keys)) return true
      for (const path of [current, previous]) {
        await rm(path, { force: true }).catch((error: unknown) => {
          log('error', 'a last good archive cannot be removed', { reason: reasonOf(error) })
        })
      }
      await syncFolder(folder).catch(() => undefined)
      return true
    },
    save: async (league, capturedAt) => {
      let clearing = false
      try {
        await mkdir(folder, { recursive: true })
        const { clear } = await journal
        clearing = holdsHidden
        if (!clearing && !currentIsDamaged && (await Bun.file(current).exists())) {
          const temporary = `${previous}.${process.pid}.tmp`
          await link(current, temporary)
          await rename(temporary, previous)
        }
        holdsHidden = false
        await saveLeague(current, league, capturedAt)
        currentIsDamaged = false
        if (clearing) {
          await rm(previous, { force: true })
          await syncFolder(folder)
          // Entries hidden during this save stay in the journal for the next one.
          if (!holdsHidden) await clear()
        }
        saveFailed = false
        return true
      } catch (error) {
        if (!saveFailed) log('warn', 'last good archive not saved', { reason: reasonOf(error) })
        saveFailed = true
        holdsHidden ||= clearing
        return false
      }
    },
  }
}
