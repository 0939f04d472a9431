import { type Caller, otherCallers } from './counts.ts'

/** Callers by name. */
export type CallerTable = Map<string, Caller>

export const addCaller = (callers: CallerTable, { name, requests, lastSeen }: Caller): void => {
  const before = callers.get(name) ?? { requests: 0, lastSeen: 0 }
  callers.set(name, {
    name,
    requests: before.requests + requests,
    lastSeen: Math.max(before.lastSeen, lastSeen),
  })
}

/**
 * The `kept` callers with the most requests, then {@link otherCallers} with the sum of the rest.
 */
export const topCallers = (callers: CallerTable, kept: number): readonly Caller[] => {
  const named = [...callers.values()]
    .filter(({ name }) => name !== otherCallers)
    .sort((one, other) => other.requests - one.requests)
  const top: CallerTable = new Map(named.slice(0, kept).map((caller) => [caller.name, caller]))
  const others = callers.get(otherCallers)
  for (const caller of [...(others ? [others] : []), ...named.slice(kept)])
    addCaller(top, { ...caller, name: otherCallers })
  return [...top.values()]
}
