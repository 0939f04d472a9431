import { cleanName } from '../dataset/cleanName.ts'
import { tournamentsNewestFirst } from '../dataset/order.ts'
import type { Dataset, Tournament } from '../dataset/types.ts'
import { editDistances } from './distance.ts'

/**
 * The words of all tournament names and ids, each with the tournaments that have it. It changes in
 * place when the tournaments do; what it finds is looked up in the dataset that is asked.
 */
export interface TournamentSearch {
  readonly idsByWord: Map<string, Set<string>>
  readonly wordsByID: Map<string, ReadonlySet<string>>
  readonly names: Map<string, string>
  tournaments: Dataset['tournaments']
}

export interface FoundTournament {
  readonly tournament: Tournament
  /** From 0 to 1; 1 when every word asked for is there. */
  readonly score: number
}

export const createTournamentSearch = (): TournamentSearch => ({
  idsByWord: new Map(),
  wordsByID: new Map(),
  names: new Map(),
  tournaments: [],
})

/** More words of a query than this are not read. */
export const mostWords = 8

/** The words of a text as clean texts. */
export const cleanWords = (text: string): string[] =>
  text
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .map(cleanName)
    .filter((word) => word !== '')

const remove = (search: TournamentSearch, id: string): void => {
  for (const word of search.wordsByID.get(id) ?? []) {
    const ids = search.idsByWord.get(word)
    ids?.delete(id)
    if (ids?.size === 0) search.idsByWord.delete(word)
  }
  search.wordsByID.delete(id)
  search.names.delete(id)
}

const add = (search: TournamentSearch, { id, name }: Tournament['info']): void => {
  const words = new Set([...cleanWords(name), ...cleanWords(id), cleanName(id)])
  search.names.set(id, name)
  search.wordsByID.set(id, words)
  for (const word of words) {
    const ids = search.idsByWord.get(word)
    if (ids) ids.add(id)
    else search.idsByWord.set(word, new Set([id]))
  }
}

/** Brings the index to these tournaments; those whose name is the same stay as they are. */
const follow = (search: TournamentSearch, { tournaments, tournamentsByID }: Dataset): void => {
  if (search.tournaments === tournaments) return
  search.tournaments = tournaments
  for (const id of [...search.names.keys()]) if (!tournamentsByID.has(id)) remove(search, id)
  for (const { info } of tournaments) {
    if (search.names.get(info.id) === info.name) continue
    remove(search, info.id)
    add(search, info)
  }
}

/**
 * How well a word answers what was asked: the word itself, one that begins so, one edit away. A single
 * letter or digit begins too many.
 */
const answers = (asked: string, word: string): number => {
  if (word === asked) return 1
  if (asked.length > 1 && word.startsWith(asked)) return 0.8
  if (asked.length < 4 || Math.abs(word.length - asked.length) > 1) return 0
  return editDistances(asked, word, 1).whole <= 1 ? 0.6 : 0
}

/** The tournaments with at least half of the words of a text, best first, then newest first. */
export const searchTournaments = (
  search: TournamentSearch,
  dataset: Dataset,
  text: string,
  limit: number,
): readonly FoundTournament[] => {
  follow(search, dataset)
  const asked = [...new Set(cleanWords(text))].slice(0, mostWords)
  const sums = new Map<string, number>()
  for (const word of asked) {
    const best = new Map<string, number>()
    for (const [known, ids] of search.idsByWord) {
      const quality = answers(word, known)
      if (quality === 0) continue
      for (const id of ids) best.set(id, Math.max(quality, best.get(id) ?? 0))
    }
    for (const [id, quality] of best) sums.set(id, (sums.get(id) ?? 0) + quality)
  }
  return [...sums]
    .flatMap(([id, sum]) => {
      const tournament = dataset.tournamentsByID.get(id)
      const score = Math.round((sum / asked.length) * 1000) / 1000
      return tournament && score >= 0.5 ? [{ tournament, score }] : []
    })
    .sort((a, b) => b.score - a.score || tournamentsNewestFirst(a.tournament, b.tournament))
    .slice(0, limit)
}
