import { answer, pageOptions, pageRouter, plainQuery } from '../respond.ts'
import type { Site, Viewings } from '../site.ts'
import { embedPage } from './page.ts'

export const embedRoutes = (site: Site, viewings: Viewings) =>
  pageRouter(site).get(
    '/embed',
    (context) => answer(viewings, context, (_, viewing) => embedPage(viewing)),
    pageOptions(plainQuery),
  )
