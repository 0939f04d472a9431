/** Ids and names that clients request, read from the API. Newest first, except for bots. */
export interface Catalog {
  readonly tournaments: readonly string[]
  readonly fights: readonly { readonly tournamentID: string; readonly gameID: string }[]
  readonly bots: readonly { readonly name: string; readonly cleanName: string }[]
  readonly recordings: readonly string[]
  readonly cages: readonly number[]
  readonly lastFightPage: number
}

const maxPages = 60

// biome-ignore lint/suspicious/noExplicitAny: responses are read as a client does.
type Body = any

/** Pages of a list: at most `maxPages`, evenly spaced from the first to the last. */
const readPages = async (read: (path: string) => Promise<Body>, path: string): Promise<Body[]> => {
  const first = await read(`${path}&page=1`)
  const last: number = first.pagination.pages
  const count = Math.min(last, maxPages)
  const pages = [first]
  for (let index = 1; index < count; index += 1) {
    pages.push(await read(`${path}&page=${1 + Math.round((index * (last - 1)) / (count - 1))}`))
  }
  return pages
}

/** Reads the lists of a running service. */
export const readCatalog = async (url: string): Promise<Catalog> => {
  const read = async (path: string): Promise<Body> => {
    const response = await fetch(url + path)
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    return response.json()
  }
  const { tournaments } = await read('/tournaments')
  const fightPages = await readPages(read, '/fights?limit=100')
  const botPages = await readPages(read, '/bots?limit=200')
  const fights = fightPages.flatMap((page: Body) => page.fights)
  // A fight under way has no recordings yet.
  const recorded = fights.find((each: Body) => each.cams > 0)
  const { tournamentID = '', gameID = '' } = recorded ?? {}
  const feeds = await read(`/video-feeds/fight/${tournamentID}/${gameID}`)
  const { cages } = await read('/cages')
  return {
    tournaments: tournaments.map((each: Body) => each.tournamentID),
    fights: fights.map((each: Body) => ({
      tournamentID: each.tournamentID,
      gameID: each.gameID,
    })),
    bots: botPages.flatMap((page: Body) =>
      page.bots.map((each: Body) => ({ name: each.name, cleanName: each.cleanName })),
    ),
    recordings: feeds.recordings.map((each: Body) => each.recordingID),
    cages: Object.values<Body>(cages).map((each) => each.cageNumber),
    lastFightPage: fightPages[0].pagination.pages,
  }
}
