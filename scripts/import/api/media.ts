import { cleanName } from '../../../src/data/league/cleanName.ts'
import type { ImportedTournament } from '../target/imported.ts'
import {
  address,
  count,
  flag,
  integer,
  type Loose,
  number,
  record,
  text,
  textOrNull,
  unixSeconds,
} from '../values.ts'

type Players = NonNullable<ImportedTournament['players']>

const maxCount = 2 ** 31 - 1

export const clipRows = (clips: readonly Loose[]): NonNullable<ImportedTournament['clips']> =>
  clips.map((clip) => ({
    token: text(clip.token),
    gameId: text(clip.gameID),
    name: text(clip.name),
    durationMs: Math.round((number(clip.duration) ?? 0) * 1000),
    views: Math.min(count(clip.views) ?? 0, maxCount),
    likes: Math.min(count(clip.likes) ?? 0, maxCount),
    createdTime: unixSeconds(clip.createdTime) ?? 0,
    video720Url: address(clip.video720p),
    video360Url: address(clip.video360p),
    video72Url: address(clip.video72p),
  }))

/** The player whom a still shows: by display name, else by clean name. */
const shownPlayer = (bot: Loose, players: Players) => {
  const name = text(bot.name)
  const clean = text(bot.cleanName)
  return (
    players.find((player) => player.name === name) ??
    players.find((player) => cleanName(player.name ?? '') === clean)
  )?.id
}

export const stillRows = (
  stills: readonly Loose[],
  players: Players,
  curated: ReadonlySet<number> | undefined,
): { readonly [Table in 'stills' | 'stillTags']: NonNullable<ImportedTournament[Table]> } => {
  const found = stills.flatMap((still) => {
    const id = integer(still.stillID)
    return id === null || id < 1 ? [] : [{ id, still }]
  })
  return {
    stills: found.map(({ id, still }) => {
      const isHero = flag(still.isHero)
      return {
        id,
        token: textOrNull(still.token) ?? `still-${id}`,
        playerId: still.bot ? (shownPlayer(record(still.bot), players) ?? null) : null,
        url: text(still.url),
        width: count(still.width),
        height: count(still.height),
        source: text(still.source),
        isHero,
        // The gallery of the legacy scripts has all curated hero stills of a bot, and no others.
        isCurated: curated && isHero && still.bot ? curated.has(id) : undefined,
        takenTime: unixSeconds(still.takenTime) ?? 0,
      }
    }),
    stillTags: found.flatMap(({ id, still }) =>
      (Array.isArray(still.tags) ? [...new Set(still.tags.map(text))] : [])
        .filter((tag) => tag !== '')
        .sort()
        .map((tag) => ({ stillId: id, tag })),
    ),
  }
}
