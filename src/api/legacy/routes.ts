import { Elysia } from 'elysia'
import { botScripts, botThumbs, getBotPic } from './bots.ts'
import { clipScripts } from './clips.ts'
import { fightScripts } from './fights.ts'
import { getTournamentMatchesDataTables } from './getTournamentMatchesDataTables.ts'
import { herosGalleryAPI } from './herosGalleryAPI.ts'
import { liveScripts } from './live.ts'
import type { Mount } from './mount.ts'
import { tournamentSource } from './tournamentSource.ts'

const scripts = (mount: Mount) =>
  new Elysia()
    .use(tournamentSource(mount))
    .use(fightScripts(mount))
    .use(getTournamentMatchesDataTables(mount))
    .use(botScripts(mount))
    .use(clipScripts(mount))
    .use(herosGalleryAPI(mount))
    .use(liveScripts(mount))

/** Programs look for pictures one folder above the scripts, too. */
const picturesAbove = (basePath: string, legacyBase: string) =>
  legacyBase === ''
    ? new Elysia()
    : new Elysia({ prefix: legacyBase.slice(0, legacyBase.lastIndexOf('/')) })
        .use(getBotPic({ basePath, suffix: '', isAlias: true }))
        .use(getBotPic({ basePath, suffix: '.php', isAlias: true }))

/** All query-string endpoints, with and without `.php`, and pictures where programs look for them. */
export const legacyRoutes = ({
  legacyBase,
  basePath,
}: Pick<Mount, 'basePath'> & { readonly legacyBase: string }) =>
  new Elysia({ tags: ['legacy'] })
    .group(legacyBase, (scriptsAt) =>
      scriptsAt.use(scripts({ basePath, suffix: '' })).use(scripts({ basePath, suffix: '.php' })),
    )
    .use(picturesAbove(basePath, legacyBase))
    .use(botThumbs({ basePath }))
