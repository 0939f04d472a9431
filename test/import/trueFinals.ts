import type { CageRows, TournamentRows } from '../../src/data/source/rows.ts'

const ms = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1000)

/**
 * A tournament as the bracket software's API describes it (OpenAPI description 1.0.1, `getTournament`), without
 * its overlays and profiles.
 */
export const trueFinalsTournament = (
  rows: TournamentRows,
  { cages, cageQueue }: CageRows,
): Readonly<Record<string, unknown>> => {
  const { tournament, players, games, slots, brackets, rounds } = rows
  const numbers = [...new Set(games.map(({ cage }) => cage))]
    .filter((cage) => cage !== null)
    .map((cage) => Number(cage.replace('Cage ', '')))
    .sort((a, b) => a - b)
  const annotated = ['KO', 'TO', 'JD', 'TKO', 'HLD']
  return {
    id: tournament.id,
    creatorID: 'creator',
    creatorProfileID: 'profile',
    title: tournament.name,
    gameTitleInfo: { name: 'Combat Robots', id: null, thumbnailUrl: null },
    eventLocation: '',
    privacy: tournament.privacy,
    displayCheckInStatus: true,
    logoUrl: null,
    thumbnailUrl: null,
    createTime: tournament.createTime * 1000,
    scheduledStartTime: ms(tournament.scheduledStartTime),
    startTime: ms(tournament.startTime ?? tournament.createTime),
    endTime: tournament.active ? null : ms(tournament.endTime ?? tournament.updateTime),
    updateTime: tournament.updateTime * 1000,
    description: null,
    players: players
      .filter(({ isBye }) => !isBye)
      .map(({ id, name, seed, isDisqualified }) => ({
        id,
        name,
        photoUrl: null,
        seed,
        wins: 0,
        losses: 0,
        ties: 0,
        isBye: false,
        isDisqualified,
        lastPlayTime: null,
        lastBracketGameID: null,
        placement: null,
      })),
    locations: numbers.map((number) => {
      const cage = cages.find((row) => row.number === number && row.tournamentId === tournament.id)
      const game = games.find(({ id }) => id === cage?.gameId)
      return {
        id: `location-${number}`,
        name: number === 1 ? 'cage 1' : `Cage ${number}`,
        activeGameID: game && game.state !== 'done' ? game.id : null,
        lastCompletedGameID: game?.state === 'done' ? game.id : null,
        queue: cageQueue
          .filter((row) => row.cage === number && row.tournamentId === tournament.id)
          .map(({ gameId }) => gameId),
        unavailableQueue: [],
        blockActive: false,
      }
    }),
    games: games
      .toSorted((a, b) => a.roundIdx - b.roundIdx || a.position - b.position)
      .map((game) => ({
        id: game.id,
        name: game.name,
        bracketID: game.bracketId,
        round: game.roundIdx,
        scoreToWin: 1,
        slots: slots
          .filter(({ gameId }) => gameId === game.id)
          .map(({ idx, playerId, prevGameId, score, state, isReady }) => ({
            gameID: game.id,
            slotIdx: idx,
            playerID: playerId,
            checkInTime: isReady ? ms(tournament.createTime) : null,
            waitingTime: null,
            prevGameID: prevGameId,
            score: state === 'loser_by_default' ? -1 : (score ?? 0),
            slotState: state,
          })),
        state: game.state,
        activeSince: ms(game.startTime),
        availableSince: ms(game.availableSince),
        calledSince: ms(game.calledSince),
        heldSince: null,
        endTime: ms(game.endTime),
        scheduledTime: ms(game.scheduledTime),
        nextGameSlotIDs: [],
        locationID: game.cage?.replace('Cage ', 'location-') ?? null,
        resultAnnotation: game.winAnnotation,
        winnerPlacement: null,
        loserPlacement: game.loserPlacement,
      })),
    format: {
      type: tournament.formatType,
      scoring: { type: 'annotated', tiesAllowed: false, allowedWinAnnotations: annotated },
      ...(tournament.formatType === 'single_elimination' && { addThirdPlaceGame: false }),
      ...(tournament.formatType === 'double_elimination' && { disableTrueFinals: false }),
      brackets: brackets
        .filter(({ isExhibition }) => !isExhibition)
        .map(({ id, name }) => ({
          name,
          id,
          rounds: rounds
            .filter(({ bracketId }) => bracketId === id)
            .map((round) => ({ idx: round.idx, bracketID: id, name: round.name, scoreToWin: 1 })),
        })),
      bracketOpts: brackets
        .filter(({ isExhibition }) => !isExhibition)
        .map(({ name }) => ({ name, defaultScoreToWin: 1, rounds: [] })),
    },
  }
}
