import { Elysia } from 'elysia'
import type { Moment } from './moment.ts'
import { ignoredParameters } from './parameters.ts'
import { contextOf } from './requestContext.ts'
import type { CachedResponse } from './responseCache.ts'

/**
 * Looks a response up once the parameters are read, and skips the handler where there is one. The key is
 * all that the handler sees of the request: route, path parameters and query as they were read. So two
 * requests share a key only if the handler cannot tell them apart.
 */
export const responseLookup = (
  findValid: (key: string, moment: Moment) => CachedResponse | undefined,
) =>
  new Elysia({ name: 'responseLookup', seed: findValid })
    .onBeforeHandle({ as: 'global' }, (handled) => {
      const context = contextOf(handled.request)
      // A route that declares no query sees none.
      if (!context.isDeclared) handled.query = {}
      context.ignored = ignoredParameters(handled.request, context.isDeclared)
      context.key = JSON.stringify([handled.route, handled.params, handled.query])
      context.cached = findValid(context.key, context.moment)
      return context.cached && new Response(null)
    })
    .onAfterHandle({ as: 'global' }, ({ request, responseValue }) => {
      const context = contextOf(request)
      context.isCacheable =
        context.cacheable !== undefined && context.cacheable.body === responseValue
    })
