import type { ClipRow, StillRow, StillTagRow } from '../source/rows.ts'
import { isShownClip } from '../source/visibility.ts'
import { intern } from './intern.ts'
import { newestClipFirst, newestStillFirst } from './order.ts'
import type { Clip, Game, Player, Still, TournamentInfo } from './types.ts'

/** Start of the addresses of media in a generated league; a service of its snapshot sends these media itself. */
export const generatedStart = 'https://media.example/'

/** The clips that may be shown, newest first. */
export const buildClips = (rows: readonly ClipRow[], games: ReadonlyMap<string, Game>): Clip[] =>
  rows
    .flatMap((row): Clip[] => {
      const fight = games.get(row.gameId)
      if (!fight?.isFight || !isShownClip(row)) return []
      return [
        {
          token: row.token,
          fight,
          name: row.name,
          isCurated: row.isCurated,
          durationMs: row.durationMs,
          views: row.views,
          likes: row.likes,
          createdUnix: row.createdTime,
          video720Url: row.video720Url,
          video360Url: row.video360Url,
          video72Url: row.video72Url,
        },
      ]
    })
    .sort(newestClipFirst)

/** The stills with their tags, newest first. */
export const buildStills = (
  rows: readonly StillRow[],
  tagRows: readonly StillTagRow[],
  tournament: TournamentInfo,
  players: ReadonlyMap<string, Player>,
): Still[] => {
  const tags = Map.groupBy(tagRows, ({ stillId }) => stillId)
  const bots = new Map<string, Still['bot']>()
  for (const { id, name, cleanName, isBot } of players.values()) {
    // A name that cleans to nothing is no bot.
    if (isBot && cleanName !== '') bots.set(id, { name, cleanName })
  }
  const none: readonly never[] = []
  return rows
    .map((row) => ({
      id: row.id,
      token: row.token,
      tournamentID: tournament.id,
      tournamentName: tournament.name,
      bot: (row.playerId === null ? undefined : bots.get(row.playerId)) ?? null,
      url: row.url,
      width: row.width,
      height: row.height,
      tags: tags.get(row.id)?.map(({ tag }) => intern(tag)) ?? none,
      source: intern(row.source),
      isHero: row.isHero,
      isCurated: row.isCurated,
      takenUnix: row.takenTime,
    }))
    .sort(newestStillFirst)
}
