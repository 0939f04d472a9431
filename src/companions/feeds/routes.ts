import { type TProperties, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { botList, findBots, findNamedBot } from '../../api/bots/lookup.ts'
import type { CompanionKind, Mount } from '../../api/companion.ts'
import { findRecentFights } from '../../api/fights/lookup.ts'
import { isNamed } from '../../api/fights/outcomes.ts'
import { findUpcoming, findUpcomingOf } from '../../api/live/lookup.ts'
import { botPath, eventPath } from '../../api/pagePaths.ts'
import { findTournament } from '../../api/tournaments/lookup.ts'
import { newestFirst } from '../../data/league/order.ts'
import type { Fight, Tournament } from '../../data/league/types.ts'
import type { Bot } from '../../derived/careers/bots.ts'
import { caching } from '../../http/caching.ts'
import { notFound } from '../../http/errors.ts'
import type { Settable } from '../../http/htmlPage.ts'
import { type LinkSettings, linkBase, linkHeaders } from '../../http/linkBase.ts'
import type { Operation } from '../../http/openapi/document.ts'
import { parameters } from '../../http/parameters.ts'
import { archived, requestContext } from '../../http/requestContext.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import { buildAtom, candidates } from './atom.ts'
import { fightCalendar, tournamentCalendar } from './calendar.ts'
import { chapterLines, chapterTrack, type Video } from './chapters.ts'
import { llmsText, robotsText } from './llms.ts'
import { createModified } from './modified.ts'
import { buildSitemap } from './sitemap.ts'
import { mayList, nameText, type Telling } from './text.ts'

/** Maximum number of tournaments, newest first; a calendar of 300 takes about 15 ms. */
const maxTournaments = 300
const maxUnix = 253_402_300_799

const types = {
  atom: 'application/atom+xml; charset=utf-8',
  calendar: 'text/calendar; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  track: 'text/vtt; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
} as const

const outcomes = {
  spoilers: Type.Boolean({ default: true, description: '0 leaves outcomes out' }),
}
const unixTime = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: maxUnix, description }))
const videoBounds = {
  ...outcomes,
  start: unixTime('Unix seconds at which the video begins'),
  end: unixTime('Unix seconds at which it ends'),
  cage: Type.Integer({ minimum: 0, maximum: 9999, default: 0, description: 'the only one shown' }),
}
const sitemapPart = { part: Type.Integer({ minimum: 0, maximum: 9999, default: 0 }) }

const detail = { hide: true } as const

/** Calendar of the past and future fights of some bots. */
const calendarOf = (
  archive: TrackedArchive,
  title: string,
  bots: readonly Bot[],
  links: { readonly base: string; readonly telling: Telling },
): string => {
  const isListed = (fight: Fight): boolean => mayList(fight, links.telling)
  const upcoming = bots.flatMap((bot) => findUpcoming(archive, bot))
  const fought = bots.flatMap(({ fights }) => fights)
  return archive.timed((now) =>
    fightCalendar(
      title,
      fought.filter(isListed),
      upcoming.filter(({ fight }) => isListed(fight)),
      { ...links, now },
    ),
  )
}

const chapters = (
  extension: string,
  type: string,
  timeZone: string,
  write: (tournament: Tournament, video: Video, timeZone: string) => string,
) =>
  new Elysia().use(archived).get(
    `/e/:tournamentID/chapters.${extension}`,
    ({ archive, cached, params, query: { start, end, cage, spoilers }, set }) => {
      const tournament = findTournament(archive, params.tournamentID)
      if (!tournament) return notFound('tournament')
      set.headers['content-type'] = type
      const telling = { showsOutcomes: spoilers }
      const text = write(tournament, { startUnix: start, endUnix: end, cage, telling }, timeZone)
      // Others are not cached: they are cheap and too many.
      return start === undefined && end === undefined && cage === 0 ? cached(text) : text
    },
    { ...parameters(videoBounds), detail },
  )

/** Feeds, calendars, chapters of films, and files for crawlers. */
export const feeds: CompanionKind<{ readonly pages: boolean }> = {
  open: ({ pages }) =>
    pages
      ? [{ name: 'feeds', mount: (mount) => ({ routes: feedRoutes(mount, mount.operations) }) }]
      : [],
}

/**
 * Feeds, calendars, chapters and files for crawlers. Their links are absolute: without `PUBLIC_URL` they
 * follow headers of the request, which are then part of the cache key, and shared caches keep nothing.
 */
