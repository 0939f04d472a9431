import type { DataLicense } from '../config.ts'
import type { Spoilers } from '../http/htmlPage.ts'
import type { LocalMedia } from '../sample/localMedia.ts'
import { type Html, html } from './html.ts'
import { createTimes, type Times } from './times.ts'

/** Settings of the pages. */
export interface Site {
  /** Mount path. */
  readonly basePath: string
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
  readonly localMedia?: Pick<LocalMedia, 'toPaths'> | undefined
}

/** What every view needs of the request. One value for each choice, so that views stay pure functions. */
export interface Viewing {
  /** False where outcomes, and all that follows from them, are left out. */
  readonly showsOutcomes: boolean
  /** Whether previews of the link have outcomes, too: where the address asks for them. */
  readonly previewsOutcomes: boolean
  /** Address of a path below the base path; carries the choice about outcomes on. */
  readonly href: (path: string) => string
  /** The same without it, for what is no page. */
  readonly address: (path: string) => string
  /** A path with the choice of the request, if that names one. */
  readonly chosen: (path: string) => string
  /** Full public address of a path; undefined without one that is the same for all. */
  readonly canonical: (path: string) => string | undefined
  readonly dataLicense: DataLicense | undefined
  /** Text with the addresses of own media as paths, which work under any name of the host. */
  readonly withMediaPaths: (text: string) => string
  readonly times: Times
  readonly isFixed: boolean
  readonly streamBase: string | undefined
}

/** `of(spoilers)` takes the value of the query parameter. */
export interface Viewings {
  readonly of: (spoilers: Spoilers) => Viewing
}

export const createViewings = (site: Site): Viewings => {
  const { linkPath, timeZone, publicUrl, dataLicense, isFixed = false, localMedia } = site
  const times = createTimes(timeZone)
  const address = (path: string): string => `${linkPath}${path}`
  const viewingOf = (choice: Spoilers): Viewing => {
    const chosen = (path: string): string => {
      if (choice === undefined) return path
      const [plain = '', fragment] = path.split('#')
      const query = `${plain.includes('?') ? '&' : '?'}spoilers=${choice}`
      return `${plain}${query}${fragment === undefined ? '' : `#${fragment}`}`
    }
    return {
      address,
      dataLicense,
      withMediaPaths: (text) => (publicUrl === undefined && localMedia?.toPaths(text)) || text,
      times,
      isFixed,
      streamBase: site.streamBase,
      chosen,
      showsOutcomes: choice !== '0',
      previewsOutcomes: choice === '1',
      href: choice === '0' ? (path) => address(chosen(path)) : address,
      canonical: (path) => (publicUrl === undefined ? undefined : `${publicUrl}${path}`),
    }
  }
  const plain = viewingOf(undefined)
  const hidden = viewingOf('0')
  const asked = viewingOf('1')
  return { of: (spoilers) => (spoilers === '0' ? hidden : spoilers === '1' ? asked : plain) }
}

/** A name, isolated, as it can be written from right to left. */
export const name = (text: string): Html => html`<bdi>${text || 'To be decided'}</bdi>`
