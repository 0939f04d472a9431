/** Markup of the parts as the server sent them last, without their clocks, by id. */
const sent = new Map<string, string>()

const clocksOf = (part: Element): readonly HTMLElement[] => [
  ...part.querySelectorAll<HTMLElement>('.fight-clock'),
]

/** What a part shows besides the time. */
const markupOf = (part: Element): string => {
  const copy = document.importNode(part, true)
  for (const clock of clocksOf(copy)) {
    clock.textContent = ''
    delete clock.dataset.seconds
  }
  return copy.outerHTML
}

/** Replaces a part of the page; the focus stays on the same link. */
export const replace = (old: Element, fresh: Element): void => {
  const focused = old.contains(document.activeElement) ? document.activeElement : null
  old.replaceWith(fresh)
  const address = focused?.getAttribute('href')
  if (address)
    [...fresh.querySelectorAll('a')].find((link) => link.getAttribute('href') === address)?.focus()
}

/** Keeps what `#cages` shows at first, to compare it with what the server sends. */
export const keepCages = (): void => {
  for (const each of document.querySelectorAll('#cages > *')) sent.set(each.id, markupOf(each))
}

/** Replaces the children of `#cages` that the server sends otherwise now; of others the clocks alone. */
export const showCages = (page: Document): void => {
  const list = document.querySelector('#cages')
  const current = page.querySelector('#cages')
  if (!list || !current) return
  const fresh = [...current.children]
  const isSame = [...list.children].map(({ id }) => id).join() === fresh.map(({ id }) => id).join()
  for (const each of fresh) {
    const markup = markupOf(each)
    const old = isSame ? document.getElementById(each.id) : null
    if (old && sent.get(each.id) === markup) {
      const clocks = clocksOf(each)
      for (const [index, clock] of clocksOf(old).entries()) clock.replaceWith(clocks[index] ?? '')
    } else if (old) replace(old, each)
    sent.set(each.id, markup)
  }
  if (!isSame) list.replaceChildren(...fresh)
}
