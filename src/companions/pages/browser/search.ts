/**
 * `<cageside-search>`: a search box over every bot, pair of bots and event. One file without
 * dependencies, for the site and for any other page:
 *
 *     <script type="module" src="https://HOST/assets/search.js"></script>
 *     <cageside-search></cageside-search>
 *
 * Follows the WAI-ARIA combobox pattern. `/embed` lists its attributes, which may change at any time, events and parts.
 */
import Combobox from '@github/combobox-nav'
import { counted } from '../../../api/counted.ts'
import { make } from './dom.ts'
import { createSource, readOptions, type SearchOption, type Source } from './searchSource.ts'
import { searchStyle } from './searchStyle.ts'

const defaultLabel = 'Find a bot, an event, or the fights of two bots'

/** Creates an element with a part name, so that the page around it can style it. */
const makePart = <Name extends keyof HTMLElementTagNameMap>(
  tag: Name,
  part: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] => {
  const element = make(tag, {}, ...children)
  element.setAttribute('part', part)
  return element
}

/** Names are text nodes: nothing of an answer is parsed as markup. */
const marked = (name: string, ranges: readonly (readonly number[])[]): HTMLElement => {
  const shown = makePart('bdi', 'name')
  let end = 0
  for (const [from = 0, to = 0] of ranges) {
    shown.append(name.slice(end, from), makePart('mark', 'match', name.slice(from, to)))
    end = to
  }
  shown.append(name.slice(end))
  return shown
}

/** Base address of the service that this file came from, whose path is `BASE/assets/search.HASH.js`. */
const ownBase = new URL('..', import.meta.url).href.replace(/\/$/, '')

class CagesideSearch extends HTMLElement {
  /** Browsers restore the typed text when the viewer goes back. */
  static readonly formAssociated = true
  static readonly observedAttributes = ['api', 'kind', 'label', 'placeholder', 'spoilers']
  #label = makePart('label', 'label')
  #input = makePart('input', 'input')
  #list = makePart('div', 'list')
  #status = makePart('div', 'status')
  #choice = makePart('input', 'choice')
  #form = makePart('form', 'form')
  /** Undefined in Safari before 16.4, which does not restore the text of an own element. */
  #internals: ElementInternals | undefined = this.attachInternals?.()
  #combobox: Combobox | undefined
  #source: Source | undefined

  connectedCallback(): void {
    if (this.shadowRoot) return
    this.#build()
    this.#readAttributes()
    this.#combobox = new Combobox(this.#input, this.#list, { tabInsertsSuggestions: false })
    const input = this.#input
    input.addEventListener('input', () => {
      this.#internals?.setFormValue(input.value)
      this.#source?.want(input.value)
    })
    input.addEventListener('focus', () => {
      if (input.value !== '' && this.#list.hidden) this.#source?.want(input.value)
    })
    input.addEventListener('blur', () => this.#close())
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || this.#list.hidden) return
      // The first press closes the list, the next one clears the box.
      event.preventDefault()
      this.#show(undefined)
    })
    // A press on the list must not take the focus, which would close it before the click.
    this.#list.addEventListener('mousedown', (event) => event.preventDefault())
    this.#form.addEventListener('submit', (event) => {
      if (!this.#fire('cageside-submit', { query: input.value })) event.preventDefault()
      this.#close()
    })
  }

  formStateRestoreCallback(state: unknown): void {
    if (typeof state === 'string') this.#input.value = state
  }

  attributeChangedCallback(): void {
    if (this.shadowRoot) this.#readAttributes()
  }

  /** False if a listener prevents the default action. */
  #fire(type: string, detail: object): boolean {
    return this.dispatchEvent(
      new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable: true }),
    )
  }

  #close(): void {
    this.#source?.want('')
    this.#show(undefined)
  }

  #readAttributes(): void {
    const api = this.getAttribute('api')
    const base = api ? new URL(api, document.baseURI).href.replace(/\/$/, '') : ownBase
    const hidesOutcomes = this.getAttribute('spoilers') === '0'
    this.#label.textContent = this.getAttribute('label') ?? defaultLabel
    this.#input.placeholder = this.getAttribute('placeholder') ?? ''
    this.#form.action = `${base}/`
    this.#choice.disabled = !hidesOutcomes
    this.#close()
    this.#source = createSource(
      `${base}/autocomplete`,
      this.getAttribute('kind') ?? 'bot,pair,tournament',
      (answer) => this.#show(answer && readOptions(answer, { base, hidesOutcomes })),
    )
  }

  #build(): void {
    const input = this.#input
    this.#label.htmlFor = 'input'
    Object.assign(input, { id: 'input', name: 'q', type: 'search', maxLength: 64 })
    Object.assign(input, { autocomplete: 'off', spellcheck: false, enterKeyHint: 'search' })
    input.setAttribute('autocapitalize', 'off')
    input.value = this.querySelector('input')?.value ?? ''
    Object.assign(this.#list, { id: 'list', hidden: true })
    this.#list.setAttribute('role', 'listbox')
    this.#list.setAttribute('aria-label', 'Suggestions')
    Object.assign(this.#choice, { type: 'hidden', name: 'spoilers', value: '0' })
    this.#status.setAttribute('role', 'status')
    this.#form.setAttribute('role', 'search')
    const box = makePart('div', 'box', input, this.#list, this.#status)
    this.#form.append(this.#label, box, makePart('button', 'button', 'Search'), this.#choice)
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
    // A style element, which policies of other sites may refuse, for Safari before 16.4.
    if (root.adoptedStyleSheets) {
      const style = new CSSStyleSheet()
      style.replaceSync(searchStyle)
      root.adoptedStyleSheets = [style]
    } else root.append(make('style', {}, searchStyle))
    root.append(this.#form)
  }

  #option(option: SearchOption, index: number): HTMLElement {
    const link = makePart('a', `option ${option.kind}`)
    Object.assign(link, { id: `option-${index}`, tabIndex: -1, href: option.href })
    link.setAttribute('role', 'option')
    const names = option.names.flatMap(({ name, match }, position) =>
      position === 0 ? [marked(name, match)] : [' v ', marked(name, match)],
    )
    link.append(makePart('span', 'names', ...names), makePart('small', 'detail', option.detail))
    link.addEventListener('click', (event) => {
      if (!this.#fire('cageside-select', option.value)) event.preventDefault()
      this.#show(undefined)
    })
    return link
  }

  /** Shows these options, says that there are none, or closes the list. */
  #show(options: readonly SearchOption[] | undefined): void {
    const isOpen = options !== undefined && options.length > 0
    const selected = this.#list.querySelector<HTMLAnchorElement>('[aria-selected=true]')?.href
    this.#list.replaceChildren(...(options ?? []).map((each, index) => this.#option(each, index)))
    this.#list.hidden = !isOpen
    // Both clear the selection.
    if (isOpen) this.#combobox?.start()
    else this.#combobox?.stop()
    // An answer that comes after a key press must not undo it.
    const again = [...this.#list.querySelectorAll('a')].find(({ href }) => href === selected)
    if (again) {
      again.setAttribute('aria-selected', 'true')
      this.#input.setAttribute('aria-activedescendant', again.id)
    }
    const count = options?.length
    // Shown as well as announced if there is no list.
    this.#status.setAttribute('part', count === 0 ? 'status empty' : 'status')
    this.#status.textContent =
      count === 0 ? 'Nothing found' : count ? counted(count, 'suggestion') : ''
  }
}

if (!customElements.get('cageside-search')) customElements.define('cageside-search', CagesideSearch)
