import { findBotWithPicture } from '../../../api/bots/lookup.ts'
import { newestFirst } from '../../../data/league/order.ts'
import type { Fight, PlayerRecord, Tournament } from '../../../data/league/types.ts'
import type { Picture } from '../card.ts'
import { portrait } from '../elements.ts'
import { botLink, fightRows } from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Asked } from '../respond.ts'
import { isDecided } from './standings.ts'

/** The last fight between the first two, or of the winner. */
const finalOf = (
  { fights }: Tournament,
  [first, second]: readonly PlayerRecord[],
): Fight | undefined => {
  const has = ({ red, blue }: Fight, each: PlayerRecord | undefined): boolean =>
    red.player === each?.player || blue.player === each?.player
  const newest = fights.filter((fight) => fight.isCompleted && has(fight, first)).sort(newestFirst)
  return newest.find((fight) => has(fight, second)) ?? newest[0]
}

/** The first three of a tournament that is over, with the picture of the winner and the final. */
export const podium = (
  { archive, viewing }: Asked,
  tournament: Tournament,
  bots: readonly PlayerRecord[],
): { readonly body: Html; readonly picture: Picture | undefined } | undefined => {
  const placed = bots.filter(({ placement }) => placement !== null && placement <= 3)
  const [first] = placed
  if (!isDecided(viewing, tournament) || first?.placement !== 1) return undefined
  const final = finalOf(tournament, placed)
  const url = findBotWithPicture(archive, first.player.cleanName)?.picture ?? undefined
  return {
    picture: url === undefined ? undefined : { url, alt: first.player.name },
    body: html`
  <div class="podium">${portrait(url, first.player.name)}
    <ol class="places">${placed.slice(0, 4).map(
      ({ placement, player }) => html`
      <li><span class="place">${placement}</span> ${botLink(viewing, player)}</li>`,
    )}
    </ol>${final && fightRows(viewing, [{ fight: final, when: final.startUnix !== null && viewing.times.clock(final.startUnix) }])}
  </div>`,
  }
}
