import { feedsByCorner } from '../../api/fights/outcomes.ts'
import { findTournament } from '../../api/tournaments/lookup.ts'
import type { Feed } from '../../data/league/progression.ts'
import type { Corner, Game } from '../../data/league/types.ts'
import type { DataLicense } from '../../http/dataLicense.ts'
import type { Spoilers } from '../../http/htmlPage.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import { type Html, html } from './html.ts'
import { createTimes, relative } from './times.ts'

/** Settings of the pages. */
export interface Site {
  /** Prefix as clients see it, for links. */
  readonly linkPath: string
  /** Public origin and prefix; undefined where addresses depend on the request. */
  readonly publicUrl?: string | undefined
  /** Licence of the data. */
  readonly dataLicense?: DataLicense | undefined
  /** Time zone of the events, such as `Europe/Berlin`. */
  readonly timeZone: string
  /** Public base address of the live streams; undefined without a streaming server. */
  readonly streamBase?: string | undefined
  /** Whether the data stays what it is, and so is never old. */
  readonly isFixed?: boolean
  /** Replaces the addresses of media that this service sends by paths. */
  readonly toMediaPaths?: (text: string) => string
}

/** Parts of the request that every view reads: the query parameter and, on pages with fights, the archive. */
export const createViewings = (site: Site) => {
  const { linkPath, timeZone, publicUrl, dataLicense, isFixed = false, streamBase } = site
  const times = createTimes(timeZone)
  return (choice: Spoilers, archive?: TrackedArchive) => {
    /** Address of a path below the base path, for what is no page. */
    const address = (path: string): string => `${linkPath}${path}`
    /** A path with the choice of the request, if that names one. */
    const chosen = (path: string): string => {
      if (choice === undefined) return path
      const [plain = '', fragment] = path.split('#')
      const query = `${plain.includes('?') ? '&' : '?'}spoilers=${choice}`
      return `${plain}${query}${fragment === undefined ? '' : `#${fragment}`}`
    }
    return {
      address,
      chosen,
      dataLicense,
      times,
      isFixed,
      streamBase,
      /** False where outcomes, and all that follows from them, are left out. */
      showsOutcomes: choice !== '0',
      /** Whether previews of the link have outcomes, too: where the address asks for them. */
      previewsOutcomes: choice === '1',
      /** Address of a page; carries the choice about outcomes on. */
      href: choice === '0' ? (path: string) => address(chosen(path)) : address,
      /** Full public address of a path; undefined without one that is the same for all. */
      canonical: (path: string) => (publicUrl === undefined ? undefined : `${publicUrl}${path}`),
      /** Text with the addresses of own media as paths, which work under any name of the host. */
      withMediaPaths: (text: string) =>
        publicUrl === undefined && site.toMediaPaths ? site.toMediaPaths(text) : text,
      /** A time, and how far it is from that of the request. */
      dated: (unix: number): Html =>
        html`${times.full(unix)}, ${archive?.timed((now) => relative(unix, now))}`,
      /** How long ago a time was; undefined for one less than a minute ago, and for one to come. */
      since: (unix: number): string | undefined =>
        archive?.timed((now) =>
          now < unix + 60 ? { value: undefined, validUntil: unix + 60 } : relative(unix, now),
        ),
      /** The game that a corner waits for, and which of its bots comes. */
      feedTo: ({ tournament }: Game, corner: Corner): Feed | undefined => {
        const found = archive && findTournament(archive, tournament.id)
        return found && feedsByCorner(found).get(corner)
      },
    }
  }
}
export type Viewings = ReturnType<typeof createViewings>
export type Viewing = ReturnType<Viewings>

/** A name, isolated, as it can be written from right to left; those longer than any real one are cut off. */
export const name = (text: string): Html =>
  html`<bdi${/\S{25}|.{65}/.test(text) && html` class="long"`}>${text || 'To be decided'}</bdi>`
