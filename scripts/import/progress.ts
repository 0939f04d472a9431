import { SingleBar } from 'cli-progress'

/** Progress bar on stderr; nothing is shown where that is no terminal. */
export interface Progress {
  /** More work became known. */
  readonly add: (steps: number) => void
  readonly step: (label: string) => void
  readonly stop: () => void
}

export const silentProgress: Progress = {
  add: () => undefined,
  step: () => undefined,
  stop: () => undefined,
}

export const createProgress = (unit: string): Progress => {
  if (!process.stderr.isTTY) return silentProgress
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
    step: (label) => bar.increment({ label: label.replace(/\p{Cc}+/gu, ' ').slice(0, 40) }),
    stop: () => {
      if (isShown) bar.stop()
      isShown = false
    },
  }
}
