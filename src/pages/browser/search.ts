/**
 * `<cageside-search>`: a search box over every bot, pair of bots and event. One file without
 * dependencies, for the site and for any other page:
 *
 *     <script type="module" src="https://HOST/assets/search.js"></script>
 *     <cageside-search></cageside-search>
 *
 * Follows the WAI-ARIA combobox pattern. Fires `cageside-select` with the choice as its `detail`;
 * `preventDefault()` keeps the page from following the link.
 */
import Combobox from '@github/combobox-nav'
import { createSource, readOptions, type SearchOption } from './searchSource.ts'
import { searchStyle } from './searchStyle.ts'

const defaultLabel = 'Find a bot, an event, or the fights of two bots'

/** Creates an element with a part name, for styles of the page around it. */
const make = <Name extends keyof HTMLElementTagNameMap>(
  tag: Name,
  part: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(tag)
  element.setAttribute('part', part)
  element.append(...children)
  return element
}

/** Names are text nodes: nothing of an answer is parsed as markup. */
const marked = (name: string, ranges: readonly (readonly [number, number])[]): HTMLElement => {
  const shown = make('bdi', 'name')
  let end = 0
  for (const [from, to] of ranges) {
    shown.append(name.slice(end, from), make('mark', 'match', name.slice(from, to)))
    end = to
  }
  shown.append(name.slice(end))
  return shown
}

/** Base address of the service that this file came from: it is at `BASE/assets/search.HASH.js`. */
const ownBase = new URL('..', import.meta.url).href.replace(/\/$/, '')

class CagesideSearch extends HTMLElement {
  #input = make('input', 'input')
  #list = make('div', 'list')
  #status = make('div', 'status')
  #combobox: Combobox | undefined

  connectedCallback(): void {
    if (this.shadowRoot) return
    const api = this.getAttribute('api')
    const base = api ? new URL(api, document.baseURI).href.replace(/\/$/, '') : ownBase
    const source = createSource(
      `${base}/autocomplete`,
      this.getAttribute('kind') ?? 'bot,pair,tournament',
      (answer) =>
        this.#show(answer && readOptions(answer, { base, hidesOutcomes: this.#hidesOutcomes() })),
    )
    this.#build(base)
    const combobox = new Combobox(this.#input, this.#list, { tabInsertsSuggestions: false })
    this.#combobox = combobox
    this.#input.addEventListener('input', () => source.want(this.#input.value))
    this.#input.addEventListener('focus', () => {
      if (this.#input.value !== '' && this.#list.hidden) source.want(this.#input.value)
    })
    this.#input.addEventListener('blur', () => {
      source.want('')
      this.#show(undefined)
    })
    this.#input.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || this.#list.hidden) return
      // The first press closes the list, the next one clears the box.
      event.preventDefault()
      this.#show(undefined)
    })
    // A press on the list must not take the focus, which would close it before the click.
    this.#list.addEventListener('mousedown', (event) => event.preventDefault())
  }

  #hidesOutcomes(): boolean {
    return this.getAttribute('spoilers') === '0'
  }

  #build(base: string): void {
    const given = this.querySelector('input')
    const label = make('label', 'label', this.getAttribute('label') ?? defaultLabel)
    label.htmlFor = 'input'
    const input = this.#input
    input.id = 'input'
    input.name = 'q'
    input.type = 'search'
    input.maxLength = 64
    input.autocomplete = 'off'
    input.spellcheck = false
    input.setAttribute('autocapitalize', 'off')
    input.setAttribute('enterkeyhint', 'search')
    input.placeholder = this.getAttribute('placeholder') ?? ''
    input.value = given?.value ?? ''
    this.#list.id = 'list'
    this.#list.role = 'listbox'
    this.#list.ariaLabel = 'Suggestions'
    this.#list.hidden = true
    this.#status.role = 'status'
    const form = make('form', 'form')
    form.action = `${base}/`
    form.role = 'search'
    const choice = make('input', 'choice')
    choice.type = 'hidden'
    choice.name = 'spoilers'
    choice.value = '0'
    const box = make('div', 'box', input, this.#list)
    form.append(
      label,
      box,
      make('button', 'button', 'Search'),
      ...(this.#hidesOutcomes() ? [choice] : []),
    )
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true })
    const style = new CSSStyleSheet()
    style.replaceSync(searchStyle)
    root.adoptedStyleSheets = [style]
    root.append(form, this.#status)
  }

  #option(option: SearchOption, index: number): HTMLElement {
    const link = make('a', `option ${option.kind}`)
    link.id = `option-${index}`
    link.role = 'option'
    link.tabIndex = -1
    link.href = option.href
    const names = option.names.flatMap(({ name, match }, position) =>
      position === 0 ? [marked(name, match)] : [' v ', marked(name, match)],
    )
    link.append(make('span', 'names', ...names), make('small', 'detail', option.detail))
    link.addEventListener('click', (event) => {
      const choice = new CustomEvent('cageside-select', {
        detail: option.value,
        bubbles: true,
        composed: true,
        cancelable: true,
      })
      if (!this.dispatchEvent(choice)) event.preventDefault()
      this.#show(undefined)
    })
    return link
  }

  /** Shows these options, or closes the list. */
  #show(options: readonly SearchOption[] | undefined): void {
    const isOpen = options !== undefined && options.length > 0
    const selected = this.#list.querySelector<HTMLAnchorElement>('[aria-selected=true]')?.href
    this.#list.replaceChildren(...(options ?? []).map((each, index) => this.#option(each, index)))
    if (isOpen === !this.#list.hidden) this.#combobox?.clearSelection()
    else {
      this.#list.hidden = !isOpen
      if (isOpen) this.#combobox?.start()
      else this.#combobox?.stop()
    }
    // An answer that comes after a key press must not undo it.
    const again = [...this.#list.querySelectorAll('a')].find(({ href }) => href === selected)
    if (again) {
      again.ariaSelected = 'true'
      this.#input.setAttribute('aria-activedescendant', again.id)
    }
    const count = options?.length ?? 0
    this.#status.textContent =
      options === undefined ? '' : count === 1 ? '1 suggestion' : `${count} suggestions`
  }
}

if (!customElements.get('cageside-search')) customElements.define('cageside-search', CagesideSearch)
