import { isNamed } from '../../../api/fights/outcomes.ts'
import { fightWords } from '../../../api/fights/words.ts'
import type { Bracket, Game, Tournament } from '../../../data/league/types.ts'
import { fightRows, type Row } from '../fights.ts'
import { html, joined, type Part } from '../html.ts'
import type { Viewing } from '../site.ts'
import { type Link, layOutBrackets } from './bracketLayout.ts'

const rowID = (game: Game): string => `g-${encodeURIComponent(game.id)}`

/** A game, and where its winner and loser go. */
const gameRow = (viewing: Viewing, game: Game, ways: readonly Link[] = []): Row => ({
  fight: game,
  id: game.round >= 0 && rowID(game),
  when: html`${fightWords(game).replace(/^.*, f/, 'F')} <small>${game.name}</small> <small>${game.cage}</small>`,
  notes: [
    joined(
      ways
        .filter(({ to }) => isNamed(viewing, to.game))
        .map(({ takes, to: { game: to } }) =>
          to.isFight
            ? html`${takes} to <a href="#${rowID(to)}">${fightWords(to)}</a>`
            : `${takes} to ${fightWords(to)}`,
        ),
    ),
  ],
})

/** The fights of a bracket, one round open at a time; byes are left out. */
const rounds = (
  viewing: Viewing,
  { name, games }: Bracket,
  ways: ReadonlyMap<string, readonly Link[]>,
  current: Game | undefined,
): Part => {
  const fights = games.filter((game) => game.isFight && isNamed(viewing, game))
  const byRound = Map.groupBy(fights, ({ roundName, round }) => roundName || `Round ${round + 1}`)
  return (
    fights.length > 0 &&
    html`
  <h3>${name}</h3>
  <div>${[...byRound].map(
    ([round, list]) => html`
  <details name="rounds"${list.some((game) => game === current) && html` open`}>
    <summary>${round} <small>${list.length}</small></summary>${fightRows(
      viewing,
      list.map((game) => gameRow(viewing, game, ways.get(game.id))),
    )}
  </details>`,
  )}
  </div>`
  )
}

/**
 * Every fight of a tournament by bracket and round, with the round of the last started one open; nothing without
 * fights.
 */
export const allFights = (viewing: Viewing, tournament: Tournament): Part => {
  const { brackets } = tournament
  const named = brackets
    .flatMap(({ games }) => games)
    .filter((game) => game.isFight && isNamed(viewing, game))
  const begun = named.filter(({ startUnix }) => startUnix !== null)
  const [last] = begun.sort((a, b) => (b.startUnix ?? 0) - (a.startUnix ?? 0))
  const ways = Map.groupBy(layOutBrackets(tournament).links, ({ from }) => from)
  const all = brackets.flatMap((each) => rounds(viewing, each, ways, last ?? named[0]) || [])
  return all.length > 0 && all
}
