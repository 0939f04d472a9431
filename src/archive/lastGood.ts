import { link, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../files.ts'
import type { Log } from '../log.ts'
import { readSnapshot } from '../source/snapshot.ts'
import type { Archive } from './archive.ts'
import type { Hidden } from './guard.ts'
import { type HiddenJournal, openHiddenJournal } from './hiddenJournal.ts'
import type { LoadedLeague } from './loadedLeague.ts'
import { leagueOfSnapshot, saveLeague } from './refresh.ts'

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const tournamentKey = (id: string): string => `tournament ${id}`
const clipKey = (token: string): string => `clip ${token}`
const stillKey = (token: string): string => `still ${token}`

/** What is shown no more (a tournament, clip or still) must not come back from the disk either. */
const newlyHiddenKeys = (before: Archive, after: Archive): readonly string[] =>
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

/** A league as it was saved. */
export interface Saved {
  readonly league: LoadedLeague
  /** When it was current, in Unix seconds. */
  readonly capturedAt: number
}

/** The league on the disk: its last good state and the one before. */
export interface LastGood {
  /** The newest that can be used, without what is hidden since; undefined when there is none. */
  readonly read: (hiddenNow: Promise<Hidden>) => Promise<Saved | undefined>
  /** Notes what is not shown any more. True when the saved league should be replaced soon. */
  readonly forget: (before: Archive, after: Archive) => Promise<boolean>
  /** False when it could not be written. */
  readonly save: (league: LoadedLeague, capturedAt: number) => Promise<boolean>
}

/**
 * Two generations in a folder: `last-good.cageside` and `last-good.previous.cageside`, each whole at any
 * time. What is hidden is first noted in `last-good.hidden`. Where even that fails, the files go: nothing
 * is served from them that might have been hidden since.
 */
export const openLastGood = (folder: string, log: Log): LastGood => {
  const current = join(folder, 'last-good.cageside')
  const previous = join(folder, 'last-good.previous.cageside')
  let saveFailed = false
  let currentIsDamaged = false
  /** The saved files hold something that the journal hides. */
  let holdsHidden = false
  /** What a process that was killed while it wrote has left behind. */
  const removeLeftovers = async (): Promise<void> => {
    for (const name of await readdir(folder)) {
      if (/^last-good\..*\.tmp$/.test(name)) await rm(join(folder, name), { force: true })
    }
  }

  const openJournal = async (): Promise<HiddenJournal> => {
    await mkdir(folder, { recursive: true }).catch(() => undefined)
    await removeLeftovers().catch(() => undefined)
    return openHiddenJournal(join(folder, 'last-good.hidden'), (reason) => {
      log('warn', 'what is hidden cannot be noted', { reason })
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
      return { league: await leagueOfSnapshot(snapshot, hidden), capturedAt: snapshot.capturedAt }
    } catch (error) {
      log('error', 'a last good archive is not usable', { reason: reasonOf(error) })
      return undefined
    }
  }

  return {
    read: async (hiddenNow) => {
      const [{ has }, now] = await Promise.all([journal, hiddenNow])
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
    forget: async (before, after) => {
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
          // What was hidden while this was written is noted again by the next save.
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
