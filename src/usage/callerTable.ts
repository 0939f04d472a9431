import { type Caller, otherCallers } from './counts.ts'

interface CallerSum {
  requests: number
  lastSeen: number
}

export type CallerTable = Map<string, CallerSum>

export const addCaller = (callers: CallerTable, { name, requests, lastSeen }: Caller): void => {
  const before = callers.get(name)
  if (before) {
    before.requests += requests
    before.lastSeen = Math.max(before.lastSeen, lastSeen)
  } else callers.set(name, { requests, lastSeen })
}

const sumOf = (callers: readonly CallerSum[]): CallerSum => ({
  requests: callers.reduce((sum, { requests }) => sum + requests, 0),
  lastSeen: callers.reduce((last, { lastSeen }) => Math.max(last, lastSeen), 0),
})

/**
 * The `kept` callers with the most requests, then {@link otherCallers} with the sum of the rest.
 */
export const topCallers = (callers: CallerTable, kept: number): readonly Caller[] => {
  const named = [...callers]
    .filter(([name]) => name !== otherCallers)
    .sort(([, one], [, other]) => other.requests - one.requests)
    .map(([name, sum]) => ({ name, ...sum }))
  const others = callers.get(otherCallers)
  const rest = named.slice(kept)
  if (rest.length === 0 && !others) return named
  return [
    ...named.slice(0, kept),
    { name: otherCallers, ...sumOf(others ? [others, ...rest] : rest) },
  ]
}

/** Keeps the `kept` callers with the most requests and the sum of the rest. */
export const pruneCallers = (callers: CallerTable, kept: number): CallerTable =>
  new Map(
    topCallers(callers, kept).map(({ name, requests, lastSeen }) => [name, { requests, lastSeen }]),
  )
