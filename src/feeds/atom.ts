import { fightSeconds } from '../careers/bots.ts'
import type { Fight } from '../league/types.ts'
import { weightClassLabel } from '../league/weightClass.ts'
import { once } from '../once.ts'
import { fightPath } from '../pages/fights.ts'
import { isNamed } from '../pages/outcomes.ts'
import { fightWords } from '../pages/words.ts'
import { fightID, stableID } from './identity.ts'
import { clockText, fightTitle, pageAddress, plainText, type Telling } from './text.ts'

/** A feed has no more. */
const maxResults = 50
/** Fights to look up for a feed of them: some are not named without outcomes. */
export const candidates = maxResults + 10

/** Fights in the order in which they are listed, newest first: those that are completed. */
interface ResultFeed {
  /** Ids of the feed, different from those of others. */
  readonly ids: readonly string[]
  readonly title: string
  /** Start of absolute links. */
  readonly base: string
  /** Path of the feed itself, and of the page that it belongs to. */
  readonly path: string
  readonly pagePath: string
  readonly fights: readonly Fight[]
  readonly telling: Telling
}

/** Loaded at the first feed: it takes 11 ms. */
const xml = once(async () => {
  const { XMLBuilder } = await import('fast-xml-parser')
  return new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    suppressEmptyNode: true,
    format: true,
  })
})

const dateTime = (unix: number): string => new Date(unix * 1000).toISOString()

/** Round, tournament and cage; the duration is a hint at the outcome. */
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

/** The end of a fight is a hint at its outcome. */
const publishedUnix = (fight: Fight, showsOutcomes: boolean): number =>
  (showsOutcomes ? fight.finishUnix : fight.startUnix) ?? fight.tournament.createUnix

/** The source dates no correction but by the update of the tournament and the close of the fight. */
const updatedUnix = (fight: Fight, showsOutcomes: boolean): number =>
  Math.max(
    publishedUnix(fight, showsOutcomes),
    showsOutcomes ? Math.max(fight.endUnix ?? 0, fight.tournament.updateUnix) : 0,
  )

const entry = (fight: Fight, { base, telling }: ResultFeed) => ({
  id: `urn:uuid:${fightID(fight, telling.showsOutcomes)}`,
  title: fightTitle(fight, telling),
  published: dateTime(publishedUnix(fight, telling.showsOutcomes)),
  updated: dateTime(updatedUnix(fight, telling.showsOutcomes)),
  link: {
    '@rel': 'alternate',
    '@type': 'text/html',
    '@href': pageAddress(base, fightPath(fight), telling),
  },
  category: { '@term': weightClassLabel(fight.tournament) },
  summary: summary(fight, telling.showsOutcomes),
})

/** Atom (RFC 4287); the same for the same fights, whenever it is made. */
export const buildAtom = async (feed: ResultFeed): Promise<string> => {
  const { ids, title, base, path, pagePath } = feed
  const fights = feed.fights
    .filter((fight) => fight.isCompleted && isNamed(feed.telling, fight))
    .slice(0, maxResults)
  const { showsOutcomes } = feed.telling
  const newest = Math.max(0, ...fights.map((fight) => updatedUnix(fight, showsOutcomes)))
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
      entry: fights.map((fight) => entry(fight, feed)),
    },
  })
}
