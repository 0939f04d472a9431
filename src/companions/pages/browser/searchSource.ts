import { counted } from '../../../api/counted.ts'
import type { Suggestions } from '../../../api/search/schema.ts'
import { abortAfter } from './abortAfter.ts'

/** One line of the list. */
export interface SearchOption {
  readonly kind: 'bot' | 'pair' | 'tournament'
  /** Two bots for a pair, else one. */
  readonly names: readonly {
    readonly name: string
    readonly match: readonly (readonly number[])[]
  }[]
  readonly detail: string
  readonly href: string
  /** The item as it was answered. */
  readonly value: object
}

/** Lines of an answer: bots, pairs, then events. The number of fights tells how far a bot has come. */
export const readOptions = (
  { suggestions, pairs = [], tournaments = [] }: Suggestions,
  { base, hidesOutcomes }: { readonly base: string; readonly hidesOutcomes: boolean },
): readonly SearchOption[] => {
  const href = (...path: readonly string[]): string =>
    `${[base, ...path.map(encodeURIComponent)].join('/')}${hidesOutcomes ? '?spoilers=0' : ''}`
  return [
    ...suggestions.map((value) => ({
      kind: 'bot' as const,
      names: [{ name: value.name, match: value.match }],
      detail: [
        ...(hidesOutcomes ? [] : [counted(value.totalFights, 'fight')]),
        ...value.weightClasses.flatMap((pounds) => (pounds > 0 ? `${pounds} lb` : [])),
      ].join(', '),
      href: href('b', value.cleanName),
      value,
    })),
    ...pairs.map((value) => ({
      kind: 'pair' as const,
      names: [value.bot1, value.bot2].map(({ name }) => ({ name, match: [] })),
      detail: hidesOutcomes ? 'Compare' : counted(value.totalFights, 'fight'),
      href: href('vs', value.bot1.cleanName, value.bot2.cleanName),
      value,
    })),
    ...tournaments.map((value) => ({
      kind: 'tournament' as const,
      names: [{ name: value.tournamentName, match: [] }],
      detail: 'Event',
      href: href('e', value.tournamentID),
      value,
    })),
  ]
}

/** One spelling for texts with one answer. */
const normalize = (text: string): string =>
  text.trim().toLowerCase().replace(/\s+/g, ' ').slice(0, 48)

const maxKnown = 300
/** A request that takes longer is given up when another one is wanted. */
const patienceMs = 500
const timeoutMs = 5000

export interface Source {
  /** Shows suggestions for this text as soon as there are any; closes the list for an empty one. */
  readonly want: (text: string) => void
}

/**
 * Suggestions with at most one request in flight, and none for a known text. `show` gets the answer to the latest text,
 * before that the answer to a prefix of it, and undefined to close the list.
 */
export const createSource = (
  address: string,
  kind: string,
  show: (answer: Suggestions | undefined) => void,
): Source => {
  const known = new Map<string, Suggestions>()
  let wanted = ''
  let asking: { readonly sinceMs: number; readonly controller: AbortController } | undefined

  const request = async (text: string, signal: AbortSignal): Promise<Suggestions> => {
    const query = new URLSearchParams({ q: text, kind })
    const response = await fetch(`${address}?${query}`, { signal })
    if (!response.ok) throw new Error(`status ${response.status}`)
    return JSON.parse(await response.text())
  }

  const ask = async (): Promise<void> => {
    while (wanted !== '' && !known.has(wanted)) {
      const text = wanted
      const controller = abortAfter(timeoutMs)
      asking = { sinceMs: performance.now(), controller }
      try {
        const answer = await request(text, controller.signal)
        if (known.size >= maxKnown) known.clear()
        known.set(text, answer)
        if (wanted === text || (wanted.startsWith(text) && !known.has(wanted))) show(answer)
      } catch {
        // The form still searches without suggestions.
        if (wanted === text) {
          show(undefined)
          break
        }
      }
    }
    asking = undefined
  }

  return {
    want: (text) => {
      wanted = normalize(text)
      const answer = known.get(wanted)
      if (wanted === '' || answer) show(answer)
      if (wanted === '' || answer) return
      if (!asking) void ask()
      else if (performance.now() - asking.sinceMs > patienceMs) asking.controller.abort()
    },
  }
}
