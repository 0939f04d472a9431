import { fightWords } from '../../../api/fights/words.ts'
import { isTable, stagesOf, standingsOf } from '../../../data/league/stages.ts'
import type { Bracket, Fight, Tournament } from '../../../data/league/types.ts'
import { type Column, table } from '../elements.ts'
import { botLink, fightAddress } from '../fights.ts'
import { type Html, html, joined, type Part } from '../html.ts'
import type { Viewing } from '../site.ts'
import { recordText } from '../words.ts'

/** Maximum number of bots: a larger table is too wide to read, and grows with the square. */
const maxBots = 40

/** Result of a fight for one of its corners: the sign in a cell, its class, and its description. */
const outcomeFor = (fight: Fight, side: 'red' | 'blue'): readonly [string, string, string] => {
  if (fight.state === 'active') return ['now', 'open', 'is fighting']
  if (!fight.isCompleted) return ['·', 'open', 'will fight']
  if (fight[side].isWinner) return ['W', 'win', 'beat']
  return fight.red.isWinner || fight.blue.isWinner
    ? ['L', 'loss', 'lost to']
    : ['D', 'draw', 'drew with']
}

/** Fights of a player, each with its side and the other player's. */
const fightsOf = ({ games }: Bracket, id: string) =>
  games
    .filter((game) => game.isFight)
    .flatMap((fight) => [
      { fight, side: 'red', other: 'blue' } as const,
      { fight, side: 'blue', other: 'red' } as const,
    ])
    .filter(({ fight, side }) => fight[side].player.id === id)
type Own = ReturnType<typeof fightsOf>[number]

const cell = (viewing: Viewing, { fight, side, other }: Own): Html => {
  const [sign, kind, words] = outcomeFor(fight, side)
  const label = `${fightWords(fight)}: ${fight[side].player.name} ${words} ${fight[other].player.name}`
  return html`<a class="${kind}" href="${fightAddress(viewing, fight)}" title="${label}" aria-label="${label}">${sign}</a>`
}

/** Wins, losses and, for up to 40 bots, who beat whom; nothing for a stage without a fight between two bots. */
const crossTable = (viewing: Viewing, bracket: Bracket): Part => {
  const standings = standingsOf(bracket)
  const crossed = standings.length > maxBots ? [] : standings
  const self = html`<i class="self"></i>`
  return (
    bracket.games.some(({ isFight }) => isFight) &&
    table(
      [
        ['', 'number'],
        ['Bot', 'name'],
        ['Record', 'number'],
        ...crossed.map(({ player, rank }): Column => {
          const head = html`<span title="${player.name}"><span aria-hidden="true">${rank}</span><span class="quiet">${player.name}</span></span>`
          return [head, 'text']
        }),
      ],
      standings.map(({ player, rank, ...record }) => {
        const own = crossed.length > 0 ? fightsOf(bracket, player.id) : []
        const against = (id: string) =>
          own.filter(({ fight, other }) => fight[other].player.id === id)
        return [
          rank,
          botLink(viewing, player),
          recordText(record),
          ...crossed.map(({ player: { id } }) =>
            id === player.id
              ? self
              : joined(
                  against(id).map((each) => cell(viewing, each)),
                  ' ',
                ),
          ),
        ]
      }),
      { kind: 'cross', label: `${bracket.name}: who beat whom` },
    )
  )
}

/** Tables of the stages that have one; empty if outcomes are hidden. */
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
