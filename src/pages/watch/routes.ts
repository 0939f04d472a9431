import { findBotWithPicture } from '../../api/bots/lookup.ts'
import { findChances } from '../../api/ratings/lookup.ts'
import { findFight } from '../../api/tournaments/lookup.ts'
import { meetingsOf } from '../../careers/headToHead.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import type { Fight } from '../../league/types.ts'
import { expectedAt } from '../../live/expected.ts'
import { type Scheduled, scheduled } from '../../live/schedule.ts'
import { shownFights } from '../bots/careers.ts'
import { findCages } from '../live/lookup.ts'
import { answer, pageOptions, pageRouter, plainQuery } from '../respond.ts'
import type { Site, Viewing, Viewings } from '../site.ts'
import { relative } from '../times.ts'
import { watchPage } from './page.ts'

/** What the bots of a fight have besides: a picture of either, and their other fights against each other. */
const findBots = (archive: TrackedArchive, viewing: Viewing, fight: Fight) => {
  const found = [fight.red, fight.blue].flatMap(
    ({ player }) => findBotWithPicture(archive, player.cleanName) ?? [],
  )
  const [one, other] = found.map(({ bot }) => bot)
  const all = one && other && one !== other ? meetingsOf(one, other) : []
  const named = one && other ? shownFights(viewing, other, shownFights(viewing, one, all)) : []
  return {
    picture: found.find(({ picture }) => picture !== null)?.picture ?? undefined,
    meetings: named.filter((each) => each !== fight),
    bots: found.map(({ bot }) => bot),
  }
}

const momentOf = (archive: TrackedArchive, { startUnix, scheduledUnix }: Fight) => {
  const unix = startUnix ?? scheduledUnix
  if (unix === null) return undefined
  return { unix, relative: archive.timed((now) => relative(unix, now)) }
}

/** A fight that waits in an event under way, with its expected start. */
const findWaiting = (archive: TrackedArchive, fight: Fight): Scheduled | undefined =>
  fight.state === 'pending' && fight.tournament.active
    ? archive.timed((now) => {
        const value = scheduled(fight, archive.cages, now, expectedAt(archive, now))
        return { value, validUntil: value.validUntil }
      })
    : undefined

/** The cages are read for a fight that is in one alone. */
const findState = (archive: TrackedArchive, viewing: Viewing, fight: Fight) =>
  fight.state === 'active'
    ? findCages(archive, viewing).find(({ cage }) => cage.fight === fight)?.state
    : undefined

export const watchRoutes = (site: Site, viewings: Viewings) =>
  pageRouter(site).get(
    '/w/:tournamentID/:gameID',
    (context) =>
      answer(viewings, context, (archive, viewing, assets) => {
        const found = findFight(archive, context.params)
        if (!found) return 'fight'
        return watchPage(viewing, {
          ...found,
          ...findBots(archive, viewing, found.fight),
          assets,
          moment: momentOf(archive, found.fight),
          waiting: findWaiting(archive, found.fight),
          cage: findState(archive, viewing, found.fight),
          redChance: viewing.showsOutcomes
            ? (findChances(archive)(found.fight).player1WinProbability ?? undefined)
            : undefined,
        })
      }),
    pageOptions(plainQuery),
  )
