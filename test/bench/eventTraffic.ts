import { createRandom, type Random } from '../../scripts/league/random.ts'
import type { Catalog } from './catalog.ts'
import { isOk, type Traffic, type TrafficRequest } from './traffic.ts'

/** Picks by Zipf's law: item n with a weight of 1/n. */
const zipf = <T>(items: readonly T[], random: Random): (() => T) => {
  let sum = 0
  const sums = Float64Array.from(items, (_, index) => {
    sum += 1 / (index + 1)
    return sum
  })
  return () => {
    const drawn = random.next() * sum
    let [from, to] = [0, items.length - 1]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((sums[middle] ?? 0) <= drawn) from = middle + 1
      else to = middle
    }
    return random.pick(items.slice(from, from + 1))
  }
}

const clientCount = 300
const browsers = ['Firefox/128.0', 'Chrome/126.0.0.0', 'Safari/605.1.15', 'Edg/126.0.0.0']
const codings = ['gzip, deflate, br, zstd', 'gzip, deflate, br', 'gzip']

/** Headers of one client: 70 % browsers, the rest programs, half of them with a key. */
const clientHeaders = (random: Random, number: number): string =>
  random.chance(0.7)
    ? `User-Agent: Mozilla/5.0 (${number}) ${random.pick(browsers)}\r\n` +
      `Accept: */*\r\nAccept-Encoding: ${random.pick(codings)}\r\nOrigin: https://${number}.example\r\n`
    : `User-Agent: program/${number}\r\nAccept: application/json\r\n` +
      (random.chance(0.5) ? `X-API-Key: overlay ${number}\r\n` : '')

const okOrNotModified = (status: number): boolean => status === 200 || status === 304
const notFound = (status: number): boolean => status === 404

/** Autocomplete requests of people who type names letter by letter. */
const createTypists = (pickBot: () => Catalog['bots'][number], random: Random): (() => string) => {
  const typists = Array.from({ length: 40 }, () => ({ letters: [...pickBot().name], typed: 0 }))
  return () => {
    const typist = random.pick(typists)
    typist.typed += 1
    const text = typist.letters.slice(0, typist.typed).join('')
    if (typist.typed >= typist.letters.length) {
      typist.letters = [...pickBot().name]
      typist.typed = 0
    }
    return `/autocomplete?q=${encodeURIComponent(text)}`
  }
}

/** A crawler: every resource in turn, repeated. */
const createCrawler = ({ tournaments, fights, bots }: Catalog): (() => string) => {
  function* everything(): Generator<string> {
    for (const id of tournaments) {
      yield `/tournaments/${id}`
      for (const part of ['brackets', 'players', 'fights']) yield `/tournaments/${id}/${part}`
    }
    for (const { tournamentID, gameID } of fights) {
      yield `/tournaments/${tournamentID}/fights/${gameID}`
      yield `/stats/fight/${tournamentID}/${gameID}`
    }
    for (const { cleanName } of bots) yield `/bots/${cleanName}`
  }
  let walk = everything()
  return () => {
    const { value } = walk.next()
    if (value !== undefined) return value
    walk = everything()
    return '/tournaments'
  }
}

/**
 * Traffic of an event: polling screens, autocomplete, brackets, bots and videos by popularity (Zipf), one
 * crawler, and 5 % of requests for what does not exist. Equal catalog and seed give equal requests.
 */
export const createEventTraffic = (catalog: Catalog, seed: number): Traffic => {
  const random = createRandom(seed)
  const clients = Array.from({ length: clientCount }, (_, number) => clientHeaders(random, number))
  const keys = new Map(catalog.bots.map(({ cleanName }) => [cleanName, random.next()]))
  const byPopularity = catalog.bots.toSorted(
    (a, b) => (keys.get(a.cleanName) ?? 0) - (keys.get(b.cleanName) ?? 0),
  )
  const pickClient = zipf(clients, random)
  const pickBot = zipf(byPopularity, random)
  const pickFight = zipf(catalog.fights, random)
  const pickTournament = zipf(catalog.tournaments, random)
  const type = createTypists(pickBot, random)
  const crawl = createCrawler(catalog)
  const polled = [
    '/cages',
    ...catalog.cages.map((number) => `/cages/${number}`),
    '/schedule',
    '/fights/last24h',
    '/fights/recent',
  ]
  const bot = () => pickBot().cleanName
  const fight = () => {
    const { tournamentID, gameID } = pickFight()
    return { tournamentID, gameID, of: `${tournamentID}/${gameID}` }
  }
  const deepPage = () =>
    random.pick([
      () => `/fights?page=${random.int(2, catalog.lastFightPage)}`,
      () => `/bots?page=${random.int(1, 20)}`,
      () => `/clips?page=${random.int(1, 20)}`,
      () => `/stills?page=${random.int(1, 20)}`,
      () => '/stats/leaderboard?metric=winRate&limit=100',
    ])()
  const ofFight = () => {
    const { tournamentID, gameID, of } = fight()
    return random.pick([
      `/video-feeds/fight/${of}`,
      `/video-feeds/fight/${of}`,
      `/tournaments/${tournamentID}/fights/${gameID}`,
      `/stats/fight/${of}`,
      `/video-feeds/${random.pick(catalog.recordings)}`,
    ])
  }
  const ofBot = () =>
    random.pick([
      () => `/bots/${bot()}`,
      () => `/bots/${bot()}/fights`,
      () => `/stats/head-to-head/${bot()}/${bot()}`,
    ])()
  const ofTournament = () =>
    `/tournaments/${pickTournament()}/${random.pick(['brackets', 'brackets', 'players', 'fights'])}`
  const missing = () =>
    random.pick([
      `/bots/nobody${random.hex(6)}`,
      `/tournaments/${random.hex(16)}/brackets`,
      `/video-feeds/fight/${pickTournament()}/${random.hex(8)}`,
      `/clips/${random.token(22)}`,
    ])

  type Draw = () => Omit<TrafficRequest, 'headers' | 'method'>
  const once = (path: string) => ({ path, revalidates: false, isExpected: isOk })
  const parts: readonly (readonly [weight: number, draw: Draw])[] = [
    [30, () => ({ path: random.pick(polled), revalidates: true, isExpected: okOrNotModified })],
    [16, () => once(type())],
    [4, () => once(`/search?q=${encodeURIComponent(`${pickBot().name} ${pickBot().name}`)}`)],
    [12, () => ({ path: ofTournament(), revalidates: true, isExpected: okOrNotModified })],
    [13, () => once(ofBot())],
    [11, () => once(ofFight())],
    [4, () => once(deepPage())],
    [5, () => once(crawl())],
    [5, () => ({ path: missing(), revalidates: false, isExpected: notFound })],
  ]
  const weights = parts.map(([weight]) => weight)
  return () => {
    const [, draw] = parts[random.weighted(weights)] ?? []
    return { method: 'GET', headers: pickClient(), ...(draw?.() ?? once('/fights/recent')) }
  }
}
