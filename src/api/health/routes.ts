import { Elysia } from 'elysia'
import { caching } from '../../http/caching.ts'
import { ArchiveNotLoaded, ErrorBody } from '../../http/errors.ts'
import { ungated } from '../../http/gate.ts'
import { archived, requestContext } from '../../http/requestContext.ts'
import { Health, Ready } from './schema.ts'
import { health, type Watched } from './view.ts'

export const serviceRoutes = (
  watched: Watched & {
    /** True once changes can be read, too. */
    readonly isReady: () => boolean
  },
) =>
  new Elysia({ tags: ['service'] })
    .use(requestContext)
    .get('/health', () => health(watched), {
      response: { 200: Health },
      detail: {
        ...ungated,
        operationId: 'getHealth',
        summary: 'State of the service and of its data',
        description: 'Always 200; `degraded` while there are `problems`.',
      },
    })
    .use(archived)
    .get(
      '/ready',
      ({ set }) => {
        if (!watched.isReady()) throw new ArchiveNotLoaded()
        set.headers['cache-control'] = caching.none
        return { ready: true as const }
      },
      {
        response: { 200: Ready, 503: ErrorBody },
        detail: {
          ...ungated,
          operationId: 'getReady',
          summary: '200 once everything can be asked',
          description:
            'For load balancers: 503 with `Retry-After` until the data is loaded and its changes can be read.',
        },
      },
    )
