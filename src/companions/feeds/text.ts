import { isCornerNamed, isDrawn } from '../../api/fights/outcomes.ts'
import type { Fight, FightCorner } from '../../data/league/types.ts'

/** Characters that neither XML 1.0 nor iCalendar can hold, and line breaks. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\ufffe\uffff]+/gu

/** Text on one line that every format can hold. */
export const plainText = (text: string): string =>
  text.toWellFormed().replace(unprintable, ' ').trim()

/** Letters and marks that write from right to left, and characters that turn the direction. */
const turnsDirection =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/

/** A name within a sentence, isolated if it is written from right to left. */
export const nameText = (name: string): string => {
  const text = plainText(name)
  return turnsDirection.test(text) ? `\u2068${text}\u2069` : text
}

/** Address of a page; without outcomes it leads to the page that hides them. */
export const pageAddress = (base: string, path: string, { showsOutcomes }: Telling): string =>
  `${base}${path}${showsOutcomes ? '' : `${path.includes('?') ? '&' : '?'}spoilers=0`}`

/** Length of a fight whose clock is not set. */
const usualFightSeconds = 180

/** Length of a fight by its clock; never 0, because a calendar entry or cue needs a length. */
export const clockSeconds = ({ countdownSeconds }: Fight): number =>
  countdownSeconds || usualFightSeconds

/** True if a text may contain outcomes. */
export interface Telling {
  readonly showsOutcomes: boolean
}

/** True if a bot's list may have a fight: without spoilers only a fight that it was drawn for. */
export const mayList = (fight: Fight, { showsOutcomes }: Telling): boolean =>
  showsOutcomes || isDrawn(fight)

const cornerText = (fight: Fight, corner: FightCorner, telling: Telling): string =>
  isCornerNamed(telling, fight, corner) ? nameText(corner.player.name) : '?'

/** `A v B`; without spoilers a name that follows from another outcome is a question mark. */
export const fightNames = (fight: Fight, telling: Telling): string =>
  [fight.red, fight.blue].map((corner) => cornerText(fight, corner, telling)).join(' v ')

/** `A beat B (KO)`; only the names until there is an outcome, and without spoilers. */
export const fightTitle = (fight: Fight, telling: Telling): string => {
  if (!telling.showsOutcomes || !fight.isCompleted) return fightNames(fight, telling)
  const how = fight.winAnnotation === null ? '' : ` (${plainText(fight.winAnnotation)})`
  const [red, blue] = [nameText(fight.red.player.name), nameText(fight.blue.player.name)]
  if (fight.red.isWinner) return `${red} beat ${blue}${how}`
  if (fight.blue.isWinner) return `${blue} beat ${red}${how}`
  return `${red} v ${blue}${how}`
}

/** A length such as `1:05`, or `1:01:05` from an hour on. */
export const clockText = (seconds: number): string => {
  const digits = (value: number): string => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const rest = digits(seconds % 60)
  return hours > 0 ? `${hours}:${digits(minutes)}:${rest}` : `${minutes}:${rest}`
}
