import type { BotEntry, BotSearch } from './botIndex.ts'
import type { Job } from './candidates.ts'
import type { Match } from './match.ts'
import { initialsAt, jointsOf, minJoinedLength, partsOf } from './nameWords.ts'
import { endTerm, joinedInitialsTerm, wordTerm } from './terms.ts'
import { costs, limits } from './tuning.ts'
import { joinedWordCost } from './wholeMatch.ts'

/** True if a text is a whole word of another name or of a tournament. */
const isWord = ({ terms, entries, idsByWord }: BotSearch, text: string, own: BotEntry): boolean =>
  idsByWord.has(text) ||
  terms.find(wordTerm(text)).some((number) => {
    const entry = entries[Number(number)]
    return entry !== undefined && entry !== own
  })

const entriesWith = ({ search, accepts }: Job, term: string): BotEntry[] =>
  search.terms.count(term) > limits.withWord
    ? []
    : search.terms.find(term).flatMap((number) => {
        const entry = search.entries[Number(number)]
        return entry && accepts(entry.bot) ? entry : []
      })

/**
 * Names of two joined words, such as `Flipflop`, if the text is their second word or their initials. Both words
 * should be words elsewhere in the league, which an index of each name by itself cannot know: it holds every end.
 * A name that is a whole word elsewhere is not divided: `gentle`. An end that is no word elsewhere counts as a part
 * of a word.
 */
export const joinedMatches = (job: Job): ReadonlyMap<BotEntry, Match> => {
  const { search, query } = job
  const [{ text }] = query.variants
  const matches = new Map<BotEntry, Match>()
  const add = (entry: BotEntry, cost: number, ranges: readonly number[]): void => {
    matches.set(entry, { cost, isMisspelt: false, form: entry.words.forms[0], ranges })
  }
  if (text.length >= minJoinedLength) {
    for (const entry of entriesWith(job, endTerm(text))) {
      const [form] = entry.words.forms
      const at = partsOf(form).findLastIndex(
        (part) =>
          part.endsWith(text) &&
          jointsOf(part).includes(part.length - text.length) &&
          isWord(search, part.slice(0, -text.length), entry) &&
          !isWord(search, part, entry),
      )
      const end = form.ends[at]
      if (end === undefined) continue
      const cost = isWord(search, text, entry) ? joinedWordCost(text, form.text) : costs.inner
      add(entry, cost, [end - text.length, end])
    }
  }
  if (text.length !== 2) return matches
  for (const entry of entriesWith(job, joinedInitialsTerm(text))) {
    const [{ text: name }] = entry.words.forms
    const joint = jointsOf(name).find(
      (each) =>
        initialsAt(name, each) === text &&
        isWord(search, name.slice(0, each), entry) &&
        isWord(search, name.slice(each), entry) &&
        !isWord(search, name, entry),
    )
    if (joint !== undefined) add(entry, costs.initials, [0, 1, joint, joint + 1])
  }
  return matches
}
