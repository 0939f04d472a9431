import type { Operation } from '../../openapi/document.ts'
import type { ApiIndex } from './schema.ts'

export const summary =
  'Open data of robot-combat events: tournaments, fights, bots, video, photos and what goes on in the cages right now.'

/** The operations of the API, legacy ones left out. */
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
