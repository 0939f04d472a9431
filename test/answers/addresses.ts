/**
 * The URLs whose answers over the small league are files of this folder, one file for each route: the most common
 * requests, then limits, filters and absence. One line for each route. `BEFORE` is the cursor before the semifinal was
 * won.
 */
const lines = `
/tournaments /tournaments?year=2025 /tournaments?year=2026
/tournaments/spring_30lb /tournaments/autumn_30lb /tournaments/practice
/tournaments/spring_30lb/brackets
/tournaments/spring_30lb/forecast
/tournaments/spring_30lb/players
/tournaments/spring_30lb/players/los /tournaments/autumn_30lb/players/axe
/tournaments/spring_30lb/fights /tournaments/autumn_30lb/fights
/tournaments/spring_30lb/fights/W-2 /tournaments/spring_30lb/fights/W-4 /tournaments/autumn_30lb/fights/Q-3
/fights?limit=3 /fights?limit=3&page=2 /fights?bot=los&limit=1 /fights?bot=kraken2
/fights/recent?limit=2 /fights/recent?tournament=spring_150g&limit=2
/fights/last24h
/video-feeds/4 /video-feeds/99
/video-feeds/fight/spring_30lb/W-1
/bots?limit=4 /bots?q=lo /bots?limit=2&page=2
/bots/axe /bots/%C5%81o%C5%9B /bots/secret
/bots/axe/ratings
/bots/los/fights
/bots/los/upcoming /bots/axe/upcoming /bots/jolt/upcoming
/bots/axe/picture /bots/dart/picture
/stats/fight/spring_30lb/W-2
/stats/bot/los
/stats/tournament/spring_30lb /stats/tournament/spring_150g
/stats/head-to-head/axe/blitz /stats/head-to-head/dart/hammertongs
/stats/leaderboard?limit=3 /stats/leaderboard?metric=koRate&limit=2 /stats/leaderboard?metric=avgMatchDuration&limit=2
/stats/ratings?limit=2 /stats/ratings?limit=2&offset=1&weightClass=30
/stats/ratings/calibration
/search?q=hamer /search?q=axe+vs+los /search?q=team+iron
/autocomplete?q=bl&limit=3 /autocomplete?q=lso&kind=bot,pair,tournament /autocomplete?q=spr&limit=1&kind=tournament
/clips /clips?limit=1 /clips?bot=ember
/clips/close-call /clips/not-yet
/stills?limit=2 /stills?tag=%C5%81o%C5%9B /stills?heroesOnly=1&bot=blitz
/stills/tags
/stills/4 /stills/still-2
/cages
/cages/1 /cages/9
/schedule /schedule?bot=los
/live/streams
/changes?since=BEFORE /changes?since=BEFORE&type=cage.changed
/bulk/README.md
/ready
/usage
/legacy/tournamentSource?function=getLocalTournaments /legacy/tournamentSource?function=getSingleTournament&params[tournamentId]=spring_30lb
/legacy/matchJSON?tournamentID=spring_30lb&gameID=W-2
/legacy/recentFights?limit=2
/legacy/fightsLast24Hours
/legacy/getLatestMatches?tournamentID=spring_30lb
/legacy/fightsByBot?bot=los
/legacy/getTournamentMatchesDataTables?tournamentID=spring_30lb&draw=3&start=1&length=2
/legacy/getBotPic?bot=axe
/legacy/botAutocomplete?q=bl
/legacy/recentClips?limit=1
/legacy/herosGalleryAPI
/legacy/cageJSON?cage=1 /legacy/cageJSON?all=1
/legacy/scheduledMatches
/ /?q=bl
/b/los /b/secret
/team/paws
/vs/axe/blitz
/e
/e/spring_30lb /e/autumn_30lb?spoilers=0
/e/spring_30lb/fights.csv
/w/spring_30lb/W-2 /w/spring_30lb/W-4
/stats
/embed
/my?bots=los,axe,kraken2
/live /live?board=1
/overlay
/overlay/cage/1
/overlay/next
/overlay/bracket/spring_30lb?rounds=9999
/overlay/bot/los
/llms.txt
/robots.txt
/sitemap.xml
/site.webmanifest
/results.atom
/b/los/results.atom
/e/spring_30lb/results.atom
/events.ics
/b/los/fights.ics
/e/spring_30lb/fights.ics
/my.ics?bots=los
/my/results.atom?bots=axe,kraken2
/e/spring_30lb/chapters.txt?start=2026-03-14T16:00:00Z&cage=1
/e/spring_30lb/chapters.vtt?start=2026-03-14T16:00:00Z&cage=1
`

export const recordedAddresses: readonly (readonly string[])[] = lines
  .trim()
  .split('\n')
  .map((line) => line.split(' '))
