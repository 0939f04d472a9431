import type { OpenAPIV3 } from 'openapi-types'

/** Introduction to the API, in Markdown. */
export const description = `Open, read-only data of robot-combat events: tournaments, brackets, fights, bots, recordings, clips,
stills and the live state of the cages. No key, GET only, JSON, CORS open.

- **Names.** A bot is identified by its clean name: transliterated to ASCII, lower case, only \`a-z0-9\`.
  Its display name is accepted as well.
- **Caching.** Every 200 has an \`ETag\`; errors and redirects have none. Send it back as
  \`If-None-Match\`: an unchanged response is a 304 without a body. Poll the live endpoints at most every 5
  seconds. After a change, read its \`url\`, or any other address with \`v=\` and the change's \`version\`: a shared
  cache then gives nothing from before it.
- **Parameters** are rejected only where 400 is listed: out-of-range integers are clamped to the nearest
  bound, other invalid values are ignored. Unknown ones are ignored too, and named in \`X-Ignored-Parameters\`; \`v\`, a
  version in addresses of \`/changes\`, is accepted everywhere and changes nothing.
- **Errors** are \`{"error": "…"}\`, also for unknown paths (404) and methods other than GET, HEAD and
  OPTIONS (405).
- **Times** are Unix seconds in UTC, 0 if not yet known. Three kinds differ: date-times of
  \`Tournament\` are RFC 3339, \`0000-00-00 00:00:00\` when unset; \`startTime\` of \`Recording\` is text in
  milliseconds; in \`FightPlayer\`, \`LegacyMatchRow\` and \`LegacyTableRow\` seconds are text.
- **Weight classes** are pounds: \`WeightClass\` in \`Tournament\`, \`RecentFight\`, \`Last24hFight\` and, as
  text, in \`FightDetails\`; \`weightClass\` everywhere else. \`weightClassName\` is the class as the league writes it, where
  that is not whole pounds.
- **Corners**: red is player 1, blue is player 2.`

/** Groups of operations, in display order. */
export const tags: readonly OpenAPIV3.TagObject[] = [
  { name: 'tournaments', description: 'Tournaments, their brackets, players and fights' },
  { name: 'fights', description: 'Fights of all tournaments' },
  { name: 'video feeds', description: 'Recordings of every fight from every camera' },
  { name: 'bots', description: 'Bots and their career statistics' },
  { name: 'clips', description: 'Highlights' },
  { name: 'stills', description: 'Stills in full resolution' },
  { name: 'live', description: 'Live state: cages, schedule, streams' },
  { name: 'changes', description: 'What changed, once and as it happens' },
  { name: 'bulk', description: 'The whole league in one request, as files' },
  { name: 'search', description: 'Fuzzy search and autocomplete' },
  { name: 'stats', description: 'Statistics of fights, bots and tournaments' },
  { name: 'usage', description: 'Usage statistics of this service' },
  { name: 'service', description: 'State of the service and its description' },
  { name: 'legacy', description: 'Earlier query-string endpoints, still supported' },
]
