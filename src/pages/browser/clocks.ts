/** Lets the fight clocks of the page run between what the server sends. */

const tickMs = 250

/** When each clock was seen first, in milliseconds; one that the server sends again is another element. */
const shownAt = new WeakMap<Element, number>()

const clockText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

const tick = (): void => {
  const now = performance.now()
  for (const clock of document.querySelectorAll<HTMLElement>('.fight-clock[data-seconds]')) {
    const since = shownAt.get(clock) ?? now
    shownAt.set(clock, since)
    const limit = Number(clock.dataset.limit || Number.POSITIVE_INFINITY)
    const seconds = Number(clock.dataset.seconds) + (now - since) / 1000
    const text = clockText(Math.min(seconds, limit))
    if (clock.textContent !== text) clock.textContent = text
  }
}

export const runClocks = (): void => {
  setInterval(tick, tickMs)
  tick()
}
