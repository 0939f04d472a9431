// Measured with half and with 1.5 times each cost and limit: 40 queries of each kind of `bun run bench search`, 1,796
// bots. The kind that loses most is named, with its lost queries (half a query for one that falls out of five); no kind
// is named if none loses.

/** Costs of a match in bits: a name with twice the fights may cost one more. */
export const costs = {
  /** The beginning of a name in its own punctuation or script. */
  typedAsSpelled: 0.1,
  /** Numbers and titles in another spelling. */
  oneSpelling: 0.8,
  digitsAsLetters: 1.2,
  /** Initials of a name. With 1.5 times: `initials of a compound` −4. */
  initials: 4.6,
  /** Four or more initials, rarely so by chance. */
  longInitials: 4.5,
  /** All consonants of a name, typed without vowels. */
  consonants: 5,
  /** The first consonants of a name. */
  consonantsBegin: 6.5,
  /** All consonants of a name, typed with other vowels. */
  consonantsWithVowels: 9,
  /** Added for a phonetic key. With half: `two: neighbour, drop` −1. */
  bySound: 2,
  wholeWithoutArticle: 0.3,
  /** The beginning of a name. With 1.5 times: `3 letters, well-known` −7. */
  begins: 2.5,
  /** The beginning of a later word. With 1.5 times: `last word begun` −1. */
  laterWord: 5,
  /** A later word, or part of a compound, to its end. With half: `50 % prefix` −2. */
  wholeLaterWord: 4.2,
  /** A later word that begins with one or two letters. With half: `initials of a compound` −2. */
  laterWordOfShort: 6,
  /** Added if the text ends within a word. */
  withinWord: 0.25,
  /** Part of a word. With half: `last word begun` −2. */
  inner: 7,
  /** End of a word. With 1.5 times: `part of a compound` −1. */
  innerEnd: 6,
  /** Added for a part that begins within a word and ends in another one. */
  acrossWords: 2,
  /** Added for each halving of the typed share of a name. */
  untyped: 0.2,
  /** A whole name, beside its edits. */
  misspelt: 1,
  /** The beginning of a name, beside its edits. With half: `4 letters, well-known` −6. */
  misspeltBeginning: 4,
  /** The first word, beside its edits. With half: `two: swap, double` −1. */
  misspeltFirstWord: 3.5,
  /** A later word, beside its edits. With half: `50 % prefix, one typo` −1. */
  misspeltLaterWord: 5.5,
  /** A word of the text that the name lacks. With half: `one: dropped` −1. */
  unmatchedWord: 7,
  /** Added for each letter of a word that the name lacks. */
  unmatchedLetter: 1.5,
  /** All words of a name, in any order. */
  allWords: 0.6,
  /** All words of a name in any order, some of them half-typed. With 1.5 times: `begun words` −1. */
  allWordsBegun: 2,
  /** Some of the words, with the first. With half: `date after` −2. */
  firstWordAmong: 2.5,
  /** Some of the words, without the first. With half: `one: letter too many` −1. */
  noFirstWord: 4,
  /** Added for words in another order. */
  otherOrder: 1.5,
  /** Added for each word of the name that the text lacks, except the first. */
  uncoveredWord: 0.4,
  /** A half-typed last word. */
  begunLastWord: 0.7,
  /** Another half-typed word. */
  begunWord: 1.6,
  /** Another half-typed word of one or two letters. */
  begunShortWord: 3,
  /** A word of the text within a word of the name. */
  wordInner: 4,
  /** One of several words, beside its edits. */
  wordMisspelt: 1,
  /** Added to the half-typed last word, misspelt. */
  wordMisspeltBeginning: 1.5,
  /** Added for an article typed before a part of a name without one. With half: `first and last of three` −2. */
  partArticle: 2.5,
  /** Added for a later word if too many names begin with the text. */
  lead: 2.5,
  /** Two names with `vs` between them. */
  separated: 0,
  /** Two names with `and`, `x`, `-` or a space between them, or as `AvsB`. With half: `one: dropped` −1. */
  unseparated: 3,
  /** Added for two bots that never met. With half: `a b, one typo` −1.5. */
  neverMet: 4,
} as const

