import { retryAfterSeconds } from '../../http/errors.ts'
import { type Assets, assetPath, inlined, themeColour } from './assets.ts'
import type { AssetName } from './bundle.ts'
import { type Card, cardTags, feedLinks } from './card.ts'
import { type Html, html, type Part } from './html.ts'
import type { Viewing } from './site.ts'
import { legend } from './words.ts'

/** Parts of a page outside the common layout. */
export interface Page extends Card {
  readonly body: Part
  /** True for a page in place of one that could not be sent: it reloads by itself. */
  readonly retries?: boolean
  /** Style sheets besides the one of every page. */
  readonly styles?: readonly AssetName[]
  /** Modules besides the common ones. */
  readonly modules?: readonly AssetName[]
  /** Address of the picture in the first screen, requested before the page is parsed. */
  readonly picture?: string | undefined
  /** Addresses of other pictures and videos on the page; only their hosts are allowed. */
  readonly media?: readonly string[] | undefined
  /** Addresses that scripts of the page read; only their hosts are allowed. */
  readonly connect?: readonly string[] | undefined
  /** The search text. */
  readonly searched?: string
  /** True for a page without header and footer. */
  readonly isBare?: boolean
  /** Class of the root element, for a font size that the whole page is measured in. */
  readonly rootClass?: string
  /** Addresses that it shows in frames, empty for addresses of the site; only their hosts are allowed. */
  readonly frames?: readonly string[]
  /** True if other sites may show it in a frame: a click on it changes nothing. */
  readonly canBeFramed?: boolean
  /** HTTP status; default 200. */
  readonly status?: number
  /** True if caches keep it only for seconds. */
  readonly isLive?: boolean
  /** False for one of very many URLs with little content. */
  readonly isCached?: boolean
}

/** Destinations of the header. */
export const destinations = [
  ['/live', 'Live'],
  ['/my', 'My bots'],
  ['/e', 'Events'],
  ['/stats', 'Stats'],
] as const

/** The same page with the other choice about outcomes. */
export const choiceLink = ({ showsOutcomes, address }: Viewing, path = '/'): Html => {
  const [plain = '', query = ''] = path.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set('spoilers', showsOutcomes ? '0' : '1')
  return html`<a class="eye" rel="nofollow" href="${address(`${plain}?${parameters}`)}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2 12q10-13 20 0-10 13-20 0z"/><circle cx="12" cy="12" r="3"/>${!showsOutcomes && html`<path d="M4 20 20 4"/>`}</svg><span>${showsOutcomes ? 'Hide results' : 'Show results'}</span></a>`
}

/** Note that results are left out of a page. */
export const hiddenNote = (viewing: Viewing, path: string): Part =>
  !viewing.showsOutcomes &&
  html`<p class="soft">Results are hidden. ${choiceLink(viewing, path)}</p>`

const searchLabel = 'Find a bot or event'

/** The search box: a form that works by itself, taken over by the component in `browser/search.ts`. */
const searchBox = ({ address, showsOutcomes }: Viewing, value: string | undefined): Html => html`
    <cageside-search${!showsOutcomes && html` spoilers="0"`} label="${searchLabel}" placeholder="${searchLabel}">
      <search>
        <form action="${address('/')}">
          <label for="search">${searchLabel}</label>
          <input id="search" name="q" type="search" maxlength="64" autocomplete="off" spellcheck="false"
            autocapitalize="off" placeholder="${searchLabel}" value="${value}">${!showsOutcomes && html`<input type="hidden" name="spoilers" value="0">`}
          <button type="submit">Search</button>
        </form>
      </search>
    </cageside-search>`

const header = (viewing: Viewing, { path, searched }: Page): Html => html`
<header class="top">
  <div class="wide">
    <a class="brand" href="${viewing.href('/')}">Cageside</a>
    <nav aria-label="Main">${destinations.map(
      ([section, text]) =>
        html`
      <a href="${viewing.href(section)}"${path?.split(/(?<=.)[/?]/)[0] === section && html` aria-current="page"`}>${text}</a>`,
    )}
    </nav>${choiceLink(viewing, path)}${searchBox(viewing, searched)}
  </div>
</header>`

const licence = ({ dataLicense }: Viewing): Part =>
  dataLicense &&
  html` (${dataLicense.url === undefined ? dataLicense.name : html`<a rel="license" href="${dataLicense.url}">${dataLicense.name}</a>`})`

const footer = (viewing: Viewing, page: Page): Html => html`
<footer class="bottom">
  <div class="wide">${feedLinks(viewing, page)}${
    page.canBeFramed &&
    html`
    <p><button type="button" data-copy-frame hidden>Copy as a frame for your site</button></p>`
  }
    <p>Everything here is open data${licence(viewing)}: <a href="${viewing.address('/docs')}">API</a>,
      <a href="${viewing.href('/embed')}">search box for your site</a>,
      <a href="${viewing.href('/overlay')}">overlays for streams</a>,
      <a href="${viewing.href('/usage')}">usage</a>. Times are in <span id="zone">${viewing.times.timeZone}</span>.</p>
  </div>
</footer>`

/** Style sheets of a page, which are within it. */
export const stylesOf = ({ styles = [] }: Page): readonly AssetName[] => ['site.css', ...styles]

/** A whole document. */
export const layout = (viewing: Viewing, assets: Assets, page: Page): Html => {
  const file = (name: AssetName): string => viewing.address(assetPath(assets, name))
  const { title, description, body, isBare = false, rootClass, modules: own = [] } = page
  const modules = ['site.js', ...(isBare ? [] : ['search.js' as const]), ...own] as const
  const classes = [viewing.showsOutcomes ? '' : 'no-outcomes', rootClass ?? ''].filter(Boolean)
  return html`<!DOCTYPE html>
<html lang="en"${classes.length > 0 && html` class="${classes.join(' ')}"`}${viewing.isFixed && html` data-fixed`}>
<head>
  <meta charset="utf-8">
  <title>${title === 'Cageside' ? title : `${title} · Cageside`}</title>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="description" content="${description}">${!isBare && cardTags(viewing, page, viewing.canonical(assetPath(assets, 'card.png')))}
  <meta name="theme-color" content="${themeColour}">
  <link rel="icon" href="${file('favicon.ico')}" sizes="32x32">
  <link rel="icon" href="${file('icon.svg')}" type="image/svg+xml">
  <link rel="apple-touch-icon" href="${file('touch.png')}">
  <link rel="manifest" href="${viewing.address('/site.webmanifest')}">
  <script>${inlined(assets, 'early.js')}</script>${stylesOf(page).map(
    (name) => html`
  <style>${inlined(assets, name)}</style>`,
  )}${modules.map(
    (name) => html`
  <script type="module" src="${file(name)}"></script>`,
  )}${
    page.retries &&
    html`
  <script>${inlined(assets, 'retry.js')}</script>
  <noscript><meta http-equiv="refresh" content="${retryAfterSeconds}"></noscript>`
  }
</head>
<body>${
    isBare
      ? body
      : html`
<a class="skip" href="#main">Skip to the content</a>${header(viewing, page)}
<main id="main" class="wide" tabindex="-1">${body}${legend(body)}
</main>${footer(viewing, page)}`
  }
</body>
</html>
`
}
