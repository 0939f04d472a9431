import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'

/** Counts all who send a key that is not fit to be published. */
export const unnamed = '(unnamed key)'

const longestName = 64

/** Letters, marks, digits, punctuation and symbols in any script, and the space. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u
/** What means something in a page, a shell or a query. */
const markup = /[<>&"'`\\]/

/** What people paste where a name is asked: keys, tokens and passwords. */
const secretShapes: readonly RegExp[] = [
  /^(bearer|basic|digest|token|apikey)[ :=]/i,
  /(pass(word|wd|phrase)?|secret|token|api[_-]?key)\s*[:=]/i,
  /-----begin/i,
  /p[a@4]ss.?w[o0]rd|\bpw\s*[:=]/i,
  // https://user:password@host
  /:\/\/[^/\s]*@/,
  // JSON web tokens, and the prefixes that large services give their keys.
  /\beyJ[\w-]{6,}/,
  /\b[spr]k[-_](live|test|prod|proj|ant|or|svcacct)[-_]/i,
  /\bsk-[\w-]{16,}/,
  /\b(gh[opsur]|github_pat|glpat|gldt|npm|pypi|hf|dop_v1|doo_v1|whsec|shp(at|ca|pa|ss)|rubygems|xai|gsk|sq0[a-z]{3}|lin_api|figd|pat|ntn|dckr_pat|nvapi)[-_][\w-]{10,}/i,
  /\bxox[a-z](\.[a-z]+)?-/i,
  /\b(A3T[A-Z0-9]|AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{12,}/,
  /\bAIza[\w-]{20,}/,
  /\bya29\./,
  /\bSG\.[\w-]{10,}/,
  /\bAGE-SECRET-KEY-/i,
  /\b[MNO][\w-]{23,27}\.[\w-]{6,7}\.[\w-]{27,}/,
  /\bhooks\.slack\.com\b/i,
  // Hexadecimal digests and UUIDs, long numbers such as those of cards and telephones.
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i,
  /(?=[0-9a-f]*\d)[0-9a-f]{16,}/i,
  /(\d[ .-]?){12,}/,
  // Whatever is long and in one piece.
  /[\w+/=~$%^*!?#-]{32,}/,
]

/** A run of letters and digits that takes turns between both like dice do and words do not. */
const looksRandom = (text: string): boolean =>
  (text.match(/[A-Za-z0-9]{16,}/g) ?? []).some(
    (run) => (run.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g) ?? []).length >= 4,
  )

/** Letters that are large and small by turns, or groups as licences have them: nobody is called so. */
const looksMade = (text: string): boolean =>
  /([A-Z\d]{4,}[- ]){2,}[A-Z\d]{4,}/.test(text) ||
  (text.match(/[A-Za-z]{16,}/g) ?? []).some(
    (run) => 3 * (run.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g) ?? []).length > run.length * 1.5,
  )

const isAddress = (text: string): boolean => ipaddr.isValid(text.replace(/^\[|\](:\d+)?$/g, ''))

const decide = (given: string): string => {
  const name = given.replace(/^ +| +$/g, '')
  const fits =
    name.length > 0 &&
    printable.test(name) &&
    !markup.test(name) &&
    !secretShapes.some((shape) => shape.test(name)) &&
    !looksRandom(name) &&
    !looksMade(name) &&
    !isAddress(name) &&
    // What is in brackets is ours.
    !name.startsWith('(')
  return fits ? name : unnamed
}

const known = new LRUCache<string, string>({ max: 1024 })

/**
 * The name under which a caller's key is published, or {@link unnamed}: a name has 1 to 64 printable
 * characters, none of them markup, and does not look like a secret. Null for no key.
 */
export const callerName = (key: string | null): string | null => {
  if (key === null || key === '') return null
  if (key.length > 2 * longestName || [...key].length > longestName) return unnamed
  const before = known.get(key)
  if (before !== undefined) return before
  const name = decide(key)
  known.set(key, name)
  return name
}
