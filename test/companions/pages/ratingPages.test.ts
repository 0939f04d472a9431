import { describe, expect, test } from 'bun:test'
import { appOf, archiveOf, readText } from '../../fixtures.ts'
import { fightRows, openFight, playersNamed, tournamentOf } from '../../rows.ts'

const bots = playersNamed('Axe', 'Bolt', 'Club')

/** Axe beats the two others in turn, but Club wins the last fight of the autumn. */
const eventOf = (id: string, startUnix: number, winner: 0 | 1) =>
  tournamentOf({ id, name: id }, bots, [
    ...Array.from({ length: 12 }, (_, index) => {
      const unix = startUnix + index * 1000
      const won = index === 11 ? winner : 0
      const times = { startTime: unix, stopTime: unix + 90, endTime: unix + 100 }
      return fightRows({ id: `W-${index}`, ...times }, 'p0', `p${1 + (index % 2)}`, won)
    }),
  ])

const league = archiveOf(
  eventOf('spring', 1_760_000_000, 0),
  eventOf('autumn', 1_768_000_000, 1),
  tournamentOf({ id: 'next', name: 'next', active: true }, bots, [openFight({}, 'p0', 'p1')]),
)

const page = async (path: string, ratings = true): Promise<string> =>
  (await readText(appOf(league, { ratings }), path)).text

/** Parts of pages that need ratings, by path. */
const parts = {
  '/b/axe': /1500 \(dashed\) is a new bot/,
  '/stats': /<h2 id="ranking-title">Ranking<\/h2>/,
  '/b/bolt': /Chance to win <b>\d+\s%<\/b>/,
  '/vs/axe/bolt': /Chance to win a fight now/,
  '/w/autumn/W-11': /Chance before the fight/,
  '/w/next/W-0': /Chance before the fight/,
} as const

describe('ratings on pages', () => {
  test.each(Object.entries(parts))(
    'ratings are on %s, unless results are hidden or ratings are off',
    async (path, part) => {
      expect(await page(path)).toMatch(part)
      expect(await page(`${path}?spoilers=0`)).not.toMatch(part)
      expect(await page(path, false)).not.toMatch(part)
    },
  )

  test('the history of a rating is drawn as a line with a dot for each event, in its band', async () => {
    const [, svg = ''] = /<svg class="band".*?>(.*?)<\/svg>/s.exec(await page('/b/axe')) ?? []
    const numbersOf = (text = ''): readonly number[] => text.split(/[ ,]/).map(Number)
    const line = numbersOf(/<polyline points="(.*?)"/.exec(svg)?.[1])
    const band = numbersOf(/<polygon points="(.*?)"/.exec(svg)?.[1])
    expect(line).toHaveLength(4)
    expect(band).toHaveLength(8)
    const [, high, , , , , , low] = band
    expect(high).toBeLessThan(line[1] ?? 0)
    expect(low).toBeGreaterThan(line[1] ?? 0)
    expect(
      [...svg.matchAll(/<title>(\w+): \d+, \d+ to \d+<\/title>/g)].map(([, title]) => title),
    ).toEqual(['spring', 'autumn'])
  })

  test('/stats ranks the bots of a class', async () => {
    const [, section = ''] =
      /<h2 id="ranking-title">(.*?)<\/section>/s.exec(await page('/stats')) ?? []
    expect([...section.matchAll(/<bdi>(\w+)<\/bdi>/g)].map(([, name]) => name)[0]).toBe('Axe')
    const links = [...section.matchAll(/href="\/b\/(\w+)"/g)].map(([, bot]) => bot)
    expect(links[0]).toBe('axe')
    expect(links).toHaveLength(3)
  })

  test('/stats ranks the six classes with most bots, lightest first', async () => {
    const classes = [1, 3, 6, 12, 30, 60, 120].map((weightClass, index) => {
      const names = Array.from({ length: index === 0 ? 2 : 3 }, (_, at) => `Bot ${index} ${at}`)
      // The class with fewest bots has the best one.
      const fights = Array.from({ length: index === 0 ? 9 : 2 }, (_, at) =>
        fightRows({ id: `W-${at}` }, 'p0', `p${index === 0 ? 1 : at + 1}`),
      )
      return tournamentOf({ id: `e${index}`, weightClass }, playersNamed(...names), fights)
    })
    const { text } = await readText(appOf(archiveOf(...classes)), '/stats')
    expect([...text.matchAll(/id="ranking-(\d+)"/g)].map(([, pounds]) => Number(pounds))).toEqual([
      3, 6, 12, 30, 60, 120,
    ])
  })

  test('a win with less than a quarter of a chance is called an upset', async () => {
    expect(await page('/w/autumn/W-11')).toContain('an <b>upset</b>')
    expect(await page('/w/autumn/W-10')).not.toContain('upset')
    expect(await page('/w/autumn/W-11?spoilers=0')).not.toContain('upset')
  })
})
