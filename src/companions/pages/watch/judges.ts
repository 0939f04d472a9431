import type { Fight } from '../../../data/league/types.ts'
import { parseJudgeLine, type Score } from '../../../derived/careers/scorecard.ts'
import { type Column, section, table } from '../elements.ts'
import { type Html, html, type Part } from '../html.ts'
import { name } from '../site.ts'

const total = (scores: readonly Score[], side: 'red' | 'blue'): number =>
  scores.reduce((sum, score) => sum + score[side], 0)

const points = (red: number, blue: number): Html =>
  html`<span class="points red">${red}</span><span class="quiet"> to </span><span class="points blue">${blue}</span>`

/** The judges' ratings as a table, red before blue; nothing without readable ratings. */
export const judgesCard = ({ judgeLines, red, blue }: Fight): Part => {
  const judges = judgeLines.map(parseJudgeLine).filter((scores) => scores.length > 0)
  const categories = [...new Set(judges.flat().map(({ category }) => category))]
  const rows = judges.map((scores) => [
    html`<bdi>${scores[0]?.judge}</bdi>`,
    html`<b>${points(total(scores, 'red'), total(scores, 'blue'))}</b>`,
    ...categories.map((category) => {
      const score = scores.find((each) => each.category === category)
      return score ? points(score.red, score.blue) : '–'
    }),
  ])
  const caption = html`<span class="corner red">${name(red.player.name)}</span> <span class="corner">${name(blue.player.name)}</span>`
  const columns: readonly Column[] = [
    ['Judge', 'name'],
    ...['Total', ...categories].map((head): Column => [head, 'text']),
  ]
  return section(
    'judges',
    'Judges',
    table(columns, rows, { kind: 'judges', label: 'Ratings', caption }),
  )
}
