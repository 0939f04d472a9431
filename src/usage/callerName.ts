import { LRUCache } from 'lru-cache'

/** Name that counts all callers with an unpublished key. */
export const unnamed = '(unnamed key)'

const maxLength = 64

const innerCapital = String.raw`(?<=\p{L}{2})\p{Lu}\p{Ll}{2,}`
const acronym = String.raw`(?<=\p{L}{3})\p{Lu}{2,4}(?!\p{L})`
/** `overlay`, `Overlay`, `NHRL`, `UKBots` and, with capitals inside, `BattleBotsFan` and `ArenaTV`. */
const word = String.raw`(?:iOS|i?\p{Lu}+\p{Ll}*|\p{Ll}+)(?:${innerCapital}){0,2}(?:${acronym})?`
/** Words, also of scripts without capitals. */
const letters = String.raw`(?:${word}|[\p{Lo}\p{Lm}]+)`
const number = String.raw`\p{Nd}{1,4}`
const emoji = String.raw`\p{ExtPict}\uFE0F?`
const part = `(?:${letters}(?:${number})?|${number}${letters}?|${emoji})`
/** No `:`, `=` and `+`, which occur in credentials and tokens, no `@` of addresses, and nothing of markup. */
const separator = `(?: ?[-_.,/&'’#!?()|~·–—] ?| )`
/**
 * Parts with single separators between them. No leading bracket, which marks our own names, and nothing with
 * which a formula of a spreadsheet begins.
 */
const shape = new RegExp(`^#?${part}(?:${separator}${part})*[.!?)]?$`, 'u')

/** Longer than words: tokens, and the last group of a UUID. */
const tokenLike = /[A-Za-z0-9]{16}|[0-9a-f]{12}/i
/** 9 digits: more than in a date, fewer than in card and telephone numbers. */
const manyDigits = /(?:\p{Nd}\P{Nd}*){9}/u
/** MAC address, which identifies a device. */
const hardwareAddress = /^(?:[0-9a-f]{2}[-_. ]){5}[0-9a-f]{2}$/i
const letter = /[\p{L}\p{ExtPict}]/u

/** Removes up to three combining marks per letter. */
const withoutMarks = (text: string): string =>
  text.normalize('NFD').replace(/(?<=\p{L})\p{M}{1,3}/gu, '')

/**
 * Whether a text without spaces consists of short runs of capitals, small letters and digits, as
 * tokens do.
 */
const isFragmented = (text: string): boolean => {
  if (text.length < 16 || !/^\S*\p{Lu}\S*$/u.test(text)) return false
  const runs = text.match(/(?:\p{Lu}?\p{Ll}+|\p{Lu}+)\p{Nd}*|\p{Nd}+/gu) ?? []
  return text.length < 5 * runs.length
}

const isName = (text: string): boolean => {
  const bare = withoutMarks(text)
  return (
    shape.test(bare) &&
    letter.test(bare) &&
    !tokenLike.test(bare) &&
    !manyDigits.test(bare) &&
    !hardwareAddress.test(bare) &&
    !isFragmented(bare)
  )
}

const publishedName = (key: string): string => {
  const name = key.replace(/^ +| +$/g, '')
  return isName(name) ? name : unnamed
}

const known = new LRUCache<string, string>({ max: 1024 })

/**
 * Name under which a caller's key is published, or {@link unnamed}; null without a key. A name is
 * words and short numbers between single separators, at most 64 characters. This excludes markup,
 * and tokens of 16 characters and more unless they spell words.
 */
export const callerName = (key: string | null): string | null => {
  if (key === null || key === '') return null
  if (key.length > 2 * maxLength || [...key].length > maxLength) return unnamed
  const before = known.get(key)
  if (before !== undefined) return before
  const name = publishedName(key)
  known.set(key, name)
  return name
}
