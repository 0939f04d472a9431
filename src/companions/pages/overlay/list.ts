import { isCornerNamed, isNamed } from '../../../api/fights/outcomes.ts'
import { findOwnCages, statusText } from '../cages.ts'
import { chips, terms } from '../elements.ts'
import { type Html, html, type Part } from '../html.ts'
import type { Page } from '../layout.ts'
import type { Asked } from '../respond.ts'
import { name, type Viewing } from '../site.ts'
import { type Language, languages } from './words.ts'

const parameters = [
  ['lang', `language of the words: ${languages.join(', ')}`],
  ['spoilers', '0 shows no result'],
  ['cage', 'of the next three: the number of one cage; all cages without it'],
  ['rounds', 'of a bracket: how many of its last rounds; 3 without it'],
] as const

const properties = [
  ['--scale', 'size; 1 fits a window of any size'],
  ['--accent, --bar', 'colours of headings, and behind names'],
  ['--red, --blue', 'colours of the corners'],
] as const

const languageName = (language: Language): string =>
  new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language

const card = (viewing: Viewing, path: string, title: Part): Html => {
  const address = viewing.href(path)
  return html`
  <li class="card"><h2>${title}</h2>
    <div class="preview"><p>Your film</p><iframe src="${address}" title="Preview of ${path}" loading="lazy"></iframe></div>
    <p><a href="${address}">${address}</a></p>
    <div class="chips"><button type="button" data-copy="${address}" hidden>Copy the address</button></div></li>`
}

/** The overlays as they are now, with their addresses to copy. */
export const overlaysPage = ({
  archive,
  viewing,
  query,
}: Asked<unknown, { readonly lang?: Language }>): Page => {
  const language = query.lang ?? 'en'
  const queryOf = (lang: Language): string => (lang === 'en' ? '' : `?lang=${lang}`)
  const pathOf = (...parts: readonly (string | number)[]): string =>
    `/overlay/${parts.map(encodeURIComponent).join('/')}${queryOf(language)}`
  const cages = findOwnCages(archive, viewing)
  const fight =
    cages.flatMap(({ cage }) => cage.fight ?? cage.queue[0] ?? [])[0] ??
    archive.dataset.fights.find((each) => isNamed(viewing, each))
  const corner =
    fight && [fight.red, fight.blue].find((each) => isCornerNamed(viewing, fight, each))
  const all: readonly (readonly [path: string, title: Part])[] = [
    ...cages.map((each) => {
      const { number } = each.cage
      const { cage, status } = each.state
      const state = html`<span class="status ${status}" id="state-${number}" data-live>${statusText(each)}</span>`
      return [pathOf('cage', number), html`${cage} ${state}`] as const
    }),
    [pathOf('next'), 'Next three fights'],
  ]
  const ofFight: typeof all = fight
    ? [[pathOf('bracket', fight.tournament.id), html`Bracket of ${name(fight.tournament.name)}`]]
    : []
  const ofBot: typeof all = corner
    ? [[pathOf('bot', corner.player.cleanName), html`One bot: ${name(corner.player.name)}`]]
    : []
  return {
    title: 'Overlays',
    description: 'Cages, next fights, brackets and bots for stream software: addresses to copy.',
    path: `/overlay${queryOf(language)}`,
    frames: [''],
    styles: ['live.css'],
    isLive: true,
    body: html`
<section class="lead">
  <h1>Overlays</h1>
  <p>Each is a browser source for stream software, such as OBS from version 27.2 on: transparent, and as large as its window.</p>${chips(
    'Language of the words',
    languages.map((each) => [
      viewing.href(`/overlay${queryOf(each)}`),
      html`<span lang="${each}">${languageName(each)}</span>`,
      each === language,
    ]),
  )}
</section>
<ul class="cards">${[...all, ...ofFight, ...ofBot].map(([path, title]) => card(viewing, path, title))}
</ul>${terms('In the address', 'Parameter', parameters)}${terms('In “Custom CSS” of the source', 'Property', properties)}
<section>
  <pre tabindex="0" aria-label="Example of colours"><code>:root { --accent: gold; --red: crimson; --blue: navy; --bar: black; --scale: 1.2 }</code></pre>
</section>`,
  }
}
