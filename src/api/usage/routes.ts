import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { caching } from '../../http/caching.ts'
import { type HtmlPage, readSpoilers, type Spoilers } from '../../http/htmlPage.ts'
import { prefersHtml } from '../../http/negotiation.ts'
import { parameters, textParameter } from '../../http/parameters.ts'
import { requestContext } from '../../http/requestContext.ts'
import { maxReportDays } from '../../http/usage/report.ts'
import type { Usage } from '../../http/usage/usage.ts'
import { lookUpUsage } from './lookup.ts'
import { UsageBody, type UsageStats } from './schema.ts'

/** Input of the page for browsers. */
export interface UsageRequest {
  readonly usage: UsageStats
  readonly spoilers: Spoilers
}

/** JSON and, with `page`, a page for browsers at the same URL, see `homeRoutes`. */
export const usageRoutes = (
  usage: Usage,
  basePath: string,
  page: HtmlPage<UsageRequest> | undefined,
) =>
  new Elysia({ tags: ['usage'] }).use(requestContext).get(
    '/usage',
    async ({ query: { days, endpoint, isPage, spoilers }, set }) => {
      set.headers['cache-control'] = caching.usage
      const reported = await lookUpUsage(usage, { days, endpoint, basePath })
      return page && isPage ? page({ ...reported, spoilers }, set) : reported
    },
    {
      ...parameters(
        {
          days: Type.Integer({
            minimum: 1,
            maximum: maxReportDays,
            default: 30,
            description: 'days counted, today included',
          }),
          endpoint: textParameter('one route template, such as /tournaments/:tournamentID', {
            maxLength: 200,
          }),
        },
        {
          alsoRead: /^spoilers$/,
          varyOn: ['accept'],
          normalize: (_, { headers, given }) => ({
            isPage: page !== undefined && prefersHtml(headers.get('accept')),
            spoilers: readSpoilers(given.get('spoilers')),
          }),
        },
      ),
      response: { 200: Type.Unsafe<UsageBody | Response>(UsageBody) },
      detail: {
        operationId: 'getUsage',
        summary: 'Usage statistics of the service',
        description:
          'Includes today. Clients are anonymous; callers are listed by the names that they send. JSON unless `Accept` prefers `text/html`.',
      },
    },
  )
