import { SingleBar } from 'cli-progress'
import { printable } from './command.ts'

/** Progress on stderr: notes, and a bar on a terminal. */
export interface Progress {
  /** Adds newly known work. */
  readonly add: (steps: number) => void
  readonly step: (label: string) => void
  /** Shows one line, such as why it takes longer. */
  readonly note: (text: string) => void
  readonly stop: () => void
}

export const silentProgress: Progress = {
  add: () => undefined,
  step: () => undefined,
  note: () => undefined,
  stop: () => undefined,
}

export const createProgress = (unit: string): Progress => {
  const note = (text: string): void => console.error(printable(text))
  if (!process.stderr.isTTY) return { ...silentProgress, note }
  const bar = new SingleBar({
    format: `{bar} {value}/{total} ${unit}, {eta_formatted} left  {label}`,
    stream: process.stderr,
    clearOnComplete: true,
  })
  let isShown = false
  return {
    add: (steps) => {
      if (!isShown) bar.start(steps, 0, { label: '' })
      else bar.setTotal(bar.getTotal() + steps)
      isShown = true
    },
    step: (label) => bar.increment({ label: printable(label, 40) }),
    note: (text) => {
      if (isShown) process.stderr.write('\r\u001b[K')
      note(text)
    },
    stop: () => {
      if (isShown) bar.stop()
      isShown = false
    },
  }
}