/** Bounds of costs and of work. */
export const limits = {
  /** Maximum cost of a result or a pair. With half: `last word misspelt` −4.5. */
  matchCost: 24,
  /** Cost of one typing error: no other reading of the text is compared. With 1.5 times: `last word misspelt` −1. */
  closeEnough: 6.5,
  /**
   * Cheapest edit by which a letter appears, in tenths of a bit. With 1.5 times: `50 % prefix, one typo, by fights` −1.
   */
  cheapestLetter: 35,
  /** Words of a text that are read. With half: `number in words` −3. */
  words: 8,
  /** Names with a word, its end or initials; a word that more names have is looked up only by its letters. */
  withWord: 100,
  /** Names with which a text that is typed right is not compared as a misspelt one: as many as are ever shown. */
  enough: 20,
  /** Names that begin with the text and are compared, if more than `withWord` do: the most famous. */
  famousBegun: 40,
  /** Candidates compared letter by letter (p99 at 10x). */
  candidates: 64,
  /** Candidates compared letter by letter, times the words of the text (p99 of `eight words`). */
  wordComparisons: 160,
  /** Number of candidates from which on further ones need a share of the weight of the best. */
  minCandidates: 10,
  /** Share of the best weight that later candidates need. With 1.5 times: `inner end` −3.5. */
  weightShare: 0.4,
  /** Cost of a name as typed; beyond, letters differ. With half: `begun words` −51. */
  typedCost: 7.1,
  /** Cost of names around a `vs` that are not compared with the whole text. */
  surePairCost: 8,
  /**
   * Cost of a whole name in another spelling or with stop words: it is not misspelt. With 1.5 times: `initials of a
   * compound` −1.5.
   */
  wholeCost: 2.5,
  /**
   * Cost from which on a text is only a part of a word, and can as well be misspelt. With 1.5 times: `50 % prefix, one
   * typo` −1.
   */
  innerCost: 6,
  /** Results that cost this much more than the best one are left out. With half: `70 % prefix, one typo` −1. */
  margin: 4.6,
  /** Results that cost this much more than the best one are left out if the best one costs more than `nearCost`. */
  farMargin: 3,
  nearCost: 9,
  /** Splits of a text into two names. */
  splits: 3,
  /** Words of a text that is split. With half: `a b, one typo` −9. */
  splitWords: 8,
  /** Words of a text that is split although neither side is the exact name of a bot. */
  freeSplitWords: 3,
  /** Cost up to which a single bot is preferred to a pair of misspelt names. */
  singleCost: 12,
  /** Bots of each side that are combined. */
  perSide: 3,
  /** Edits, in tenths of a bit, of a word of a tournament. */
  oneEdit: 65,
  /** Tournaments without which no word is the name of the league. */
  leagueTournaments: 3,
  /** Share of the tournaments with a word of its name. */
  leagueShare: 0.6,
  /** Longest text whose pairs of letters are terms: two wrong letters spoil all its trigrams. */
  pairLength: 9,
  /** Longest name that is indexed without each of its letters. */
  nameDeletionLength: 6,
  /** Longest word that is indexed without each of its letters; pairs of its letters are not indexed. */
  deletionLength: 7,
  /** Letters at the start of a word that may be in another order. */
  startLength: 4,
  /** Max words of a text that is also matched as a whole name. */
  wordsOfWhole: 4,
} as const

/** Maximum cost of the edits of a whole name, in tenths of a bit, by the length of the text. */
const maxEdits = [0, 0, 0, 50, 56, 70, 105, 125, 140, 150, 165]
export const maxEditsOf = (length: number): number => maxEdits[length] ?? 180
/** Maximum cost of the edits of a beginning or a single word, which many names share. */
const maxPartEdits = [0, 0, 0, 0, 50, 50, 71, 80, 100, 120]
export const maxPartEditsOf = (length: number): number => maxPartEdits[length] ?? 130
/** Maximum cost of the edits of a whole word: a neighbouring key for its first letter, from five letters on. */
export const maxUnitEditsOf = (length: number): number =>
  length === 5 ? 70 : maxPartEditsOf(length)
/** Maximum cost of edits of a phonetic key, which has fewer letters, by its length. */
const maxSoundEdits = [0, 0, 0, 0, 0, 35, 50, 66]
export const maxSoundEditsOf = (length: number): number => maxSoundEdits[length] ?? 100

/** Edits of a text, in tenths of a bit, measured on the kinds `one: …`, `two: …` and `… one typo`. */
export const edits = {
  insertion: 55,
  deletion: 50,
  /** A doubled letter, or one letter of a double. */
  doubling: 25,
  transposition: 45,
  substitution: 65,
  neighbourKey: 45,
  soundsAlike: 35,
  vowelForVowel: 45,
  looksAlike: 20,
  /** Numbers are distinguished by their digits. */
  digitEdit: 90,
  /** Added for an edit of the first letter. */
  firstLetter: 25,
} as const
