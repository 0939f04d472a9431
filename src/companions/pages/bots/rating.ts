import { counted } from '../../../api/counted.ts'
import { findBotRatings, findOdds } from '../../../api/ratings/lookup.ts'
import type { BotRating } from '../../../api/ratings/schema.ts'
import type { Tournament } from '../../../data/league/types.ts'
import { weightClassKey, weightClassTitle } from '../../../data/league/weightClass.ts'
import type { Bot } from '../../../derived/careers/bots.ts'
import { toRating } from '../../../derived/ratings/points.ts'
import { lastFightIn } from '../../../derived/ratings/ranking.ts'
import type { TrackedArchive } from '../../../http/trackedArchive.ts'
import { type BandPoint, bandChart } from '../charts.ts'
import { type Html, html, type Part } from '../html.ts'
import type { Asked } from '../respond.ts'
import { name, type Viewing } from '../site.ts'

const points = (value: number): string => String(Math.round(value))

/** The rating after the last fight of a bot in a tournament. */
const eventOf = (
  archive: Pick<TrackedArchive, 'lookup'>,
  { cleanName }: Bot,
  tournament: Tournament,
): readonly BandPoint[] => {
  const last = lastFightIn(tournament, findOdds(archive, tournament.info.id), cleanName)
  if (!last) return []
  const { rating, low, high } = toRating(last.strength)
  const label = `${tournament.info.name}: ${points(rating)}, ${points(low)} to ${points(high)}`
  return [{ unix: last.fight.finishUnix ?? 0, value: rating, low, high, label }]
}

const newRating = 1500

/** The rating in one class, and how it came about: after each tournament, oldest first. */
const classRating = (
  { times }: Viewing,
  {
    weightClass: weightClassPounds,
    weightClassName,
    rating,
    low,
    high,
    fights,
    provisional,
  }: BotRating,
  events: readonly BandPoint[],
): Html => {
  const [first, last] = [events[0], events.at(-1)]
  const label = `Rating after each of ${events.length} events, from ${points(first?.value ?? newRating)} to ${points(last?.value ?? rating)}`
  return html`
<figure class="chart">
  <figcaption><span>${name(weightClassTitle({ weightClassPounds, weightClassName }))}: ${points(rating)}</span><small>${points(low)} to ${points(high)} with 95 % certainty, ${counted(fights, 'fight')}${provisional && ', provisional'}</small></figcaption>${bandChart(events, { label, middle: newRating })}
  <p class="axis"><span>${first && times.day(first.unix)}</span>${events.length > 1 && html`<span>${last && times.day(last.unix)}</span>`}</p>
</figure>`
}

/** Ratings by class with their history, lightest class first; empty if the bot has none or ratings are turned off. */
export const ratings = ({ archive, viewing }: Asked, bot: Bot): Part => {
  const tournaments = Map.groupBy(
    new Set(bot.entries.map(({ tournament }) => tournament)),
    ({ info }) => weightClassKey(info),
  )
  const { ratings: all = [] } = findBotRatings(archive, bot.cleanName)
  return (
    all.length > 0 &&
    html`
  <p class="soft">1500 (dashed) is a new bot, 400 points more are ten wins for one loss; the band holds 95 %. <a href="${viewing.href('/stats#ranking')}">Ranking</a></p>${all.map(
    (own) => {
      const { weightClass: weightClassPounds, weightClassName } = own
      const events = (tournaments.get(weightClassKey({ weightClassPounds, weightClassName })) ?? [])
        .flatMap((tournament) => eventOf(archive, bot, tournament))
        .sort((a, b) => a.unix - b.unix)
      return classRating(viewing, own, events)
    },
  )}`
  )
}
