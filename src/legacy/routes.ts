import { Elysia } from 'elysia'
import { botAutocomplete } from './botAutocomplete.ts'
import { cageJSON } from './cageJSON.ts'
import { fightsByBot } from './fightsByBot.ts'
import { fightsLast24Hours } from './fightsLast24Hours.ts'
import { botThumbs, getBotPic } from './getBotPic.ts'
import { getLatestMatches } from './getLatestMatches.ts'
import { getTournamentMatchesDataTables } from './getTournamentMatchesDataTables.ts'
import { herosGalleryAPI } from './herosGalleryAPI.ts'
import { matchJSON } from './matchJSON.ts'
import type { Mount } from './mount.ts'
import { randomClips } from './randomClips.ts'
import { recentClips } from './recentClips.ts'
import { recentFights } from './recentFights.ts'
import { scheduledMatches } from './scheduledMatches.ts'
import { tournamentSource } from './tournamentSource.ts'

const scripts = (mount: Mount) =>
  new Elysia()
    .use(tournamentSource(mount))
    .use(matchJSON(mount))
    .use(recentFights(mount))
    .use(fightsLast24Hours(mount))
    .use(getTournamentMatchesDataTables(mount))
    .use(getLatestMatches(mount))
    .use(botAutocomplete(mount))
    .use(fightsByBot(mount))
    .use(getBotPic(mount))
    .use(cageJSON(mount))
    .use(recentClips(mount))
    .use(randomClips(mount))
    .use(herosGalleryAPI(mount))
    .use(scheduledMatches(mount))

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
