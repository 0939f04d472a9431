import { isNamed } from '../../api/fights/outcomes.ts'
import { fightWords } from '../../api/fights/words.ts'
import { fightPath } from '../../api/pagePaths.ts'
import { tournamentStart } from '../../data/league/order.ts'
import type { Fight } from '../../data/league/types.ts'
import { weightClassLabel } from '../../data/league/weightClass.ts'
import { fightSeconds } from '../../derived/careers/bots.ts'
import { once } from '../../runtime/once.ts'
import { fightID, stableID } from './identity.ts'
import { clockText, fightTitle, pageAddress, plainText, type Telling } from './text.ts'

/** Maximum number of entries. */
const maxResults = 50
/** Number of fights to look up for a feed: some may not be named without outcomes. */
export const candidates = maxResults + 10

/** Completed fights in the order of the feed, newest first. */
interface ResultFeed {
  /** Ids that make the feed's own id different from others. */
  readonly ids: readonly string[]
  readonly title: string
  /** Start of absolute links. */
  readonly base: string
  /** Paths of the feed itself and of the page that it belongs to. */
  readonly path: string
  readonly pagePath: string
  readonly fights: readonly Fight[]
  readonly telling: Telling
}

/** Loaded at the first feed, because it takes 11 ms. */
const xml = once(async () => {
  const { XMLBuilder } = await import('fast-xml-parser')
  return new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    suppressEmptyNode: true,
    format: true,
  })
})

const dateTime = (ms: number): string => new Date(ms).toISOString()

/** Round, tournament and cage; the duration would hint at the outcome. */
const summary = (fight: Fight, showsOutcomes: boolean): string => {
  const { tournament, cage } = fight
  const seconds = showsOutcomes ? fightSeconds(fight) : null
  return [
    tournament.name,
    fightWords(fight),
    cage ?? '',
    seconds === null ? '' : clockText(seconds),
  ]
    .map(plainText)
    .filter((part) => part !== '')
    .join(', ')
}

/** The end of a fight would hint at its outcome. */
const publishedUnix = (fight: Fight, showsOutcomes: boolean): number =>
  (showsOutcomes ? fight.finishUnix : fight.startUnix) ||
  tournamentStart(fight.tournament) ||
  fight.tournament.updateUnix

/**
 * Time at which the fight was closed, with milliseconds derived from the text of the entry: no source dates the
 * correction of a result, and all fights of a tournament share its update time.
 */
const updatedMs = (fight: Fight, texts: readonly string[], showsOutcomes: boolean): number => {
  const closedUnix = showsOutcomes ? (fight.endUnix ?? 0) : 0
  const digest = Bun.hash.crc32(JSON.stringify(texts)) % 1000
  return Math.max(publishedUnix(fight, showsOutcomes), closedUnix) * 1000 + digest
}

const entryOf = (fight: Fight, { base, telling }: ResultFeed) => {
  const { showsOutcomes } = telling
  const title = fightTitle(fight, telling)
  const text = summary(fight, showsOutcomes)
  const category = weightClassLabel(fight.tournament)
  const updated = updatedMs(fight, [title, text, category], showsOutcomes)
  return {
    updated,
    element: {
      id: `urn:uuid:${fightID(fight, showsOutcomes)}`,
      title,
      published: dateTime(1000 * publishedUnix(fight, showsOutcomes)),
      updated: dateTime(updated),
      link: {
        '@rel': 'alternate',
        '@type': 'text/html',
        '@href': pageAddress(base, fightPath(fight), telling),
      },
      ...(category === '' ? {} : { category: { '@term': category } }),
      summary: text,
    },
  }
}

/** Atom (RFC 4287); equal fights give equal bytes at any time. */
export const buildAtom = async (feed: ResultFeed): Promise<string> => {
  const { ids, title, base, path, pagePath } = feed
  const fights = feed.fights
    .filter((fight) => fight.isCompleted && isNamed(feed.telling, fight))
    .slice(0, maxResults)
  const { showsOutcomes } = feed.telling
  const entries = fights.map((fight) => entryOf(fight, feed))
  const newest = Math.max(0, ...entries.map(({ updated }) => updated))
  const address = (of: string): string => pageAddress(base, of, feed.telling)
  return (await xml()).build({
    '?xml': { '@version': '1.0', '@encoding': 'utf-8' },
    feed: {
      '@xmlns': 'http://www.w3.org/2005/Atom',
      id: `urn:uuid:${stableID('results', ...ids, ...(showsOutcomes ? [] : ['no spoilers']))}`,
      title: plainText(`Cageside: ${title}`),
      updated: dateTime(newest),
      author: { name: 'Cageside' },
      link: [
        { '@rel': 'self', '@type': 'application/atom+xml', '@href': address(path) },
        { '@rel': 'alternate', '@type': 'text/html', '@href': address(pagePath) },
      ],
      entry: entries.map(({ element }) => element),
    },
  })
}
