import type { Operation } from '../../openapi/document.ts'
import type { ApiIndex } from './schema.ts'

export const summary =
  'Open data of robot-combat events: tournaments, fights, bots, recordings, clips, stills and the live state of the cages.'

/** Index of the API without the legacy endpoints. */
export const apiIndex = (operations: readonly Operation[], basePath: string): ApiIndex => ({
  name: 'Cageside',
  description: summary,
  docs: `${basePath}/docs`,
  openapi: `${basePath}/openapi`,
  health: `${basePath}/health`,
  endpoints: operations
    .filter(({ tags }) => !tags.includes('legacy'))
    .map(({ path, summary }) => ({ path, summary })),
})
