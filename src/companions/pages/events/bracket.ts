import { isCornerNamed, isNamed } from '../../../api/fights/outcomes.ts'
import { fightWords } from '../../../api/fights/words.ts'
import type { Corner, Game, Tournament } from '../../../data/league/types.ts'
import { once } from '../../../runtime/once.ts'
import { fightAddress, hasBye } from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Viewing } from '../site.ts'
import { type Link, layOutBrackets, type PlacedGame } from './bracketLayout.ts'

/** Sizes in pixels. */
const box = { width: 208, height: 48 } as const
const step = { x: 272, y: 76 } as const
const marginTop = 52
/** Space for notes at the first column. */
const noteWidth = 60
const edge = 16
const half = box.height / 2

/** Maximum; no bracket has more. */
export const maxRounds = 9999

const segmenter = once(() => new Intl.Segmenter())
const maxName = 25

/** Start of a long name; SVG has no ellipsis. */
const shortened = (text: string): string => {
  if (text.length <= maxName) return text
  const letters = [...segmenter().segment(text.slice(0, 8 * maxName))].map(({ segment }) => segment)
  return letters.length <= maxName
    ? text.slice(0, 8 * maxName)
    : `${letters.slice(0, maxName - 1).join('')}…`
}

const xOf = ({ column }: PlacedGame): number => column * step.x
const yOf = ({ row }: PlacedGame): number => marginTop + row * step.y

interface Named {
  readonly text: string
  readonly isKnown: boolean
}

/** Bot of a corner, or its source. */
const nameOf = (viewing: Viewing, game: Game, corner: Corner): Named => {
  const isHidden = !isCornerNamed(viewing, game, corner)
  if (corner.player && !isHidden) return { text: corner.player.name, isKnown: corner.player.isBot }
  const feed = viewing.feedTo(game, corner)
  const unknown = isHidden ? 'not shown' : 'to be decided'
  return { text: feed ? `${feed.takes} of ${feed.source.name}` : unknown, isKnown: false }
}

/** Text of a game such as `Semifinals, fight 2: Axe beat Bolt, KO`. */
const describe = (
  viewing: Viewing,
  game: Game,
  [first, second]: readonly [Named, Named],
): string => {
  const { red, blue, winAnnotation } = game
  const how = viewing.showsOutcomes && winAnnotation !== null ? `, ${winAnnotation}` : ''
  const isDecided = viewing.showsOutcomes && red.isWinner !== blue.isWinner
  const verb = !isDecided ? 'v' : red.isWinner ? 'beat' : 'lost to'
  return `${fightWords(game)}: ${first.text} ${verb} ${second.text}${how}`
}

const cornerMarkup = (
  { showsOutcomes }: Viewing,
  corner: Corner,
  { text, isKnown }: Named,
  index: 0 | 1,
): Html => {
  const y = index * half
  const kind = !isKnown ? 'open' : showsOutcomes && corner.isWinner ? 'winner' : 'known'
  const score = showsOutcomes && isKnown && corner.score !== null ? corner.score : undefined
  return html`<text class="${kind}" x="14" y="${y + 17}" clip-path="url(#name)">${shortened(text)}</text>${
    score === undefined
      ? undefined
      : html`<text class="score ${kind}" x="${box.width - 10}" y="${y + 17}">${score}</text>`
  }`
}

const gameMarkup = (viewing: Viewing, placed: PlacedGame): Html => {
  const { game } = placed
  const names = [nameOf(viewing, game, game.red), nameOf(viewing, game, game.blue)] as const
  const label = describe(viewing, game, names)
  const body = html`<title>${label}</title><text class="label" x="1" y="-5">${game.name}</text><use href="#shape"/>${cornerMarkup(
    viewing,
    game.red,
    names[0],
    0,
  )}${cornerMarkup(viewing, game.blue, names[1], 1)}`
  return html`
<g class="game ${game.state}" transform="translate(${xOf(placed)} ${yOf(placed)})">${
    game.isFight ? html`<a href="${fightAddress(viewing, game)}">${body}</a>` : body
  }</g>`
}

