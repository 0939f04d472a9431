import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import { caching } from '../../http/caching.ts'
import { exchange } from '../../http/exchange.ts'
import { lenient } from '../../http/parameters.ts'
import { routeName } from '../../http/usage.ts'
import type { UsageReport } from '../../usage/report.ts'
import type { Usage } from '../../usage/usage.ts'
import { UsageBody } from './schema.ts'
import { usageStats } from './view.ts'

/** The same for `/bots/:bot`, `/bots/{name}` and `/bots/<name>`. */
const shapeOf = (template: string): string =>
  template.replace(/\/(:[^/]*|\{[^/]*\}|<[^/]*>)/g, '/:')

/** A report that took long is given again for so many times as long, so that asking is no load. */
const reuseFactor = 20
/** Below this it is made anew each time. */
const longMs = 5

/** Reports, of which those that take long are shared by all who ask at about the same time. */
const createReports = (usage: Usage) => {
  const kept = new LRUCache<string, { readonly report: UsageReport; readonly untilMs: number }>({
    max: 16,
  })
  return (days: number, route: string | undefined): UsageReport => {
    const key = `${days} ${route ?? ''}`
    const before = kept.get(key)
    const startedMs = performance.now()
    if (before && startedMs < before.untilMs) return before.report
    const report = usage.report(days, route)
    const tookMs = performance.now() - startedMs
    if (tookMs > longMs) kept.set(key, { report, untilMs: startedMs + reuseFactor * tookMs })
    return report
  }
}

export const usageRoutes = (usage: Usage, basePath: string) => {
  const reportOf = createReports(usage)
  /** The counted route that a caller means; what is none of them is taken as it stands. */
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
  return new Elysia({ tags: ['usage'] }).use(exchange).get(
    '/usage',
    ({ query: { days, endpoint }, set }) => {
      set.headers['cache-control'] = caching.usage
      const route = endpoint === undefined ? undefined : findRoute(endpoint)
      return { usage: usageStats(reportOf(days, route), route) }
    },
    {
      ...lenient(
        Type.Object({
          days: Type.Integer({
            minimum: 1,
            maximum: 365,
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
      ),
      response: { 200: UsageBody },
      detail: {
        operationId: 'getUsage',
        summary: 'Who uses the service, and how well it answers',
        description:
          'From memory, today included. Callers are anonymous but for the names they gave themselves.',
      },
    },
  )
}
