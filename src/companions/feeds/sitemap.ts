import { botPath, eventPath, fightPath } from '../../api/pagePaths.ts'
import type { Dataset, Fight, Tournament } from '../../data/league/types.ts'
import type { Bot, Bots } from '../../derived/careers/bots.ts'
import { createTimeSlice } from '../../runtime/timeSlice.ts'

/** Maximum number of addresses in one sitemap. */
const maxAddresses = 50_000

/** A page, and the time of its last change in Unix seconds. */
type Page = readonly [path: string, changedUnix: number | null]

/** Pages that exist for any league. */
const fixedPages: readonly Page[] = [
  ['/', null],
  ['/live', null],
  ['/e', null],
  ['/stats', null],
  ['/embed', null],
]

const tournamentPage = ({ info }: Tournament): Page => [eventPath(info.id), info.updateUnix]
const botPage = ({ cleanName, fights: [last] }: Bot): Page => [
  botPath(cleanName),
  last?.finishUnix ?? null,
]
const fightPage = (fight: Fight): Page => [fightPath(fight), fight.finishUnix]

const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9'
const document = (root: string, content: string): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n<${root} xmlns="${namespace}">\n${content}</${root}>\n`

const element = ([path, changedUnix]: Page, base: string): string => {
  const day = changedUnix ? new Date(changedUnix * 1000).toISOString().slice(0, 10) : ''
  const changed = day === '' ? '' : `<lastmod>${day}</lastmod>`
  return `<url><loc>${Bun.escapeHTML(base + path)}</loc>${changed}</url>\n`
}

/** Pages from an index on; earlier ones are not built. */
const pagesFrom = function* (
  { tournaments, fights }: Dataset,
  bots: Bots,
  first: number,
): Generator<Page> {
  let skip = first
  const rest = <T>(items: readonly T[]): readonly T[] => {
    const left = items.slice(Math.min(skip, items.length))
    skip = Math.max(0, skip - items.length)
    return left
  }
  yield* rest(fixedPages)
  for (const tournament of rest(tournaments)) yield tournamentPage(tournament)
  for (const bot of rest(bots)) yield botPage(bot)
  for (const fight of rest(fights)) yield fightPage(fight)
}

interface League {
  readonly dataset: Dataset
  readonly bots: Bots
}

const countParts = ({ dataset, bots }: League, perPart: number): number => {
  const { tournaments, fights } = dataset
  const pages = fixedPages.length + tournaments.length + bots.length + fights.length
  return Math.ceil(pages / perPart)
}

/** The addresses of one part, made in slices: 50,000 take about 50 ms. */
const buildPart = async (
  { dataset, bots }: League,
  { base, part, perPart }: { base: string; part: number; perPart: number },
): Promise<string> => {
  const slice = createTimeSlice()
  const pages = pagesFrom(dataset, bots, (part - 1) * perPart).take(perPart)
  const lines: string[] = []
  for (const page of pages) {
    lines.push(element(page, base))
    if (slice.isOver()) await slice.next()
  }
  return document('urlset', lines.join(''))
}

/**
 * The sitemap of all pages; an index of its parts if there are more than 50,000. Part 0 is the whole or the index;
 * undefined for a part that does not exist.
 */
export const buildSitemap = async (
  league: League,
  { base, part, perPart = maxAddresses }: { base: string; part: number; perPart?: number },
): Promise<string | undefined> => {
  const parts = countParts(league, perPart)
  if (part > parts) return undefined
  if (part > 0 || parts === 1) return buildPart(league, { base, part: part || 1, perPart })
  const addresses = Array.from(
    { length: parts },
    (_, index) =>
      `<sitemap><loc>${Bun.escapeHTML(base)}/sitemap.xml?part=${index + 1}</loc></sitemap>\n`,
  )
  return document('sitemapindex', addresses.join(''))
}
