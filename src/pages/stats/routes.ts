import { Type } from '@sinclair/typebox'
import { findClass, weightClassParameter } from '../../api/weightClass.ts'
import { answer, pageOptions, pageRouter, spoilers } from '../respond.ts'
import type { Site, Viewings } from '../site.ts'
import { findStats } from './lookup.ts'
import { statsPage } from './page.ts'

export const statsPages = (site: Site, viewings: Viewings) =>
  pageRouter(site).get(
    '/stats',
    (context) =>
      answer(viewings, context, async (archive, viewing) => {
        const { weightClass } = context.query
        const wanted = findClass(archive, weightClass)
        const page = statsPage(
          viewing,
          await findStats(archive, viewing.showsOutcomes ? archive.ratings : undefined, wanted),
        )
        // The number of unknown weight classes is large.
        return weightClass === undefined || wanted ? page : { ...page, isCached: false }
      }),
    pageOptions(
      Type.Object({
        spoilers,
        weightClass: weightClassParameter('only this class'),
      }),
    ),
  )
