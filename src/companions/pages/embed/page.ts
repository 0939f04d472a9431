import { terms } from '../elements.ts'
import { html } from '../html.ts'
import type { Page } from '../layout.ts'
import type { Asked } from '../respond.ts'

const attributes = [
  ['api', 'base address of the service; by default the one that the script came from'],
  ['kind', 'what to suggest, of bot, pair and tournament; by default all three'],
  ['label', 'text above the box'],
  ['placeholder', 'text in the empty box'],
  ['spoilers', '0 hides results on the pages that it leads to'],
] as const

const parts = [
  ['form', 'label, box and button'],
  ['label', 'text above the box'],
  ['input', 'the text field'],
  ['button', 'the button'],
  ['list', 'the list of suggestions'],
  ['empty', 'what stands in its place when nothing is found'],
  ['option', 'one suggestion; also bot, pair or tournament'],
  ['name, match, detail', 'its name, the typed letters in it, and the text beside it'],
] as const

const events = [
  ['cageside-select', 'a suggestion was chosen; its detail is what /autocomplete answered'],
  ['cageside-submit', 'a text was sent without a choice; its detail is { query }'],
] as const

/** How to use the search box on another site. */
export const embedPage = ({ viewing }: Asked): Page => {
  const file = '/assets/search.js'
  const source = viewing.canonical(file) ?? `https://HOST${viewing.address(file)}`
  const script = `<script type="module" src="${source}"></script>`
  const styled = `<style>
  cageside-search::part(input) { border: 2px solid; border-radius: 1rem }
  cageside-search::part(option):hover { background: gold; color: black }
</style>
<script>
  // Without this attribute, a choice opens its page here.
  document.addEventListener('cageside-select', (event) => {
    event.preventDefault()
    console.log(event.detail)
  })
  // Without this attribute, a text opens the page of what it finds.
  document.addEventListener('cageside-submit', (event) => {
    event.preventDefault()
    console.log(event.detail.query)
  })
</script>`
  return {
    title: 'The search box for your site',
    description: 'A search box over every bot, event and pairing of the league, in one line.',
    path: '/embed',
    body: html`
<section class="lead">
  <h1>The search box for your site</h1>
  <p>Two lines on any page, without a framework and without a key. It forgives misspelt, half-typed and
    run-together names, and works with a keyboard, a screen reader and a thumb, in Chromium 94, Safari 15.6,
    Firefox 102 and newer, and in sandboxed frames. Try it: type a name with a mistake into the box at the top.</p>
</section>
<section>
  <h2>Add it</h2>
  <pre tabindex="0" aria-label="Markup of the search box"><code>${script}
&lt;cageside-search&gt;&lt;/cageside-search&gt;</code></pre>
  <h2>Style it, and listen to it</h2>
  <pre tabindex="0" aria-label="Example of styles and events"><code>${styled}</code></pre>
</section>${[
      terms('Attributes', 'Attribute', attributes),
      terms('Events', 'Event', events),
      terms('Parts', 'Part', parts),
    ]}`,
  }
}
