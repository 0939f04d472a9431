import type { OpenAPIV3 } from 'openapi-types'

/** What a reader should know before the first request. Markdown. */
export const description = `Open, read-only data of robot-combat events: tournaments, brackets, fights, bots, video, photos and
what goes on in the cages right now. No key, GET only, JSON, CORS open.

- **Names.** A bot is known by its clean name: transliterated to ASCII, lower case, nothing but \`a-z0-9\`.
  Wherever a bot is named, its display name works too.
- **Caching.** Every 200 has an \`ETag\`; errors and redirects have none. Send it back as
  \`If-None-Match\`: an unchanged response is a 304 without a body. Poll the live endpoints at most every 5
  seconds.
- **Parameters** are rarely refused (only where 400 is listed): a whole number out of its bounds is moved
  to the nearest one, and any other value counts as not given.
- **Errors** are \`{"error": "…"}\`, also for unknown paths (404) and other methods than GET, HEAD and
  OPTIONS (405).
- **Times** are Unix seconds in UTC, 0 for what has not happened. Three kinds differ: date-times of
  \`Tournament\` are RFC 3339, \`0000-00-00 00:00:00\` when unset; \`startTime\` of \`Recording\` is text in
  milliseconds; in \`FightPlayer\`, \`LegacyMatchRow\` and \`LegacyTableRow\` seconds are text.
- **Weight classes** are pounds: \`WeightClass\` in \`Tournament\`, \`RecentFight\`, \`Last24hFight\` and, as
  text, in \`FightDetails\`; \`weightClass\` everywhere else.
- **Corners**: red is player 1, blue is player 2.`

/** Groups of operations, in the order in which they are shown. */
export const tags: readonly OpenAPIV3.TagObject[] = [
  { name: 'tournaments', description: 'Tournaments, their brackets, players and fights' },
  { name: 'fights', description: 'Fights of all tournaments' },
  { name: 'video feeds', description: 'The film of every fight from every camera' },
  { name: 'bots', description: 'Bots and their careers' },
  { name: 'clips', description: 'Highlights' },
  { name: 'stills', description: 'Photos in full resolution' },
  { name: 'live', description: 'What goes on right now' },
  { name: 'changes', description: 'What changed, once and as it happens' },
  { name: 'search', description: 'Names, however they are typed' },
  { name: 'stats', description: 'Numbers about fights, bots and tournaments' },
  { name: 'usage', description: 'How this service is used' },
  { name: 'service', description: 'The service itself' },
  { name: 'legacy', description: 'Query-string endpoints of old, still supported' },
]
