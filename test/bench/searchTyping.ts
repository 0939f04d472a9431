import { findBots } from '../../src/api/search/lookup.ts'
import { cleanTyped } from '../../src/api/search/routes.ts'
import type { Archive } from '../../src/data/archive/archive.ts'
import { cleanName } from '../../src/data/league/cleanName.ts'
import type { Bot, Bots } from '../../src/derived/careers/bots.ts'
import { readText } from '../../src/derived/search/pairs.ts'
import { searchBots } from '../../src/derived/search/search.ts'
import { mostFights } from './searchQueries.ts'
import { percentage, rounded } from './stats.ts'

/** Number of keys after which a bot has the most fights among names with that beginning. */
const keysToMostFights = (bots: Bots, name: string, bot: Bot): number => {
  for (let keys = 1; keys <= name.length; keys += 1) {
    const typed = cleanName(name.slice(0, keys))
    const isFirst = bots.every(
      ({ cleanName: clean, fights }) =>
        !clean.startsWith(typed) || fights.length <= bot.fights.length,
    )
    if (typed !== '' && isFirst) return keys
  }
  return name.length + 1
}

/**
 * Names of the 200 bots with the most fights, typed key by key. `keysToFirstByFights` is the number that an order only
 * by fights would need.
 */
export const measureTyping = ({ bots, botSearch }: Archive) => {
  const wellKnown = mostFights(bots, 200)
  let [keysToEight, keysToFirst, keysByFights, shown, gone, strangers, lists] = [
    0, 0, 0, 0, 0, 0, 0,
  ]
  for (const bot of wellKnown) {
    const name = bot.name.toLowerCase()
    let [eight, first] = [0, 0]
    for (let keys = 1; keys <= name.length; keys += 1) {
      const { found } = findBots(readText(botSearch, cleanTyped(name.slice(0, keys))), 8)
      const place = found.findIndex((each) => each.bot === bot)
      if (eight > 0) {
        shown += 1
        if (place < 0) gone += 1
      }
      if (place >= 0 && eight === 0) eight = keys
      if (place === 0 && first === 0) first = keys
    }
    keysToEight += eight || name.length + 1
    keysToFirst += first || name.length + 1
    keysByFights += keysToMostFights(bots, name, bot)
    for (const length of [3, 4, 5, 6]) {
      const begun = bot.cleanName.slice(0, length)
      if (begun.length < length) continue
      lists += 1
      strangers += searchBots(botSearch, begun, 8).filter(
        (each) => !each.bot.cleanName.includes(begun),
      ).length
    }
  }
  return {
    bots: wellKnown.length,
    keysToFirstEight: rounded(keysToEight / wellKnown.length),
    keysToFirst: rounded(keysToFirst / wellKnown.length),
    keysToFirstByFights: rounded(keysByFights / wellKnown.length),
    shownThenGonePercent: percentage(gone, shown),
    strangersPerList: rounded(strangers / (lists || 1)),
  }
}