export const feedRoutes = (
  links: LinkSettings & Pick<Mount, 'timeZone'>,
  operations: () => readonly Operation[],
) => {
  const { basePath, publicUrl, timeZone } = links
  const isFixed = publicUrl !== undefined
  const modified = createModified()
  const varyOn = linkHeaders(links)
  const setType = ({ headers }: Settable, type: keyof typeof types): void => {
    headers['content-type'] = types[type]
    headers['cache-control'] = isFixed ? caching.archive : caching.perHost
  }
  const normalize = (_: unknown, { headers }: { readonly headers: Headers }) => ({
    base: linkBase(links, headers),
  })
  const linked = <Fields extends TProperties>(fields: Fields) => ({
    ...parameters(fields, { varyOn, normalize }),
    detail,
  })
  const results = linked(outcomes)
  const resultsOfBots = linked({ ...outcomes, bots: botList })

  return new Elysia()
    .use(requestContext)
    .onAfterHandle(({ request, responseValue, set }) => {
      if (typeof responseValue === 'string')
        set.headers['last-modified'] = modified(request.url, responseValue)
    })
    .get(
      '/llms.txt',
      ({ cached, query: { base }, set }) => {
        setType(set, 'text')
        return cached(llmsText(operations(), { base, basePath }))
      },
      linked({}),
    )
    .get(
      '/robots.txt',
      ({ cached, query: { base }, set }) => {
        setType(set, 'text')
        return cached(robotsText(base))
      },
      linked({}),
    )
    .use(archived)
    .get(
      '/results.atom',
      async ({ archive, cached, query: { base, spoilers }, set }) => {
        setType(set, 'atom')
        return cached(
          await buildAtom({
            ids: [],
            title: 'results',
            base,
            path: '/results.atom',
            pagePath: '/',
            fights: findRecentFights(archive, candidates),
            telling: { showsOutcomes: spoilers },
          }),
        )
      },
      results,
    )
    .get(
      '/b/:bot/results.atom',
      async ({ archive, cached, params, query: { base, spoilers }, set }) => {
        const bot = findNamedBot(archive, params.bot)
        if (!bot) return notFound('bot')
        setType(set, 'atom')
        const pagePath = botPath(bot.cleanName)
        const telling = { showsOutcomes: spoilers }
        return cached(
          await buildAtom({
            ids: ['bot', bot.cleanName],
            title: `results of ${bot.name}`,
            base,
            path: `${pagePath}/results.atom`,
            pagePath,
            fights: bot.fights.filter((fight) => mayList(fight, telling)),
            telling,
          }),
        )
      },
      results,
    )
    .get(
      '/e/:tournamentID/results.atom',
      async ({ archive, cached, params, query: { base, spoilers }, set }) => {
        const tournament = findTournament(archive, params.tournamentID)
        if (!tournament) return notFound('tournament')
        setType(set, 'atom')
        const { id, name } = tournament.info
        return cached(
          await buildAtom({
            ids: ['tournament', id],
            title: `results of ${name}`,
            base,
            path: `${eventPath(id)}/results.atom`,
            pagePath: eventPath(id),
            fights: tournament.fights,
            telling: { showsOutcomes: spoilers },
          }),
        )
      },
      results,
    )
    .get(
      '/events.ics',
      ({ archive, cached, query: { base, spoilers }, set }) => {
        setType(set, 'calendar')
        const newest = archive.dataset.tournaments.slice(0, maxTournaments)
        const calendar = archive.timed((now) =>
          tournamentCalendar(newest, { base, showsOutcomes: spoilers, now }),
        )
        return cached(calendar)
      },
      results,
    )
    .get(
      '/b/:bot/fights.ics',
      ({ archive, cached, params, query: { base, spoilers }, set }) => {
        const bot = findNamedBot(archive, params.bot)
        if (!bot) return notFound('bot')
        setType(set, 'calendar')
        const telling = { showsOutcomes: spoilers }
        const title = `Fights of ${nameText(bot.name)}`
        return cached(calendarOf(archive, title, [bot], { base, telling }))
      },
      results,
    )
    .get(
      '/e/:tournamentID/fights.ics',
      ({ archive, cached, params, query: { base, spoilers }, set }) => {
        const tournament = findTournament(archive, params.tournamentID)
        if (!tournament) return notFound('tournament')
        setType(set, 'calendar')
        const telling = { showsOutcomes: spoilers }
        const fights = tournament.fights.filter((fight) => isNamed(telling, fight))
        const upcoming = findUpcomingOf(archive, fights)
        const over = fights.filter(({ state }) => state === 'done')
        const title = `Fights of ${tournament.info.name}`
        return cached(
          archive.timed((now) => fightCalendar(title, over, upcoming, { base, telling, now })),
        )
      },
      results,
    )
    .get(
      '/my.ics',
      ({ archive, cached, query: { base, bots, spoilers }, set }) => {
        const found = findBots(archive, bots)
        setType(set, 'calendar')
        const telling = { showsOutcomes: spoilers }
        const calendar = calendarOf(archive, 'Fights of my bots', found, { base, telling })
        return found.length === 0 ? calendar : cached(calendar)
      },
      resultsOfBots,
    )
    .get(
      '/my/results.atom',
      async ({ archive, cached, query: { base, bots, spoilers }, set }) => {
        const found = findBots(archive, bots)
        setType(set, 'atom')
        const names = found.map(({ cleanName }) => cleanName)
        const telling = { showsOutcomes: spoilers }
        const fights = new Set(found.flatMap((bot) => bot.fights))
        const query = `?bots=${names.join(',')}`
        const feed = await buildAtom({
          ids: ['bots', ...names],
          title: 'results of my bots',
          base,
          path: `/my/results.atom${query}`,
          pagePath: `/my${query}`,
          fights: [...fights].filter((fight) => mayList(fight, telling)).sort(newestFirst),
          telling,
        })
        return found.length === 0 ? feed : cached(feed)
      },
      resultsOfBots,
    )
    .use(chapters('txt', types.text, timeZone, chapterLines))
    .use(chapters('vtt', types.track, timeZone, chapterTrack))
    .get(
      '/sitemap.xml',
      async ({ archive: { dataset, bots }, cached, query: { base, part }, set }) => {
        const sitemap = await buildSitemap({ dataset, bots }, { base, part })
        if (sitemap === undefined) return notFound('part')
        setType(set, 'xml')
        return cached(sitemap)
      },
      linked(sitemapPart),
    )
}
