import { summary } from '../api/home/view.ts'
import type { Operation } from '../openapi/document.ts'

/** Routes beside the API, for people and their programs. */
const others = [
  [
    '/results.atom',
    'Atom feed of the last results; also `/b/{bot}/results.atom`, `/e/{tournamentID}/results.atom`',
  ],
  ['/events.ics', 'calendar of tournaments; `/b/{bot}/fights.ics` of one bot'],
  ['/e/{tournamentID}/chapters.txt', 'chapters of a video; `start` (Unix seconds), `cage`'],
  ['/sitemap.xml', 'all pages'],
] as const

/** Description of the API for language models, see llmstxt.org. Paths are those of the route table. */
export const llmsText = (
  operations: readonly Operation[],
  { base, basePath }: { readonly base: string; readonly basePath: string },
): string => {
  const current = operations.filter(({ tags }) => !tags.includes('legacy'))
  const relative = (path: string): string => path.slice(basePath.length) || '/'
  const line = ([path, text]: readonly [string, string]): string => `- \`${path}\`: ${text}`
  return `# Cageside

> ${summary}

Read-only: GET, JSON, no key, CORS open. Addresses are relative to ${base}

- A bot is known by its clean name (\`a-z0-9\`, \`Norma L. Kurv\` is \`normalkurv\`); display names are accepted.
- Times are Unix seconds in UTC, 0 when not yet. Red is \`player1\`, blue is \`player2\`.
- Lists have \`page\` and \`limit\`. Every 200 has an \`ETag\`: send it as \`If-None-Match\`.
- Poll live endpoints at most every 5 seconds, or read \`/changes/stream\` (Server-Sent Events).
- Errors are \`{"error": "…"}\`.

## API

- [OpenAPI 3.0.3](${base}/openapi): every parameter, field and example
- [Documentation](${base}/docs): the same to read and try
${current.map(({ path, summary }) => line([relative(path), summary])).join('\n')}

## Feeds

${others.map(line).join('\n')}
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