/** A line from the earlier game. */
const linePath = (source: PlacedGame, { to, corner }: Link): string => {
  const y = yOf(to) + half / 2 + corner * half
  return `M${xOf(source) + box.width} ${yOf(source) + half}H${xOf(to) - 28}V${y}H${xOf(to)}`
}

/** A note at the corner instead of a line. */
const noteMarkup = ({ fromName, to, corner, takes }: Link): Html => {
  const x = xOf(to)
  const y = yOf(to) + half / 2 + corner * half
  return html`
<g class="link note ${takes}"><path d="M${x - 14} ${y}h14"/><text x="${x - 17}" y="${y + 4}">${shortened(fromName)}</text></g>`
}

/** True for a first game against nobody, whose bot the next game shows. */
export const isFolded = (game: Game): boolean =>
  hasBye(game) && game.red.prevGameID === null && game.blue.prevGameID === null

/** Elements to draw, and their size; undefined without elimination brackets. */
const measure = (viewing: Viewing, tournament: Tournament) => {
  const brackets = tournament.brackets.map((bracket) => ({
    ...bracket,
    games: bracket.games.filter((game) => isNamed(viewing, game) && !isFolded(game)),
  }))
  const layout = layOutBrackets({ ...tournament, brackets })
  const { games, columns, rows } = layout
  if (games.length === 0) return undefined
  const drawn = new Set(games.map(({ game }) => game.id))
  const links = layout.links.filter(({ from }) => drawn.has(from) || !tournament.games.has(from))
  const hasNotes = links.some(({ source, to }) => source === undefined && to.column === 0)
  const left = hasNotes ? noteWidth : edge
  return {
    layout,
    links,
    left,
    width: left + (columns - 1) * step.x + box.width + edge,
    height: marginTop + rows * step.y,
  }
}

type Measured = NonNullable<ReturnType<typeof measure>>

const frame = ({ left, width, height }: Measured, content?: Html): Html => html`
<svg class="bracket" xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-left} 0 ${width} ${height}" role="group" aria-label="Bracket">${content}
</svg>`

/** Placeholder of {@link bracketSvg}: nothing moves when the drawing is loaded into it. */
export const bracketFrame = (viewing: Viewing, tournament: Tournament): Html | undefined => {
  const measured = measure(viewing, tournament)
  return measured && frame(measured)
}

/** The elimination brackets as one drawing, without first games against nobody; undefined if there are none. */
export const bracketSvg = (viewing: Viewing, tournament: Tournament): Html | undefined => {
  const measured = measure(viewing, tournament)
  if (!measured) return undefined
  const { layout, links, left, width } = measured
  const { games, headings, rows } = layout
  const bands = [...Map.groupBy(headings, ({ row }) => row)]
  return frame(
    measured,
    html`
<defs><clipPath id="name"><rect x="10" width="${box.width - 38}" height="${box.height}"/></clipPath><g id="shape"><rect class="box" width="${box.width}" height="${box.height}" rx="4"/><rect class="red" width="5" height="${half}"/><rect class="blue" y="${half}" width="5" height="${half}"/><path class="middle" d="M5 ${half}H${box.width}"/></g></defs>
<path class="link" d="${links.map((link) => (link.source ? linePath(link.source, link) : ''))}"/>${links.map(
      (link) => (link.source ? undefined : noteMarkup(link)),
    )}${games.map((placed) => gameMarkup(viewing, placed))}${bands.map(
      ([row, all], index) => html`
<g class="rounds" data-top="${row * step.y}" data-bottom="${(bands[index + 1]?.[0] ?? rows) * step.y - step.y}"><rect x="${-left}" y="${row * step.y}" width="${width}" height="32"/>${all.map(
        ({ text, column }) =>
          html`<text x="${column * step.x}" y="${22 + row * step.y}">${shortened(text)}</text>`,
      )}</g>`,
    )}`,
  )
}
