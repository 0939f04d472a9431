import { routeName } from '../../http/recordUsage.ts'
import type { Usage } from '../../http/usage/usage.ts'
import type { UsageBody } from './schema.ts'
import { usageStats } from './view.ts'

/** Equal for `/bots/:bot`, `/bots/{name}` and `/bots/<name>`. */
const shapeOf = (template: string): string =>
  template.replace(/\/(:[^/]*|\{[^/]*\}|<[^/]*>)/g, '/:')

/** The counted route of this template; an unknown one is returned as it is. */
const findRoute = (usage: Pick<Usage, 'routes'>, given: string, basePath: string): string => {
  const name = routeName(given, basePath)
  const shape = shapeOf(name)
  return (
    usage
      .routes()
      .values()
      .find((route) => shapeOf(route) === shape) ?? name
  )
}

/** Report of the last `days` days, of all requests or of one route template. */
export const lookUpUsage = async (
  usage: Pick<Usage, 'report' | 'routes'>,
  {
    days,
    endpoint,
    basePath,
  }: {
    readonly days: number
    readonly endpoint: string | undefined
    readonly basePath: string
  },
): Promise<UsageBody> => {
  const route = endpoint === undefined ? undefined : findRoute(usage, endpoint, basePath)
  return { usage: usageStats(await usage.report(days, route), route) }
}
