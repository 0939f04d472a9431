import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { caching } from '../../http/caching.ts'
import { parameters } from '../../http/parameters.ts'
import { routeName } from '../../http/recordUsage.ts'
import { maxReportDays } from '../../usage/report.ts'
import type { Usage } from '../../usage/usage.ts'
import { UsageBody } from './schema.ts'
import { usageStats } from './view.ts'

/** Equal for `/bots/:bot`, `/bots/{name}` and `/bots/<name>`. */
const shapeOf = (template: string): string =>
  template.replace(/\/(:[^/]*|\{[^/]*\}|<[^/]*>)/g, '/:')

export const usageRoutes = (usage: Usage, basePath: string) => {
  /** The counted route of this template; an unknown one is returned as it is. */
  const findRoute = (given: string): string => {
    const name = routeName(given, basePath)
    const shape = shapeOf(name)
    return (
      usage
        .routes()
        .values()
        .find((route) => shapeOf(route) === shape) ?? name
    )
  }
  return new Elysia({ tags: ['usage'] }).get(
    '/usage',
    async ({ query: { days, endpoint }, set }) => {
      set.headers['cache-control'] = caching.usage
      const route = endpoint === undefined ? undefined : findRoute(endpoint)
      await usage.prepare(days)
      return { usage: usageStats(usage.report(days, route), route) }
    },
    {
      ...parameters({
        query: Type.Object({
          days: Type.Integer({
            minimum: 1,
            maximum: maxReportDays,
            default: 30,
            description: 'days counted, today included',
          }),
          endpoint: Type.Optional(
            Type.String({
              maxLength: 200,
              description: 'one route template, such as /tournaments/:tournamentID',
            }),
          ),
        }),
      }),
      response: { 200: UsageBody },
      detail: {
        operationId: 'getUsage',
        summary: 'Usage statistics of the service',
        description:
          'Includes today. Clients are anonymous; callers are listed by the names that they send.',
      },
    },
  )
}
