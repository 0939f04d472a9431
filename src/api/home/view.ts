import type { OpenAPIV3 } from 'openapi-types'
import type { ApiIndex } from './schema.ts'

export const summary =
  'Open data of robot-combat events: tournaments, fights, bots, video, photos and what goes on in the cages right now.'

/** The operations of an OpenAPI document, legacy ones left out. */
export const apiIndex = ({ paths }: OpenAPIV3.Document, basePath: string): ApiIndex => ({
  name: 'Cageside',
  description: summary,
  docs: `${basePath}/docs`,
  openapi: `${basePath}/openapi`,
  health: `${basePath}/health`,
  endpoints: Object.entries(paths).flatMap(([template, item]) => {
    const operation = item?.get
    if (!operation || operation.tags?.includes('legacy')) return []
    return [{ path: template, summary: operation.summary ?? '' }]
  }),
})
