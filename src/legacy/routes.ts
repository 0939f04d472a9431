import { Elysia } from 'elysia'
import { botAutocomplete } from './botAutocomplete.ts'
import { cageJSON } from './cageJSON.ts'
import { fightsByBot } from './fightsByBot.ts'
import { fightsLast24Hours } from './fightsLast24Hours.ts'
import { getBotPic } from './getBotPic.ts'
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

/** All query-string endpoints, with and without `.php`. */
export const legacyRoutes = ({
  legacyBase,
  ...shared
}: Omit<Mount, 'suffix'> & { readonly legacyBase: string }) =>
  new Elysia({ prefix: legacyBase, tags: ['legacy'] })
    .use(scripts({ ...shared, suffix: '' }))
    .use(scripts({ ...shared, suffix: '.php' }))
