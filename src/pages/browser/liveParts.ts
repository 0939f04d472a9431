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

const focusOn = (part: Element, address: string | null): void =>
  [...part.querySelectorAll('a')].find((link) => link.getAttribute('href') === address)?.focus()

const replace = (old: Element, fresh: Element): void => {
  const focused = old.contains(document.activeElement) ? document.activeElement : null
  old.replaceWith(fresh)
  if (focused) focusOn(fresh, focused.getAttribute('href'))
}

/** A clock that goes on is set in place, so that nothing around it moves. */
const setClocks = (old: Element, fresh: Element, onSet: (clock: Element) => void): void => {
  const shown = clocksOf(old)
  for (const [index, { dataset, textContent }] of clocksOf(fresh).entries()) {
    const clock = shown[index]
    if (!clock) continue
    if (dataset.seconds === undefined) delete clock.dataset.seconds
    else clock.dataset.seconds = dataset.seconds
    clock.textContent = textContent
    onSet(clock)
  }
}

/** Replaces the children of `#cages` that the server sends otherwise now. */
const show = (page: Document, onSet: (clock: Element) => void): void => {
  const list = document.querySelector('#cages')
  const current = page.querySelector('#cages')
  if (!list || !current) return
  const fresh = [...current.children]
  const isSame = [...list.children].map(({ id }) => id).join() === fresh.map(({ id }) => id).join()
  for (const each of fresh) {
    const markup = markupOf(each)
    const old = isSame ? document.getElementById(each.id) : null
    if (old && sent.get(each.id) === markup) setClocks(old, each, onSet)
    else if (old) replace(old, each)
    sent.set(each.id, markup)
  }
  if (!isSame) list.replaceChildren(...fresh)
}

/**
 * Shows what the server sends now; calls that come during a request are answered by one more. `onSet`
 * is called for each clock that was set.
 */
export const createRefresh = (onSet: (clock: Element) => void): (() => void) => {
  let isAsking = false
  let isWanted = false
  const ask = async (): Promise<void> => {
    const response = await fetch(location.href, {
      cache: 'no-cache',
      headers: { accept: 'text/html' },
    })
    if (!response.ok) return
    show(new DOMParser().parseFromString(await response.text(), 'text/html'), onSet)
  }
  const refresh = (): void => {
    isWanted = true
    if (isAsking) return
    isAsking = true
    isWanted = false
    ask()
      .catch(() => undefined)
      .finally(() => {
        isAsking = false
        if (isWanted) refresh()
      })
  }
  const list = document.querySelector('#cages')
  for (const each of list?.children ?? []) sent.set(each.id, markupOf(each))
  return refresh
}
