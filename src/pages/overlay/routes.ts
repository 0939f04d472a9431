import { type Static, Type } from '@sinclair/typebox'
import { findNamedBot } from '../../api/bots/lookup.ts'
import { findTournament } from '../../api/tournaments/lookup.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import { shownUpcoming } from '../bots/careers.ts'
import { upcomingOf } from '../bots/routes.ts'
import { maxRounds } from '../events/bracket.ts'
import type { Html } from '../html.ts'
import { findCages, findOwnCages } from '../live/lookup.ts'
import { type Asked, answer, overlayParts, pageOptions, pageRouter, spoilers } from '../respond.ts'
import type { Site, Viewing, Viewings } from '../site.ts'
import { overlaysPage } from './list.ts'
import { botOverlay, bracketOverlay, cageOverlay, nextOverlay, overlayPage } from './page.ts'
import { Language, type Words, wordsOf } from './words.ts'

const lang = Type.Optional(Language)

/** Answers with an overlay; what does not exist, for which `make` gives its name, is a note. */
const overlay = (
  viewings: Viewings,
  context: Asked & { readonly query: { readonly lang?: Static<typeof Language> } },
  make: (archive: TrackedArchive, viewing: Viewing, words: Words) => Html | string | undefined,
): Promise<Response> =>
  answer(
    viewings,
    context,
    (archive, viewing, assets) => {
      const words = wordsOf(context.query.lang ?? 'en')
      return overlayPage(viewing, assets, words, make(archive, viewing, words))
    },
    overlayParts(),
  )

export const overlayRoutes = (site: Site, viewings: Viewings) =>
  pageRouter(site)
    .get(
      '/overlay',
      (context) =>
        answer(viewings, context, (archive, viewing) =>
          overlaysPage(
            viewing,
            findOwnCages(archive, viewing),
            archive.dataset,
            context.query.lang ?? 'en',
          ),
        ),
      pageOptions(Type.Object({ spoilers, lang })),
    )
    .get(
      '/overlay/cage/:cageNumber',
      (context) =>
        overlay(viewings, context, (archive, viewing, words) => {
          const { cageNumber } = context.params
          const now = findCages(archive, viewing).find(
            ({ cage }) => String(cage.number) === cageNumber,
          )
          return now ? cageOverlay(viewing, now, { dataset: archive.dataset, words }) : 'cage'
        }),
      pageOptions(Type.Object({ spoilers, lang })),
    )
    .get(
      '/overlay/next',
      (context) =>
        overlay(viewings, context, (archive, viewing, words) =>
          nextOverlay(viewing, findCages(archive, viewing), context.query.cage, words),
        ),
      pageOptions(
        Type.Object({
          spoilers,
          lang,
          cage: Type.Optional(Type.Integer({ minimum: 1, maximum: 9999 })),
        }),
      ),
    )
    .get(
      '/overlay/bracket/:tournamentID',
      (context) =>
        overlay(viewings, context, (archive, viewing) => {
          const tournament = findTournament(archive, context.params.tournamentID)
          return tournament ? bracketOverlay(viewing, tournament, context.query.rounds) : 'event'
        }),
      pageOptions(
        Type.Object({
          spoilers,
          lang,
          rounds: Type.Integer({ minimum: 1, maximum: maxRounds, default: 3 }),
        }),
      ),
    )
    .get(
      '/overlay/bot/:bot',
      (context) =>
        overlay(viewings, context, (archive, viewing, words) => {
          const bot = findNamedBot(archive, context.params.bot)
          if (!bot) return 'bot'
          return botOverlay(
            viewing,
            bot,
            shownUpcoming(viewing, bot, upcomingOf(archive, bot)),
            words,
          )
        }),
      pageOptions(Type.Object({ spoilers, lang }), true),
    )
