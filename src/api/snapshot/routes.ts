import { Elysia } from 'elysia'
import type { ArchiveService } from '../../data/archive/archive.ts'
import { ArchiveNotLoaded, ErrorBody } from '../../http/errors.ts'
import { sendFile } from '../../http/fileResponse.ts'
import { archived } from '../../http/requestContext.ts'
import { SnapshotFile } from './schema.ts'
import { createSnapshotFiles } from './snapshotFile.ts'

export const snapshotRoutes = (service: ArchiveService) => {
  const snapshotFile = createSnapshotFiles()
  return new Elysia({ tags: ['bulk'] }).use(archived).get(
    '/snapshot',
    async ({ request, set }) => {
      const rows = service.rows()
      if (!rows) throw new ArchiveNotLoaded()
      const now = service.now()
      set.headers['x-data-clock'] = String(now)
      return sendFile(request, set, await snapshotFile(rows, now))
    },
    {
      response: { 200: SnapshotFile, 206: SnapshotFile, 416: ErrorBody },
      detail: {
        operationId: 'getSnapshot',
        summary: 'The league as a snapshot file',
        description:
          'Everything that this service is made from, for `SNAPSHOT` of another one: given this address, it follows this service. ' +
          'The first bytes of the file name each tournament with its SHA-256, so that a `Range` fetches what changed. `X-Data-Clock` is the time of the league in Unix seconds.',
      },
    },
  )
}
