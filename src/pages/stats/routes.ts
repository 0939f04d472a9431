import { Type } from '@sinclair/typebox'
import { answer, pageOptions, pageRouter, spoilers } from '../respond.ts'
import type { Site, Viewings } from '../site.ts'
import { findStats } from './lookup.ts'
import { statsPage } from './page.ts'

export const statsPages = (site: Site, viewings: Viewings) =>
  pageRouter(site).get(
    '/stats',
    (context) =>
      answer(viewings, context, (archive, viewing) =>
        statsPage(viewing, findStats(archive, context.query.weightClass)),
      ),
    pageOptions(
      Type.Object({
        spoilers,
        weightClass: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
      }),
    ),
  )
