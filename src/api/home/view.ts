import type { DataLicense } from '../../http/dataLicense.ts'
import type { Operation } from '../../http/openapi/document.ts'
import type { ApiIndex } from './schema.ts'

export const summary =
  'Open data of robot-combat events: tournaments, fights, bots, recordings, clips, stills and the live state of the cages.'

/** Link prefixes of the service, and the licence of its data. */
export interface Addresses {
  readonly basePath: string
  readonly linkPath: string
  readonly dataLicense: DataLicense | undefined
}

/** Index of the API without the legacy endpoints; paths are as clients see them. */
export const apiIndex = (
  operations: readonly Operation[],
  { basePath, linkPath, dataLicense }: Addresses,
): ApiIndex => ({
  name: 'Cageside',
  description: summary,
  docs: `${linkPath}/docs`,
  openapi: `${linkPath}/openapi`,
  health: `${linkPath}/health`,
  ...(dataLicense && { license: dataLicense }),
  endpoints: operations
    .filter(({ tags, isHidden }) => !isHidden && !tags.includes('legacy'))
    .map(({ path, summary }) => ({ path: linkPath + path.slice(basePath.length), summary })),
})
