import { createRandom, type Random } from '../../scripts/league/random.ts'
import type { Catalog } from './catalog.ts'
import type { Traffic, TrafficRequest } from './traffic.ts'

/** Picks by Zipf's law: the second of a list half as often as the first, the third a third as often. */
const zipf = <T>(items: readonly T[], random: Random): (() => T) => {
  const sums: number[] = []
  let sum = 0
  for (const index of items.keys()) {
    sum += 1 / (index + 1)
    sums.push(sum)
  }
  return () => {
    const drawn = random.next() * sum
    let [from, to] = [0, items.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((sums[middle] ?? 0) <= drawn) from = middle + 1
      else to = middle
    }
    for (const item of items.slice(from, from + 1)) return item
    throw new RangeError('nothing to pick from')
  }
}

const clientCount = 300
const browsers = ['Firefox/128.0', 'Chrome/126.0.0.0', 'Safari/605.1.15', 'Edg/126.0.0.0']
const codings = ['gzip, deflate, br, zstd', 'gzip, deflate, br', 'gzip']

/** The headers of somebody: most use a browser, some a program that has a name or knows no coding. */
const clientHeaders = (random: Random, number: number): string =>
  random.chance(0.7)
    ? `User-Agent: Mozilla/5.0 (${number}) ${random.pick(browsers)}\r\n` +
      `Accept: */*\r\nAccept-Encoding: ${random.pick(codings)}\r\nOrigin: https://${number}.example\r\n`
    : `User-Agent: program/${number}\r\nAccept: application/json\r\n` +
      (random.chance(0.5) ? `X-API-Key: overlay ${number}\r\n` : '')

const found = (status: number): boolean => status === 200
const foundOrSame = (status: number): boolean => status === 200 || status === 304
const unknown = (status: number): boolean => status === 404

/** Somebody who types names into a box that is asked after each letter. */
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

/** Everything there is, one after the other and over again. */
const createScraper = ({ tournaments, fights, bots }: Catalog): (() => string) => {
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
 * The load of an event: screens that poll, people who type names, look at brackets, bots and videos, one
 * who reads everything, and one request in twenty for what does not exist. What is popular is asked for
 * by Zipf's law. The same world and seed give the same requests.
 */
export const createEventTraffic = (world: Catalog, seed: number): Traffic => {
  const random = createRandom(seed)
  const clients = Array.from({ length: clientCount }, (_, number) => clientHeaders(random, number))
  const keys = new Map(world.bots.map(({ cleanName }) => [cleanName, random.next()]))
  const famous = world.bots.toSorted(
    (a, b) => (keys.get(a.cleanName) ?? 0) - (keys.get(b.cleanName) ?? 0),
  )
  const pickClient = zipf(clients, random)
  const pickBot = zipf(famous, random)
  const pickFight = zipf(world.fights, random)
  const pickTournament = zipf(world.tournaments, random)
  const type = createTypists(pickBot, random)
  const scrape = createScraper(world)
  const polled = [
    '/cages',
    ...world.cages.map((number) => `/cages/${number}`),
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
      () => `/fights?page=${random.int(2, world.lastFightPage)}`,
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
      `/video-feeds/${random.pick(world.recordings)}`,
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
  const once = (path: string) => ({ path, revalidates: false, isExpected: found })
  const parts: readonly (readonly [weight: number, draw: Draw])[] = [
    [30, () => ({ path: random.pick(polled), revalidates: true, isExpected: foundOrSame })],
    [16, () => once(type())],
    [4, () => once(`/search?q=${encodeURIComponent(`${pickBot().name} ${pickBot().name}`)}`)],
    [12, () => ({ path: ofTournament(), revalidates: true, isExpected: foundOrSame })],
    [13, () => once(ofBot())],
    [11, () => once(ofFight())],
    [4, () => once(deepPage())],
    [5, () => once(scrape())],
    [5, () => ({ path: missing(), revalidates: false, isExpected: unknown })],
  ]
  const weights = parts.map(([weight]) => weight)
  return () => {
    const [, draw] = parts[random.weighted(weights)] ?? []
    return { method: 'GET', headers: pickClient(), ...(draw?.() ?? once('/fights/recent')) }
  }
}
