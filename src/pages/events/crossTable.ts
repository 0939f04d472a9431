import { isTable, stagesOf, standingsOf } from '../../league/stages.ts'
import type { Bracket, Fight, Tournament } from '../../league/types.ts'
import { type Column, table } from '../elements.ts'
import { botLink, fightAddress } from '../fights.ts'
import { html, joined, type Part } from '../html.ts'
import type { Viewing } from '../site.ts'

/** A table of more bots is too wide to read, and grows with their square. */
const maxBots = 40

/** Result of a fight for one of its corners: the sign in a cell, its class, and its description. */
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

const cell = (viewing: Viewing, entries: readonly Entry[]): Part =>
  joined(
    entries.map(({ fight, side }) => {
      const [sign, kind, words] = outcomeFor(fight, side)
      const [own, other] = side === 'red' ? [fight.red, fight.blue] : [fight.blue, fight.red]
      const label = `${fight.name}: ${own.player.name} ${words} ${other.player.name}`
      return html`<a class="${kind}" href="${fightAddress(viewing, fight)}" title="${label}" aria-label="${label}">${sign}</a>`
    }),
    ' ',
  )

/** Wins, losses and, of up to 40 bots, who beat whom; none for a stage without a fight of two bots. */
const crossTable = (viewing: Viewing, bracket: Bracket): Part => {
  const meetings = meetingsOf(bracket)
  const standings = standingsOf(bracket)
  const crossed = standings.length > maxBots ? [] : standings
  const self = html`<i class="self"></i>`
  return (
    meetings.size > 0 &&
    table(
      [
        ['', 'number'],
        ['Bot', 'name'],
        ['Record', 'number'],
        ...crossed.map(({ player }, index): Column => {
          const head = html`<span title="${player.name}"><span aria-hidden="true">${index + 1}</span><span class="quiet">${player.name}</span></span>`
          return [head, 'text']
        }),
      ],
      standings.map(({ player, wins, losses }, index) => [
        index + 1,
        botLink(viewing, player),
        `${wins}–${losses}`,
        ...crossed.map(({ player: { id } }) =>
          id === player.id ? self : cell(viewing, meetings.get(pairKey(player.id, id)) ?? []),
        ),
      ]),
      { kind: 'cross', label: `${bracket.name}: who beat whom` },
    )
  )
}

/** The tables of the stages that have one; none where outcomes are hidden. */
export const crossTables = (viewing: Viewing, { brackets }: Tournament): Part => {
  const stages = viewing.showsOutcomes ? stagesOf(brackets).filter(isTable) : []
  const tables = stages.flatMap((stage) => {
    const table = crossTable(viewing, stage)
    return table ? [{ stage, table }] : []
  })
  const hasStages = tables.length > 1 || brackets.length > 1
  return (
    tables.length > 0 &&
    tables.map(({ stage, table }) => html`${hasStages && html`<h3>${stage.name}</h3>`}${table}`)
  )
}
