import { LRUCache } from 'lru-cache'

/** Name that counts all callers with an unpublished key. */
export const unnamed = '(unnamed key)'

const maxLength = 64

/**
 * Words such as `overlay`, `NHRL`, `UKBots`, `iOS`, `BattleBotsFan` and `ArenaTV`, and words of scripts without
 * capitals.
 */
const word = String.raw`(?:(?:\p{Lu}+\p{Ll}*|\p{Ll}+)(?:\p{Lu}\p{Ll}{2,}){0,2}\p{Lu}{0,4}|[\p{Lo}\p{Lm}]+)`
const number = String.raw`\p{Nd}{1,8}`
const part = String.raw`(?:${word}(?:${number})?|${number}${word}?|\p{ExtPict}\uFE0F?)`
/** No `:`, `=` and `+`, which occur in credentials and tokens, no `@`, which occurs in addresses, and no markup. */
const separator = `(?: ?[-_.,/&'’#!?()|~·–—] ?| )`
/**
 * Parts with single separators between them. No leading bracket, which marks our own names, and nothing with
 * which a formula of a spreadsheet begins.
 */
const shape = new RegExp(`^#?${part}(?:${separator}${part})*[.!?)]?$`, 'u')
const letter = /[\p{L}\p{ExtPict}]/u
/**
 * 16 letters and digits, or the end of a UUID, are no word; 9 digits are more than a date, and fewer than a
 * card or telephone number; a hardware address identifies a device.
 */
const tokenLike =
  /[A-Za-z0-9]{16}|[0-9a-f]{12}|(?:\p{Nd}\P{Nd}*){9}|^(?:[0-9a-f]{2}[-_. ]){5}[0-9a-f]{2}$/iu

/** True if a text without spaces consists of short runs of capitals, small letters and digits, as tokens do. */
const isFragmented = (text: string): boolean => {
  const runs = text.match(/(?:\p{Lu}?\p{Ll}+|\p{Lu}+)\p{Nd}*|\p{Nd}+/gu) ?? []
  return text.length >= 16 && text.length < 5 * runs.length && /^\S*\p{Lu}\S*$/u.test(text)
}

/** Removes up to three combining marks per letter. */
const withoutMarks = (text: string): string =>
  text.normalize('NFD').replace(/(?<=\p{L})\p{M}{1,3}/gu, '')

const publishedName = (key: string): string => {
  const name = key.replace(/^ +| +$/g, '')
  const bare = withoutMarks(name)
  const isName =
    shape.test(bare) && letter.test(bare) && !tokenLike.test(bare) && !isFragmented(bare)
  return isName ? name : unnamed
}

/** Recognising a name takes some 5 µs. */
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
