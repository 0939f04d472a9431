import { KindGuard } from '@sinclair/typebox'
import type { AnyElysia } from 'elysia'
import { isCharged, isUngated } from './gate.ts'

/** Declarations of a route for the hooks around its handler. */
export interface RouteFacts {
  /** True if it bypasses the gate and the limits of clients. */
  readonly isUngated: boolean
  readonly isCharged: boolean
  /** True if it has a page for browsers, which also get its errors as pages. */
  readonly hasPage: boolean
}

type Route = AnyElysia['routes'][number]

const factsOfRoute = (route: Route): RouteFacts => {
  const { detail, query } = route.hooks
  const variesBy: unknown = KindGuard.IsSchema(query) ? query['x-vary-on'] : undefined
  const isNegotiated = Array.isArray(variesBy) && variesBy.includes('accept')
  return {
    isUngated: isUngated(route),
    isCharged: isCharged(route),
    hasPage: isNegotiated || detail?.tags?.includes('pages') === true,
  }
}

const noFacts: RouteFacts = { isUngated: false, isCharged: false, hasPage: false }

/** Facts by template. */
export const factsOf = (routes: AnyElysia): ((template: string | undefined) => RouteFacts) => {
  const facts = new Map(routes.routes.map((route) => [route.path, factsOfRoute(route)]))
  return (template = '') => facts.get(template) ?? noFacts
}
