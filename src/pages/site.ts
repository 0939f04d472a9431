import type { DataLicense } from '../config.ts'
import type { Spoilers } from '../http/htmlPage.ts'
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
}

/** What every view needs of the request. Two values for each site, so that views stay pure functions. */
export interface Viewing {
  /** False where outcomes, and all that follows from them, are left out. */
  readonly showsOutcomes: boolean
  /** Address of a path below the base path; carries the choice about outcomes on. */
  readonly href: (path: string) => string
  /** The same without it, for what is no page. */
  readonly address: (path: string) => string
  /** Full public address of a page, whatever the choice; undefined without one that is the same for all. */
  readonly canonical: (path: string) => string | undefined
  readonly dataLicense: DataLicense | undefined
  readonly times: Times
}

/** `of(spoilers)` takes the value of the query parameter. */
export interface Viewings {
  readonly of: (spoilers: Spoilers) => Viewing
}

export const createViewings = ({ linkPath, timeZone, publicUrl, dataLicense }: Site): Viewings => {
  const times = createTimes(timeZone)
  const address = (path: string): string => `${linkPath}${path}`
  const withoutOutcomes = (path: string): string => {
    const [plain = '', fragment] = path.split('#')
    const query = `${plain.includes('?') ? '&' : '?'}spoilers=0`
    return address(`${plain}${query}${fragment === undefined ? '' : `#${fragment}`}`)
  }
  const canonical = (path: string): string | undefined =>
    publicUrl === undefined ? undefined : `${publicUrl}${path}`
  const common = { address, canonical, dataLicense, times }
  const shown: Viewing = { ...common, showsOutcomes: true, href: address }
  const hidden: Viewing = { ...common, showsOutcomes: false, href: withoutOutcomes }
  return { of: (spoilers) => (spoilers === '0' ? hidden : shown) }
}

/** A name, isolated, as it can be written from right to left. */
export const name = (text: string): Html => html`<bdi>${text || 'To be decided'}</bdi>`
