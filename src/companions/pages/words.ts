/** Codes of the sport in words. */
import { type WeightClass, weightClassLabel } from '../../data/league/weightClass.ts'
import { type Html, html, type Part } from './html.ts'

const methods: ReadonlyMap<string, string> = new Map([
  ['KO', 'knockout'],
  ['TKO', 'technical knockout'],
  ['TO', 'tapout'],
  ['JD', 'judges’ decision'],
  ['FF', 'forfeit'],
  ['DQ', 'disqualification'],
])

/** How a fight ended: its code, with the words for it as title. */
export const method = (code: string): Html => {
  const words = methods.get(code)
  return words === undefined ? html`${code}` : html`<abbr title="${words}">${code}</abbr>`
}

/** A method in words and code, such as `judges’ decision (JD)`, for its first use. */
export const methodWords = (code: string): string => {
  const words = methods.get(code)
  return words === undefined ? code : `${words} (${code})`
}

/** A class such as `Beetleweight, 3 lb`. */
export const classWords = (weightClass: WeightClass): string => {
  const { weightClassName, weightClassPounds } = weightClass
  const isSized = weightClassName === null || weightClassPounds === 0 || /\d/.test(weightClassName)
  const label = weightClassLabel(weightClass)
  return isSized ? label : `${label}, ${weightClassPounds} lb`
}

/**
 * The codes on a page with their words, because touch screens show no titles; a page with live parts can get its first
 * code later.
 */
export const legend = (body: Part): Part => {
  const markup = html`${body}`.toString()
  const found = [...methods].filter(([code]) => markup.includes(method(code).toString()))
  const isLive = markup.includes(' data-live')
  return (
    (found.length > 0 || isLive) &&
    html`
<p class="soft" id="legend"${isLive && html` data-live`}${found.length === 0 && html` hidden`}><small>${found.map(([code, words]) => `${code}: ${words}`).join(' · ')}</small></p>`
  )
}

/** Wins, losses and draws, if there are any: `19–8`, `2–2–1`. */
export const recordText = ({
  wins,
  losses,
  draws,
}: {
  readonly wins: number
  readonly losses: number
  readonly draws: number
}): string => [wins, losses, ...(draws > 0 ? [draws] : [])].join('–')

/** A share from 0 to 1, such as `62 %`, without a line break. */
export const percent = (share: number): string => `${Math.round(share * 100)}\u00a0%`

/** A chance, which is certain only at 0 and 1: `–` if there is none. */
export const chance = (probability: number): string => {
  if (probability === 0) return '–'
  if (probability < 0.005) return '<\u00a01\u00a0%'
  return probability >= 0.995 && probability < 1 ? '>\u00a099\u00a0%' : percent(probability)
}
