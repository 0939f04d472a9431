import { Elysia } from 'elysia'
import { isOwnHost, refuseForeignHost } from '../../src/admin/server.ts'
import { usageRoutes } from '../../src/api/usage/routes.ts'
import { type ArchiveService, nothingLoaded } from '../../src/archive/archive.ts'
import { codeOf } from '../../src/files.ts'
import { errors } from '../../src/http/errors.ts'
import { createPipeline } from '../../src/http/pipeline.ts'
import { requestContext } from '../../src/http/requestContext.ts'
import { createLog } from '../../src/log.ts'
import type { UsageReader } from '../../src/usage/reader.ts'
import { CommandError } from '../command.ts'

/** The pipeline asks for data, which reports do not need. */
const noArchive: ArchiveService = {
  archive: () => undefined,
  rows: () => undefined,
  status: () => ({ ...nothingLoaded('snapshot'), currentAt: Math.floor(Date.now() / 1000) }),
  now: () => Math.floor(Date.now() / 1000),
}

/**
 * Serves `/usage` on 127.0.0.1 by the route of the service, once the default report is read. No CORS, and no
 * other name in `Host`: other pages in a browser on this machine cannot read it.
 */
export const serveUsage = async (
  reader: UsageReader,
  port: number,
): Promise<Bun.Server<undefined>> => {
  await reader.prepare(30)
  const log = createLog('warn', 'text')
  const { lookup, serve } = createPipeline(noArchive)
  const router = new Elysia({ normalize: false, strictPath: true })
    .use(errors(log))
    .use(requestContext)
    .use(lookup)
    .use(usageRoutes(reader, '', undefined))
  const answer = serve({ router, ungated: new Set(), onSent: () => () => undefined })
  try {
    return Bun.serve({
      hostname: '127.0.0.1',
      port,
      fetch: (request) => (isOwnHost(request) ? answer(request) : refuseForeignHost()),
    })
  } catch (error) {
    throw new CommandError(`127.0.0.1:${port} cannot be used (${codeOf(error)})`)
  }
}
