import { cleanName } from '../../../data/league/cleanName.ts'
import type { PlayerRecord, Tournament } from '../../../data/league/types.ts'
import { type Forecast, standardErrorOf } from '../../../derived/forecast/forecast.ts'
import type { Refusal } from '../../../derived/forecast/plan.ts'
import type { Data } from '../../../http/trackedArchive.ts'
import { compareTexts } from '../../../runtime/compareTexts.ts'
import { type Column, list, table } from '../elements.ts'
import { botLink, teamLink } from '../fights.ts'
import { type Html, html, joined, type Part } from '../html.ts'
import type { Shown } from '../respond.ts'
import { name, type Viewing } from '../site.ts'
import { chance, recordText } from '../words.ts'

const byResult = (a: PlayerRecord, b: PlayerRecord): number =>
  (a.placement ?? Number.MAX_SAFE_INTEGER) - (b.placement ?? Number.MAX_SAFE_INTEGER) ||
  b.wins - a.wins ||
  a.losses - b.losses

const byName = ({ player: a }: PlayerRecord, { player: b }: PlayerRecord): number =>
  compareTexts(a.name, b.name) || compareTexts(a.id, b.id)

/** True if there are results to show. */
export const isDecided = ({ showsOutcomes }: Viewing, { completedFights }: Tournament): boolean =>
  showsOutcomes && completedFights > 0

/** Chance to win the tournament by player id. */
const chancesOf = (
  forecast: Forecast | Refusal | undefined,
): ReadonlyMap<string, number> | undefined =>
  forecast && 'plan' in forecast
    ? new Map(forecast.plan.bots.map(({ id }, bot) => [id, forecast.winning[bot] ?? 0]))
    : undefined

/** Bots, best or likeliest winner first; by name if no results are shown. */
export const rankedBots = (
  viewing: Viewing,
  tournament: Tournament,
  forecast: Forecast | Refusal | undefined,
): readonly PlayerRecord[] => {
  const chances = chancesOf(forecast)
  const chanceOf = ({ player }: PlayerRecord): number => chances?.get(player.id) ?? 0
  const inOrder = isDecided(viewing, tournament) ? byResult : byName
  return tournament.players
    .filter(({ player }) => player.isBot)
    .sort((a, b) => chanceOf(b) - chanceOf(a) || inOrder(a, b))
}

const forecastNote = (forecast: Forecast | Refusal): Html =>
  'reason' in forecast
    ? html`
  <p class="soft">How likely each is to win is not known: ${forecast.reason}.</p>`
    : html`
  <p class="soft">Chance: to win this class, from the bracket and the ratings of its bots${
    forecast.runs > 0 && `; simulated, ± ${(100 * standardErrorOf(forecast)).toFixed(1)} points`
  }.</p>`

/** Clean names of teams without a page: no bot has them as its newest team. */
const formerTeams = ({ bots, dataset }: Data, tournamentID: string): string[] => {
  const players = dataset.tournamentsByID.get(tournamentID)?.players ?? []
  const teams = new Set(players.flatMap(({ player: { team } }) => team ?? []).map(cleanName))
  if (teams.size > 0) for (const { teamKey } of bots) teams.delete(teamKey)
  return [...teams]
}

/** Places, chances and records, if there are any; only names without chances and results. */
export const standings = (
  { archive, viewing }: Shown,
  tournament: Tournament,
  bots: readonly PlayerRecord[],
  forecast: Forecast | Refusal | undefined,
): Part => {
  if (bots.length === 0) return undefined
  const withoutPage = archive.derive(formerTeams, tournament.info.id)
  const hasResults = isDecided(viewing, tournament)
  const chances = chancesOf(forecast)
  const teamOf = ({ team }: PlayerRecord['player']): Part =>
    team !== null && (withoutPage.includes(cleanName(team)) ? name(team) : teamLink(viewing, team))
  const nameOf = ({ player }: PlayerRecord): Html => {
    const facts = joined([player.isDisqualified && 'disqualified', teamOf(player)])
    return html`${botLink(viewing, player)}${facts && html` <small>${facts}</small>`}`
  }
  const hasPlaces = hasResults && bots.some(({ placement }) => placement !== null)
  const hasSeeds = bots.some(({ player }) => player.seed !== null)
  const columns: readonly (readonly [boolean, Column, (record: PlayerRecord) => Part])[] = [
    [hasPlaces, ['Place', 'number'], ({ placement }) => placement],
    [true, ['Bot', 'name'], nameOf],
    [!!chances, ['Chance', 'number'], ({ player }) => chance(chances?.get(player.id) ?? 0)],
    [hasResults, ['Record', 'number'], recordText],
    [hasSeeds, ['Seed', 'number'], ({ player }) => player.seed],
  ]
  const shown = columns.filter(([isShown]) => isShown)
  return html`${forecast && forecastNote(forecast)}${
    hasResults || chances
      ? table(
          shown.map(([, column]) => column),
          bots.map((record) => shown.map(([, , cell]) => cell(record))),
        )
      : list(
          'names',
          bots.map(({ player }) => botLink(viewing, player)),
        )
  }`
}
