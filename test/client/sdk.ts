// A program on the SDK that @hey-api/openapi-ts makes from the served description (`./sdk`, made by the test that
// compiles and runs it). It prints its findings as JSON.
import { client } from './sdk/client.gen.ts'
import { getBot, legacyFightsByBot, legacyGetLatestMatches, listRecentFights } from './sdk/index.ts'

client.setConfig({ baseUrl: process.argv[2] ?? '' })

const { data: recent } = await listRecentFights({ query: { limit: 1 } })
const [fight] = recent?.fights ?? []
if (!fight) throw new Error('no fight')
const { data: career } = await getBot({ path: { bot: fight.player1 } })
const { data: rows } = await legacyFightsByBot({ query: { bot: fight.player1 } })
const unknown = await legacyGetLatestMatches({ query: { tournamentID: 'nowhere' } })

console.log(
  JSON.stringify({
    careerFights: career?.bot.totalFights,
    legacyFights: rows?.fights.length,
    winner: [fight.player1wins, rows?.fights[0]?.player1wins],
    unknown: [unknown.response?.status, unknown.error?.error],
  }),
)
