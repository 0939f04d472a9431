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
  /** Public origin and prefix; undefined if addresses depend on the request. */
  readonly publicUrl?: string | undefined
  /** Licence of the data. */
  readonly dataLicense?: DataLicense | undefined
  /** Time zone of the events, such as `Europe/Berlin`. */
  readonly timeZone: string
  /** Public base address of the live streams; undefined without a streaming server. */
  readonly streamBase?: string | undefined
  /** True if the data never changes, and so is never old. */
  readonly isFixed?: boolean
  /** Replaces the addresses of media that this service sends by paths. */
  readonly toMediaPaths?: (text: string) => string
}

/** Parts of the request that every view reads: the query parameter and, on pages with fights, the archive. */
export const createViewings = (site: Site) => {
  const { linkPath, timeZone, publicUrl, dataLicense, isFixed = false, streamBase } = site
  const times = createTimes(timeZone)
  return (choice: Spoilers, archive?: TrackedArchive) => {
    /** URL of a path below the base path, for anything that is not a page. */
    const address = (path: string): string => `${linkPath}${path}`
    /** A path with the choice of the request, if it has one. */
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
      /** False if outcomes, and everything that follows from them, are left out. */
      showsOutcomes: choice !== '0',
      /** True if previews of the link have outcomes, too, because the URL asks for them. */
      previewsOutcomes: choice === '1',
      /** URL of a page; it carries the choice about outcomes on. */
      href: choice === '0' ? (path: string) => address(chosen(path)) : address,
      /** Full public URL of a path; undefined if it is not the same for all clients. */
      canonical: (path: string) => (publicUrl === undefined ? undefined : `${publicUrl}${path}`),
      /** Text with the addresses of own media as paths, which work under any host name. */
      withMediaPaths: (text: string) =>
        publicUrl === undefined && site.toMediaPaths ? site.toMediaPaths(text) : text,
      /** A time, and its distance from the time of the request. */
      dated: (unix: number): Html =>
        html`${times.full(unix)}, ${archive?.timed((now) => relative(unix, now))}`,
      /** How long ago a time was; undefined for less than a minute ago, and for a time to come. */
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

/** A name, isolated, because it can be written from right to left; a name longer than any real one is cut off. */
export const name = (text: string): Html =>
  html`<bdi${/\S{25}|.{65}/.test(text) && html` class="long"`}>${text || 'To be decided'}</bdi>`
