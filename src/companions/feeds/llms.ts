import { KindGuard, type TSchema } from '@sinclair/typebox'
import { summary } from '../../api/home/view.ts'
import type { Operation } from '../../http/openapi/document.ts'

/** Descriptions of pages and feeds by path; only paths in the route table are listed. */
const others: Readonly<Record<string, string>> = {
  '/b/{bot}': 'page of a bot: career, fights, opponents, pictures',
  '/w/{tournamentID}/{gameID}': 'page of a fight: all cameras in step; `t=` seconds from its start',
  '/e': 'page of all events',
  '/e/{tournamentID}': 'page of an event: bracket, places, fights, players',
  '/vs/{bot1}/{bot2}': 'page of two bots: their record against each other',
  '/stats': 'page of rankings',
  '/my': 'page of several bots: when they fight; `bots`',
  '/my.ics': 'calendar of their fights',
  '/my/results.atom': 'Atom feed of their results',
  '/live': 'page of all cages as they change, with the streams',
  '/overlay/cage/{cageNumber}': 'one cage for stream software; `/overlay` lists all overlays',
  '/embed': 'search box for other pages',
  '/results.atom': 'Atom feed of the last 50 results',
  '/b/{bot}/results.atom': 'the same of one bot',
  '/e/{tournamentID}/results.atom': 'the same of one tournament',
  '/events.ics': 'calendar of tournaments',
  '/b/{bot}/fights.ics': 'calendar of the fights of a bot, done and to come',
  '/e/{tournamentID}/fights.ics': 'the same of a tournament',
  '/e/{tournamentID}/chapters.txt': 'chapters of its videos, by cage and day',
  '/e/{tournamentID}/fights.csv': 'its fights for spreadsheets',
  '/e/{tournamentID}/chapters.vtt': 'the same as WebVTT',
  '/sitemap.xml': 'all pages',
}

/** A range up to a larger bound is not listed as a choice. */
const maxShownBound = 10_000

/** Parameters described once for all routes. */
const common = new Set(['page', 'limit', 'spoilers'])

const valuesText = (schema: TSchema): string => {
  const { minimum, maximum, 'x-values': values } = schema
  if (values) return values.join('|')
  if (KindGuard.IsUnion(schema)) {
    return schema.anyOf.flatMap(({ const: value }) => value ?? []).join('|')
  }
  if (KindGuard.IsBoolean(schema)) return '0|1'
  return KindGuard.IsInteger(schema) && maximum <= maxShownBound ? `${minimum}–${maximum}` : ''
}

/** Values of a parameter, its (default), and its meaning if the name is not enough. */
const parameterText = ([name, schema]: readonly [string, TSchema]): string => {
  const { default: byDefault = '', description = '' } = schema
  const initial = KindGuard.IsBoolean(schema) ? Number(byDefault) : byDefault
  return [
    `\`${name}\``,
    valuesText(schema),
    initial === '' ? '' : `(${initial})`,
    common.has(name) ? '' : description,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

/** Description of the API for language models, see llmstxt.org. Paths and parameters come from the route table. */
export const llmsText = (
  operations: readonly Operation[],
  { base, basePath }: { readonly base: string; readonly basePath: string },
): string => {
  const relative = ({ path }: Operation): string => path.slice(basePath.length) || '/'
  const line = (operation: Operation, text: string): string => {
    const parameters = Object.entries(operation.query).map(parameterText)
    const list = parameters.length === 0 ? '' : `. Parameters: ${parameters.join(' · ')}`
    return `- \`${relative(operation)}\`: ${text}${list}`
  }
  const current = operations.filter(({ tags, isHidden }) => !isHidden && !tags.includes('legacy'))
  const beside = operations.flatMap((operation) => {
    const text = operation.isHidden ? others[relative(operation)] : undefined
    return text === undefined ? [] : [line(operation, text)]
  })
  return `# Cageside

> ${summary}

Read-only: GET, JSON, no key, CORS open. Addresses are relative to ${base}

- A bot is known by its clean name (\`a-z0-9\`, \`Norma L. Kurv\` is \`normalkurv\`); display names are accepted.
- A fight is known by \`tournamentID\` and \`gameID\`. Red is \`player1\`, blue is \`player2\`; \`winner\` is \`player1\`, \`player2\`, \`draw\` or null while undecided, \`winAnnotation\` is the method (KO, TKO, JD, TO, FF, DQ).
- Times are Unix seconds in UTC, 0 when not yet; weight classes are pounds.
- After each parameter are its values and (default). \`page\` counts from 1, \`limit\` is the most entries, \`spoilers=0\` leaves outcomes out.
- Every 200 has an \`ETag\`: send it as \`If-None-Match\`.
- Poll live endpoints at most every 5 seconds, or read \`/changes/stream\` (Server-Sent Events).
- After a change, read its \`url\`, or any other address with \`v=\` and the change's \`version\`: a shared cache then gives nothing from before it.
- Errors are \`{"error": "…"}\`.

## API

- [OpenAPI 3.0.3](${base}/openapi): every parameter, field and example
- [Documentation](${base}/docs): the same to read and try
${current.map((operation) => line(operation, operation.summary)).join('\n')}

## Pages and feeds

${beside.join('\n')}
`
}

/** Rules for crawlers: everything but streams and searches, which have no end. */
export const robotsText = (base: string): string => {
  const prefix = new URL(base).pathname.replace(/\/$/, '')
  const closed = ['/changes', '/search', '/autocomplete', '/usage'].map(
    (path) => `Disallow: ${prefix}${path}`,
  )
  return ['User-agent: *', ...closed, '', `Sitemap: ${base}/sitemap.xml`, ''].join('\n')
}
