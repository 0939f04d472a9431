// A program as users write them, with types made from the served description (`./api.ts`, made by the test that
// compiles and runs it). It prints its findings as JSON.
import createClient from 'openapi-fetch'
import type { components, paths } from './api.ts'

const api = createClient<paths>({
  baseUrl: process.argv[2] ?? '',
  headers: { 'X-API-Key': 'typed client' },
})

const must = <T>(answer: { data?: T; response: Response }): T => {
  if (answer.data === undefined)
    throw new Error(`${answer.response.url}: ${answer.response.status}`)
  return answer.data
}

const { fights } = must(await api.GET('/fights/recent', { params: { query: { limit: 5 } } }))
const [fight] = fights
if (!fight) throw new Error('no fight')
const { tournamentID, gameID } = fight
const { tournaments } = must(await api.GET('/tournaments'))
const { tournament } = must(
  await api.GET('/tournaments/{tournamentID}', { params: { path: { tournamentID } } }),
)
const { brackets, format } = must(
  await api.GET('/tournaments/{tournamentID}/brackets', { params: { path: { tournamentID } } }),
)
const details: components['schemas']['FightDetails'] = must(
  await api.GET('/tournaments/{tournamentID}/fights/{gameID}', {
    params: { path: { tournamentID, gameID } },
  }),
).fight
const { bot } = must(await api.GET('/bots/{bot}', { params: { path: { bot: fight.player1 } } }))
const { headToHead } = must(
  await api.GET('/stats/head-to-head/{bot1}/{bot2}', {
    params: { path: { bot1: fight.player1clean, bot2: fight.player2clean } },
  }),
)
const { leaderboard } = must(
  await api.GET('/stats/leaderboard', { params: { query: { metric: 'koRate', limit: 3 } } }),
)
const found = must(await api.GET('/search', { params: { query: { q: fight.player1 } } }))
const { suggestions } = must(await api.GET('/autocomplete', { params: { query: { q: 'b' } } }))
const { stills } = must(
  await api.GET('/stills', { params: { query: { heroesOnly: true, limit: 1 } } }),
)
const { cages } = must(await api.GET('/cages'))
const { fights: rows } = must(
  await api.GET('/legacy/fightsByBot', { params: { query: { bot: fight.player1 } } }),
)
const matches = must(
  await api.GET('/legacy/getLatestMatches', { params: { query: { tournamentID } } }),
)
const unknown = await api.GET('/clips/{token}', { params: { path: { token: 'nothing' } } })

console.log(
  JSON.stringify({
    tournaments: tournaments.length,
    tournament: tournament.tournamentName,
    brackets: brackets.length,
    formatType: format.type,
    // A wrong type would not let these lines compile.
    seedIsText: details.player1.seed.length >= 0,
    offset: details.fightStartOffset?.toFixed(3) ?? null,
    longest: bot.longestFight?.matchLength.toFixed(0) ?? null,
    meetings: headToHead.totalFights,
    metric: leaderboard.metric,
    firstFound: found.bots[0]?.cleanName,
    suggestions: suggestions.length,
    hero: stills[0]?.isHero,
    legacyFights: rows.length === bot.totalFights,
    matches: matches.some(({ id }) => id === gameID),
    cage1: cages.cage1.match?.state ?? null,
    unknown: [unknown.response.status, unknown.error?.error],
  }),
)
