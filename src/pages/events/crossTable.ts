import { isTable, stagesOf, standingsOf } from '../../league/stages.ts'
import type { Bracket, Fight, Tournament } from '../../league/types.ts'
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

interface Entry {
  readonly fight: Fight
  readonly side: 'red' | 'blue'
}

const pairKey = (id: string, other: string): string => JSON.stringify([id, other])

/** The fights of each bot by the other one, from its own side. */
const meetingsOf = ({ games }: Bracket): ReadonlyMap<string, readonly Entry[]> => {
  const entries = games
    .filter((game) => game.isFight)
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

/** Wins, losses and, of up to 40 bots, who beat whom; undefined for a stage without a fight of two bots. */
const crossTable = (viewing: Viewing, bracket: Bracket): Html | undefined => {
  const meetings = meetingsOf(bracket)
  if (meetings.size === 0) return undefined
  const standings = standingsOf(bracket)
  const crossed = standings.length > maxBots ? [] : standings
  return html`
  <div class="scroll" tabindex="0" role="group" aria-label="${bracket.name}: who beat whom">
    <table class="cross">
      <thead><tr><td></td><th scope="col">Bot</th><th scope="col" class="number">Record</th>${crossed.map(
        ({ player }, index) =>
          html`<th scope="col" title="${player.name}"><span aria-hidden="true">${index + 1}</span><span class="quiet">${player.name}</span></th>`,
      )}</tr></thead>
      <tbody>${standings.map(
        ({ player, wins, losses }, index) => html`
        <tr><td class="number">${index + 1}</td><th scope="row">${botLink(viewing, player)}</th><td class="number">${wins}–${losses}</td>${crossed.map(
          ({ player: other }) =>
            other.id === player.id
              ? html`<td class="self"></td>`
              : cell(viewing, meetings.get(pairKey(player.id, other.id)) ?? []),
        )}</tr>`,
      )}
      </tbody>
    </table>
  </div>`
}

/** The tables of the stages that have one; undefined without any, and where outcomes are hidden. */
export const crossTables = (viewing: Viewing, { brackets }: Tournament): Html | undefined => {
  const tables = stagesOf(brackets).flatMap((stage) => {
    const table = viewing.showsOutcomes && isTable(stage) && crossTable(viewing, stage)
    return table ? [{ stage, table }] : []
  })
  const hasStages = tables.length > 1 || brackets.length > 1
  return tables.length === 0
    ? undefined
    : html`${tables.map(
        ({ stage, table }) => html`${hasStages ? html`<h3>${stage.name}</h3>` : undefined}${table}`,
      )}`
}
