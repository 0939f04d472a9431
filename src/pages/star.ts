import type { Bot } from '../careers/bots.ts'
import { type Html, html } from './html.ts'

/** A button that adds a bot to those kept in the browser; `browser/stars.ts` shows it, and adds those of lists. */
export const starButton = ({ cleanName, name }: Pick<Bot, 'cleanName' | 'name'>): Html =>
  html` <button type="button" class="star" data-star="${cleanName}" aria-pressed="false" aria-label="My bot: ${name}" hidden></button>`
