import { parseJudgeLine, type Score } from '../../careers/scorecard.ts'
import type { Fight } from '../../league/types.ts'
import { type Html, html } from '../html.ts'
import { section } from '../sections.ts'
import { name } from '../site.ts'

const total = (scores: readonly Score[], side: 'red' | 'blue'): number =>
  scores.reduce((sum, score) => sum + score[side], 0)

const points = (red: number, blue: number): Html =>
  html`<span class="points red">${red}</span><span class="quiet"> to </span><span class="points blue">${blue}</span>`

const cell = (score: Score | undefined): Html =>
  score ? html`<td>${points(score.red, score.blue)}</td>` : html`<td>–</td>`

/** The judges' ratings as a table, red before blue; undefined where there are none that can be read. */
export const judgesCard = ({ judgeLines, red, blue }: Fight): Html | undefined => {
  const judges = judgeLines.map(parseJudgeLine).filter((scores) => scores.length > 0)
  if (judges.length === 0) return undefined
  const categories = [...new Set(judges.flat().map(({ category }) => category))]
  return section(
    'judges',
    'Judges',
    html`
  <div class="scroll" tabindex="0" role="group" aria-label="Ratings">
    <table class="judges">
      <caption><span class="corner red">${name(red.player.name)}</span> <span class="corner">${name(blue.player.name)}</span></caption>
      <thead><tr><th scope="col">Judge</th><th scope="col">Total</th>${categories.map(
        (category) => html`<th scope="col">${category}</th>`,
      )}</tr></thead>
      <tbody>${judges.map(
        (scores) => html`
        <tr><th scope="row"><bdi>${scores[0]?.judge}</bdi></th><td><b>${points(total(scores, 'red'), total(scores, 'blue'))}</b></td>${categories.map(
          (category) => cell(scores.find((score) => score.category === category)),
        )}</tr>`,
      )}
      </tbody>
    </table>
  </div>`,
  )
}
