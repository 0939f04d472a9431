import { describe, expect, test } from 'bun:test'
import { cleanName } from '../../../src/data/league/cleanName.ts'
import { rangesIn } from '../../../src/derived/search/highlight.ts'
import { matchName, spansOf } from '../../../src/derived/search/match.ts'
import { nameWords } from '../../../src/derived/search/nameWords.ts'
import { readQuery } from '../../../src/derived/search/query.ts'
import { costs, edits, limits } from '../../../src/derived/search/tuning.ts'

/** Cost of a match, whether its letters differ, and the name with the marked parts in brackets. */
const matchOf = (text: string, name: string) => {
  const [query, clean] = [readQuery(text, new Set(['clang'])), cleanName(name)]
  const words = nameWords(name, clean)
  const match = query && matchName(query, words, name, limits.matchCost)
  const ranges = match ? rangesIn(name, clean, spansOf(match, words)) : []
  let [marked, at] = ['', 0]
  for (const [from, to] of ranges) {
    marked += `${name.slice(at, from)}[${name.slice(from, to)}]`
    at = to
  }
  return { cost: match?.cost ?? 0, isMisspelt: match?.isMisspelt, marked: marked + name.slice(at) }
}

const expectMatch = (text: string, marked: string, cost: number, isMisspelt: boolean): void => {
  const match = matchOf(text, marked.replace(/[[\]]/g, ''))
  expect(match).toMatchObject({ marked, isMisspelt })
  expect(match.cost).toBeCloseTo(cost, 9)
}

/** Additional cost of this many untyped letters of a clean name. */
const untyped = (typed: number, length: number) => costs.untyped * Math.log2(length / typed)
const article = 1.4
const stopWord = 0.4
const { allWords, allWordsBegun, begunLastWord, firstWordAmong, noFirstWord, otherOrder } = costs
const unmatched = (letters: number) => costs.unmatchedWord + letters * costs.unmatchedLetter
const edit = (...of: (keyof typeof edits)[]) => of.reduce((sum, each) => sum + edits[each] / 10, 0)

describe('a text as typed', () => {
  test.each<[text: string, marked: string, cost: number]>([
    ['toast lantern', '[Toast Lantern]', 0],
    // The name, the text or both have another spelling.
    ['turnip 2', '[Turnip II]', costs.oneSpelling],
    ['turnip two', '[Turnip 2]', costs.oneSpelling],
    ['turnip two', '[Turnip II]', 2 * costs.oneSpelling],
    ['jaeger', '[Jäger]', costs.oneSpelling],
    ['bot', '[B0t]', costs.digitsAsLetters],
    ['b0t', '[Bot]', costs.digitsAsLetters],
    [
      'roboco',
      '[R0b0co]p',
      costs.digitsAsLetters + costs.begins + untyped(6, 7) + costs.withinWord,
    ],
    // The name has its own punctuation or script.
    ['WAFFLE-71', '[Waffle-71]00', costs.typedAsSpelled],
    ['どん', '[どん]ぐり', costs.typedAsSpelled],
    // Stop words and articles.
    ['brisk robot', '[Brisk]', stopWord],
    ['the brisk', '[Brisk]', article],
    ['the brisk robot', '[Brisk]', article],
    ['the turnip two', '[Turnip 2]', article + costs.oneSpelling],
    ['pale lance', 'The [Pale Lance]', costs.wholeWithoutArticle],
    // The beginning of the name or of a later word.
    ['pale', 'The [Pale] Lance', costs.begins + untyped(4, 12)],
    ['toas', '[Toas]t Lantern', costs.begins + untyped(4, 12) + costs.withinWord],
    ['lan', 'Toast [Lan]tern', costs.laterWord + untyped(3, 12) + costs.withinWord],
    ['la', 'Toast [La]ntern', costs.laterWordOfShort + untyped(2, 12) + costs.withinWord],
    ['lantern', 'Toast [Lantern]', costs.wholeLaterWord + untyped(7, 12)],
    // Within a word, at its end, and across words.
    ['spinn', 'Paddle[spinn]er', costs.inner],
    ['spinner', 'Paddle[spinner]', costs.innerEnd],
    ['ster v3', 'Sgt. Oy[ster v3]', costs.innerEnd + costs.acrossWords],
    ['spin', "Gladys'[s Pin]eapple", costs.inner + costs.acrossWords],
    ['the ster', 'Sgt. Oy[ster] v3', article + costs.partArticle + costs.inner],
    ['the ster robot', 'Sgt. Oy[ster] v3', article + costs.partArticle + costs.inner],
    [
      'the st3r',
      'Sgt. Oy[ster] v3',
      article + costs.digitsAsLetters + costs.partArticle + costs.inner,
    ],
    // Initials.
    ['bbw', '[B]ig [B]ad [W]olf', costs.initials],
    ['kwac', '[K]oala [W]ithout [a] [C]ause', costs.longInitials],
  ])('the text %s in %s costs %d', (text, marked, cost) => expectMatch(text, marked, cost, false))
})

