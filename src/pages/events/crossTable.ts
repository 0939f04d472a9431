import type { Fight, PlayerRecord, Tournament } from '../../league/types.ts'
import { botLink, fightAddress } from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Viewing } from '../site.ts'

/** A table of more bots is too wide to read, and grows with their square. */
const maxBots = 40

/** What a fight was for one of its corners: the sign in a cell, its class, and the words for it. */
const outcomeFor = (fight: Fight, side: 'red' | 'blue'): readonly [string, string, string] => {
  if (fight.state === 'active') return ['now', 'open', 'is fighting']
  if (!fight.isCompleted) return ['·', 'open', 'will fight']
  if (fight[side].isWinner) return ['W', 'win', 'beat']
  return fight.red.isWinner || fight.blue.isWinner
    ? ['L', 'loss', 'lost to']
    : ['–', 'draw', 'had no winner against']
}

export const isRoundRobin = ({ format }: Tournament): boolean => format.type === 'round_robin'

interface Entry {
  readonly fight: Fight
  readonly side: 'red' | 'blue'
}

const pairKey = (id: string, other: string): string => JSON.stringify([id, other])

/** The fights of each bot by the other one, from its own side. */
const meetingsOf = ({ brackets }: Tournament): ReadonlyMap<string, readonly Entry[]> => {
  const entries = brackets
    .flatMap(({ games }) => games)
    .filter((game) => game.isFight)
    .filter(({ round }) => round >= 0)
    .flatMap((fight): Entry[] => [
      { fight, side: 'red' },
      { fight, side: 'blue' },
    ])
  return Map.groupBy(entries, ({ fight, side }) => {
    const { red, blue } = fight
    return side === 'red'
      ? pairKey(red.player.id, blue.player.id)
      : pairKey(blue.player.id, red.player.id)
  })
}

const cell = (viewing: Viewing, entries: readonly Entry[]): Html =>
  html`<td>${entries.map(({ fight, side }, index) => {
    const [sign, kind, words] = outcomeFor(fight, side)
    const [own, other] = side === 'red' ? [fight.red, fight.blue] : [fight.blue, fight.red]
    const label = `${fight.name}: ${own.player.name} ${words} ${other.player.name}`
    return html`${index === 0 ? '' : ' '}<a class="${kind}" href="${fightAddress(viewing, fight)}" title="${label}" aria-label="${label}">${sign}</a>`
  })}</td>`

/**
 * Who beat whom in a round robin, in the order of the bots given; undefined for another format, where outcomes
 * are hidden, and for more than 40 bots.
 */
export const crossTable = (
  viewing: Viewing,
  tournament: Tournament,
  bots: readonly PlayerRecord[],
): Html | undefined => {
  if (!isRoundRobin(tournament) || !viewing.showsOutcomes || bots.length > maxBots) return undefined
  const meetings = meetingsOf(tournament)
  if (meetings.size === 0) return undefined
  return html`
<section id="results" aria-labelledby="results-title">
  <h2 id="results-title">Results</h2>
  <div class="scroll" tabindex="0" role="group" aria-label="Who beat whom">
    <table class="cross">
      <thead><tr><td></td><th scope="col">Bot</th>${bots.map(
        ({ player }, index) =>
          html`<th scope="col" title="${player.name}"><span aria-hidden="true">${index + 1}</span><span class="quiet">${player.name}</span></th>`,
      )}</tr></thead>
      <tbody>${bots.map(
        ({ player }, index) => html`
        <tr><td class="number">${index + 1}</td><th scope="row">${botLink(viewing, player)}</th>${bots.map(
          ({ player: other }) =>
            other.id === player.id
              ? html`<td class="self"></td>`
              : cell(viewing, meetings.get(pairKey(player.id, other.id)) ?? []),
        )}</tr>`,
      )}
      </tbody>
    </table>
  </div>
</section>`
}
