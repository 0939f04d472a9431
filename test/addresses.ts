import type { App } from '../src/app.ts'
import type { Archive } from '../src/archive/archive.ts'
import { recordingsOf } from '../src/league/recordings.ts'

/** Every address at which an archive can be seen. */
export const addressesOf = ({
  dataset: { tournaments, fights },
  bots,
  clips,
  stills,
}: Archive): string[] => [
  '/tournaments',
  '/cages',
  '/cages/1',
  '/cages/6',
  '/schedule',
  '/clips?limit=100',
  '/clips?limit=100&page=2',
  ...clips.byToken.map(({ token }) => `/clips/${encodeURIComponent(token)}`),
  '/stills/tags',
  '/stills?heroesOnly&limit=100',
  ...Array.from(
    { length: Math.ceil(stills.newestFirst.length / 50) },
    (_, page) => `/stills?limit=50&page=${page + 1}`,
  ),
  ...stills.byTag.map(({ label }) => `/stills?limit=100&tag=${encodeURIComponent(label)}`),
  ...stills.bySource.map(({ label }) => `/stills?limit=100&source=${encodeURIComponent(label)}`),
  ...stills.byBot.map(({ key }, index) => `/stills?bot=${key}${index % 2 ? '' : '&tag=hero-bot'}`),
  ...stills.events.map(
    ({ tournamentID }) => `/stills?limit=100&event=${encodeURIComponent(tournamentID)}`,
  ),
  ...stills.newestFirst.flatMap(({ id, token }) => [
    `/stills/${id}`,
    `/stills/${encodeURIComponent(token)}`,
  ]),
  ...['wins', 'winRate', 'koRate', 'avgMatchDuration'].map(
    (metric) => `/stats/leaderboard?limit=100&metric=${metric}`,
  ),
  ...Array.from(
    { length: Math.ceil(bots.length / 200) },
    (_, page) => `/bots?limit=200&page=${page + 1}`,
  ),
  ...bots.flatMap(({ cleanName }, index) => [
    `/bots/${cleanName}`,
    `/bots/${cleanName}/fights`,
    `/bots/${cleanName}/upcoming`,
    `/bots/${cleanName}/picture`,
    `/legacy/fightsByBot?bot=${cleanName}`,
    `/stats/head-to-head/${cleanName}/${bots[(index * 7) % bots.length]?.cleanName}`,
  ]),
  '/fights/recent?limit=100',
  '/fights/last24h',
  '/legacy/tournamentSource?function=getLocalTournaments',
  ...['recentFights', 'fightsLast24Hours', 'cageJSON', 'scheduledMatches', 'recentClips'].map(
    (name) => `/legacy/${name}`,
  ),
  '/legacy/herosGalleryAPI',
  ...Array.from(
    { length: Math.ceil(fights.length / 50) + 1 },
    (_, page) => `/fights?limit=50&page=${page + 1}`,
  ),
  ...tournaments.flatMap(({ info, players, fights }) => {
    const base = `/tournaments/${encodeURIComponent(info.id)}`
    return [
      base,
      `${base}/brackets`,
      `${base}/players`,
      `${base}/fights`,
      `/stats/tournament/${encodeURIComponent(info.id)}`,
      `/legacy/getTournamentMatchesDataTables?tournamentID=${encodeURIComponent(info.id)}`,
      `/legacy/getLatestMatches?tournamentID=${encodeURIComponent(info.id)}`,
      `/legacy/tournamentSource?function=getSingleTournament&params[tournamentId]=${encodeURIComponent(info.id)}`,
      ...players.map(({ player }) => `${base}/players/${encodeURIComponent(player.id)}`),
      ...fights.flatMap(({ id, recordings }) => [
        `${base}/fights/${encodeURIComponent(id)}`,
        `/video-feeds/fight/${encodeURIComponent(info.id)}/${encodeURIComponent(id)}`,
        `/stats/fight/${encodeURIComponent(info.id)}/${encodeURIComponent(id)}`,
        ...recordingsOf(recordings).map((recording) => `/video-feeds/${recording.id}`),
      ]),
    ]
  }),
]

/** Status and body of an answer. */
export const bodyAt = async (app: App, path: string): Promise<string> => {
  const response = await app(new Request(`http://localhost${path}`))
  return `${response.status} ${await response.text()}`
}

/** Status, headers and body at a path, without what differs from request to request. */
export const answerAt = async (app: App, path: string): Promise<string> => {
  const response = await app(new Request(`http://localhost${path}`))
  const {
    date: _date,
    'x-request-id': _id,
    'x-data-age': _age,
    ...headers
  } = Object.fromEntries(response.headers)
  return `${response.status} ${JSON.stringify(headers)} ${await response.text()}`
}