describe('words of a text', () => {
  test.each<[text: string, marked: string, cost: number]>([
    ['lantern toast', '[Toast] [Lantern]', allWords + otherOrder],
    ['lantern the toast', '[Toast] [Lantern]', allWords + otherOrder + article],
    ['lance pale', 'The [Pale] [Lance]', allWords + otherOrder],
    // Half-typed words.
    ['toast lan', '[Toast] [Lan]tern', allWordsBegun + begunLastWord],
    ['toa lantern', '[Toa]st [Lantern]', allWordsBegun + costs.begunWord],
    ['to lantern', '[To]ast [Lantern]', allWordsBegun + costs.begunShortWord],
    ['toast sa', '[Sa]w [Toast] Saint', firstWordAmong + begunLastWord + otherOrder],
    // Some of the words of a name.
    ['toast kettle', '[Toast] [Kettle] Reborn', firstWordAmong],
    ['kettle reborn', 'Toast [Kettle] [Reborn]', noFirstWord],
    ['gray pale', 'The [Pale] [Gray] Lance', firstWordAmong + otherOrder],
    ['big wolf', '[Big] Bad Blue [Wolf]', firstWordAmong + costs.uncoveredWord],
    ['saw saw', '[Saw] Sawyer', firstWordAmong],
    // Words that the name lacks: at least half of the letters must match, stop words aside.
    ['toast xyz lantern', '[Toast] [Lantern]', allWords + unmatched(3)],
    ['wxyz king', '[King] Cobra', firstWordAmong + unmatched(4)],
    ['robots team king xyz', '[King] Cobra', firstWordAmong + unmatched(3) + 2 * stopWord],
    ['2 mk.4 march 26', '[Mk].[4]', allWords + unmatched(1) + 2 * stopWord],
    ['die kettle reborn', 'Toast [Kettle] [Reborn]', noFirstWord + unmatched(3)],
    ['toast lxan', 'Lantern [Toast]', noFirstWord + unmatched(4)],
    // Parts of words, from four letters on.
    ['sock toast', '[Toast] Hyper[sock]', allWordsBegun + costs.wordInner + otherOrder],
    ['ock toast', '[Toast] Hypersock', firstWordAmong + unmatched(3)],
    ['mr.ister', '[Mr]. M[ister]', allWordsBegun + costs.wordInner],
    // Only whole words are marked in a name in another spelling.
    ['2 turnip', '[Turnip] [II]', costs.oneSpelling + allWords + otherOrder],
    ['two turnip', '[Turnip] [II]', 2 * costs.oneSpelling + allWords + otherOrder],
    ['2 two f', '[Two] [Face]', 2 * costs.oneSpelling + allWordsBegun + begunLastWord],
    ['no. 1', '[Number] No. [1]', costs.oneSpelling + firstWordAmong],
    ['face b0t', '[Bot] [Face] Two', costs.digitsAsLetters + firstWordAmong + otherOrder],
  ])('the words %s in %s cost %d', (text, marked, cost) => expectMatch(text, marked, cost, false))

  test.each([
    ['vwxyz king', 'King Cobra'],
    ['robot wxyz', 'Robot Rampage'],
  ])('the text %s does not match %s, as less than half of its letters do', (text, name) => {
    expect(matchOf(text, name).cost).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('a misspelt text', () => {
  test.each<[text: string, marked: string, cost: number]>([
    ['brsik', '[Brisk]', costs.misspelt + edit('transposition')],
    ['haard', 'Die [Hard]', costs.misspelt + edit('doubling')],
    ['die haard', '[Die Hard]', costs.misspelt + edit('doubling')],
    ['gavem', '[Gafen]', costs.misspelt + edit('soundsAlike', 'soundsAlike')],
    ['bkt', '[B0t]', costs.digitsAsLetters + costs.misspelt + edit('neighbourKey')],
    // A beginning, the first word, and a later word.
    ['ppho', '[Pho]enix', costs.misspeltBeginning + edit('doubling')],
    ['palee', 'The [Pale] Lance', costs.misspeltBeginning + edit('doubling')],
    ['4400', '[40]4', costs.misspeltBeginning + edit('doubling', 'doubling')],
    ['ss saw', '[Saw] Saw', costs.misspeltFirstWord + edit('doubling', 'doubling')],
    ['tosat', '[Toast] Lantern', costs.misspeltFirstWord + edit('transposition')],
    ['hyprsock', '[HyperSock] King', costs.misspeltFirstWord + edit('deletion')],
    ['plae', 'The [Pale] Lance', costs.misspeltFirstWord + edit('transposition')],
    ['lantren', 'Toast [Lantern]', costs.misspeltLaterWord + edit('transposition')],
    // The first of two equally close words counts.
    ['toasr', 'Iron [Toast] Toase', costs.misspeltLaterWord + edit('neighbourKey')],
    // No words are compared if one typing error explains the text.
    ['gh0sst', '[Gh0st] Rider', costs.misspeltBeginning + edit('doubling')],
    // Texts without vowels, with other vowels, and by sound.
    ['brsk', '[Brisk]', costs.consonants],
    ['tnk', '[Tank]', costs.consonants],
    ['svnspns', '[Seven Spoons]', costs.consonants],
    ['exclbr', '[Excalibur]', costs.consonants],
    ['ghst', '[Ghost 3]', costs.consonantsBegin],
    ['hidwankar', '[Hoodwinker]', costs.consonantsWithVowels],
    ['jawbreea', '[Jawbrea]ker', costs.misspeltBeginning + edit('doubling')],
    ['cween', '[Kween]', costs.misspelt + costs.bySound],
    ['404', '[Aoa]', costs.misspelt + costs.bySound],
    ['f0eniks', '[Phoenix]', costs.misspelt + costs.bySound],
    ['kwean', '[Kween]', costs.misspelt + edit('vowelForVowel')],
    ['foenicsr', '[Phoenix R]ising', costs.misspeltBeginning + costs.bySound],
    ['jjawbr ro', '[Jawbreak]er', costs.misspeltBeginning + costs.bySound + edit('vowelForVowel')],
    [
      'team ktnig rid',
      '[Knight Rider]',
      costs.misspeltBeginning + costs.bySound + edit('deletion', 'deletion'),
    ],
    // One of several words.
    [
      'lantern tosat',
      '[Toast] [Lantern]',
      allWords + otherOrder + costs.wordMisspelt + edit('transposition'),
    ],
    [
      'swa toast',
      '[Toast] [Saw]',
      allWords + otherOrder + costs.wordMisspelt + edit('transposition'),
    ],
    [
      'toast lantt',
      '[Toast] [Lant]ern',
      allWords + costs.wordMisspelt + costs.wordMisspeltBeginning + edit('doubling'),
    ],
    [
      'toast socks',
      '[Sockes] [Toast]',
      allWords + otherOrder + costs.wordMisspelt + edit('deletion'),
    ],
    [
      'toasr iron',
      '[Iron] [Toast] Toase',
      firstWordAmong + otherOrder + costs.wordMisspelt + edit('neighbourKey'),
    ],
    [
      'kettle tosat',
      '[Toast] [Kettle] Reborn',
      firstWordAmong + otherOrder + costs.wordMisspelt + edit('transposition'),
    ],
  ])('the misspelt text %s in %s costs %d', (text, marked, cost) =>
    expectMatch(text, marked, cost, true),
  )

  test('only the last word can be half-typed with an error', () => {
    expect(matchOf('lantt toast', 'Toast Lantern').marked).toBe('[Toast] Lantern')
  })
})
