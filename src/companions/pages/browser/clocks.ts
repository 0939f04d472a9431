/** Lets the fight clocks of the page run between two answers of the server. */
import { duration } from '../../../api/counted.ts'
import { setText } from './dom.ts'

/** Seconds of each running clock as sent, and when they were first seen, in milliseconds. */
const sent = new WeakMap<Element, { readonly seconds: string; readonly sinceMs: number }>()

export const showClocks = (): void => {
  const now = performance.now()
  for (const clock of document.querySelectorAll<HTMLElement>('.fight-clock')) {
    const { seconds, limit } = clock.dataset
    if (seconds === undefined) {
      sent.delete(clock)
      continue
    }
    const known = sent.get(clock)
    const { sinceMs } = known?.seconds === seconds ? known : { sinceMs: now }
    sent.set(clock, { seconds, sinceMs })
    const at = Number(seconds) + (now - sinceMs) / 1000
    setText(clock, duration(Math.floor(Math.min(at, Number(limit || Number.POSITIVE_INFINITY)))))
  }
}
