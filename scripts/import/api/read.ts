import { count, integer, type Loose, record, records, text } from '../values.ts'
import type { Reader } from './reader.ts'
import type { FightResponses, TournamentResponses } from './responses.ts'
import { isOf, usableId } from './tournament.ts'

/** Maximum number of pages of a list; a server can claim any number. */
const maxPages = 10_000

/** All elements of a paged list, newest first, each once; undefined if a page could not be read. */
const readPages = async (
  reader: Reader,
  name: 'clips' | 'stills',
  idOf: (row: Loose) => string,
): Promise<readonly Loose[] | undefined> => {
  const found = new Map<string, Loose>()
  for (let page = 1, pages = 1; page <= Math.min(pages, maxPages); page += 1) {
    const body = await reader.read(`/${name}?limit=100&page=${page}`)
    if (!body) return undefined
    const rows = records(body[name])
    for (const row of rows) found.set(idOf(row), row)
    pages = count(record(body.pagination).pages) ?? 1
    if (rows.length === 0) break
  }
  return [...found.values()]
}

/** Rows of the legacy scripts, the only ones with the times of calls; empty if a server lacks them. */
const readLegacyRows = async (
  reader: Reader,
  legacy: string | undefined,
  tournamentId: string,
): Promise<readonly Loose[]> => {
  if (legacy === undefined) return []
  const query = `tournamentID=${encodeURIComponent(tournamentId)}`
  const latest = await reader.readAny(`${legacy}/getLatestMatches?${query}`, 'getLatestMatches')
  if (Array.isArray(latest)) return records(latest)
  const table = await reader.readAny(
    `${legacy}/getTournamentMatchesDataTables?${query}&draw=1&start=0&length=-1`,
    'getTournamentMatchesDataTables',
  )
  return records(record(table).data)
}

const readFight = async (
  reader: Reader,
  tournamentId: string,
  gameId: string,
): Promise<FightResponses> => {
  const path = `${encodeURIComponent(tournamentId)}/${encodeURIComponent(gameId)}`
  const place = `/tournaments/${encodeURIComponent(tournamentId)}/fights/${encodeURIComponent(gameId)}`
  const [details, stats] = await Promise.all([
    reader.read(place),
    reader.read(`/stats/fight/${path}`, 'stats'),
  ])
  const fight = details && record(details.fight)
  if (!fight || Array.isArray(fight.recordings)) {
    return { details: fight, stats: stats && record(stats.fightStats) }
  }
  const feed = await reader.read(`/video-feeds/fight/${path}`, 'video-feeds')
  return {
    details: { ...feed, ...fight, recordings: feed?.recordings },
    stats: stats && record(stats.fightStats),
  }
}

export interface League {
  readonly clips: readonly Loose[] | undefined
  readonly stills: readonly Loose[] | undefined
  readonly curatedStills: ReadonlySet<number> | undefined
}

export const readLeague = async (reader: Reader, legacy: string | undefined): Promise<League> => {
  const [clips, stills, gallery] = await Promise.all([
    readPages(reader, 'clips', ({ token }) => text(token)),
    readPages(reader, 'stills', ({ stillID }) => text(stillID)),
    legacy === undefined ? undefined : reader.read(`${legacy}/herosGalleryAPI`, 'herosGalleryAPI'),
  ])
  const images = gallery && records(gallery.robots).flatMap((robot) => records(robot.images))
  return {
    clips,
    stills,
    curatedStills: images && new Set(images.flatMap(({ stillID }) => integer(stillID) ?? [])),
  }
}

interface Reading {
  readonly reader: Reader
  readonly live: Live | undefined
  readonly league: League
  readonly legacy: string | undefined
}

/** Adds a response to the responses of the row's fight. */
const add = (
  fights: Map<string, FightResponses>,
  row: Loose,
  tournamentId: string,
  response: FightResponses,
): void => {
  const id = usableId(row.id ?? row.gameID)
  if (id !== undefined && isOf(row, tournamentId))
    fights.set(id, { ...fights.get(id), ...response })
}

/** Reads everything of one tournament; undefined if its bracket or fights cannot be read. */
export const readTournament = async (
  { reader, live, league, legacy }: Reading,
  tournament: Loose,
  id: string,
): Promise<TournamentResponses | undefined> => {
  const path = `/tournaments/${encodeURIComponent(id)}`
  const [brackets, listed, legacyRows] = await Promise.all([
    reader.read(`${path}/brackets`),
    reader.read(`${path}/fights`),
    readLegacyRows(reader, legacy, id),
  ])
  if (!brackets || !listed) return undefined
  const ofTournament = (row: Loose): boolean => text(row.tournamentID) === id
  const { matches = [], cages = [] } = live ?? {}
  const fights = new Map<string, FightResponses>()
  for (const summary of records(listed.fights)) add(fights, summary, id, { summary })
  const known = [...fights.keys()].map(async (gameId) => {
    fights.set(gameId, { ...fights.get(gameId), ...(await readFight(reader, id, gameId)) })
  })
  await Promise.all(known)
  for (const legacyRow of legacyRows) add(fights, legacyRow, id, { legacyRow })
  for (const match of matches.filter(ofTournament)) add(fights, match, id, { match })
  for (const cage of cages) {
    const match = record(cage.match)
    if (ofTournament(match)) add(fights, match, id, { cage })
  }
  return {
    tournament,
    brackets,
    fights,
    clips: league.clips?.filter(ofTournament),
    stills: league.stills?.filter(ofTournament),
    curatedStills: league.curatedStills,
  }
}

/** State of the event under way. */
export interface Live {
  readonly matches: readonly Loose[]
  /** Cages of the server; undefined if they could not be read. */
  readonly cages: readonly Loose[] | undefined
}

export const readLive = async (reader: Reader): Promise<Live> => {
  const [schedule, cages] = await Promise.all([
    reader.read('/schedule', 'schedule'),
    reader.read('/cages', 'cages'),
  ])
  return {
    matches: records(schedule?.matches),
    cages: cages && records(Object.values(record(cages.cages))),
  }
}
