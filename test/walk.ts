import { expect } from 'bun:test'

/** Fetches one path and gives its JSON body; throws when the answer is no 200. */
// biome-ignore lint/suspicious/noExplicitAny: the walk reads the API as a client does.
export type Fetch = (path: string) => Promise<any>

/** What a walk found, for tests to count. */
export interface Walk {
  readonly paths: readonly string[]
  readonly fights: ReadonlyMap<string, unknown>
  readonly recordingIDs: ReadonlySet<string>
}

/**
 * Walks the whole API as a client would: starts at `/tournaments` and follows every id, and on the
 * way holds each answer against the others.
 */
export const walk = async (fetch: Fetch): Promise<Walk> => {
  const paths: string[] = []
  const read: Fetch = (path) => {
    paths.push(path)
    return fetch(path)
  }
  const fights = new Map<string, unknown>()
  const recordingIDs = new Set<string>()
  const numbers = { players: 0 }

  const walkFight = async (summary: Awaited<ReturnType<Fetch>>): Promise<void> => {
    const { tournamentID, gameID } = summary
    expect(summary.id).toBe(gameID)
    fights.set(`${tournamentID} ${gameID}`, summary)
    const path = `${encodeURIComponent(tournamentID)}/fights/${encodeURIComponent(gameID)}`
    const { fight } = await read(`/tournaments/${path}`)
    expect(fight).toMatchObject({ tournamentID, gameID })
    expect(fight.player1).toMatchObject({
      name: summary.player1,
      cleanName: summary.player1clean,
      isWinner: String(summary.player1wins),
      duration: String(summary.matchLength),
      stopTime: String(summary.stopTime),
    })
    expect(fight.player2).toMatchObject({
      name: summary.player2,
      isWinner: String(summary.player2wins),
    })
    expect(fight.recordings).toHaveLength(summary.cams)
    const feeds = await read(
      `/video-feeds/fight/${encodeURIComponent(tournamentID)}/${encodeURIComponent(gameID)}`,
    )
    expect(feeds).toEqual({
      gameID,
      tournamentID,
      fightStartOffset: fight.fightStartOffset,
      recordings: fight.recordings,
    })
    for (const recording of fight.recordings) {
      const { recordingID } = recording
      expect(recordingIDs.has(recordingID)).toBe(false)
      recordingIDs.add(recordingID)
      const { videoFeed } = await read(`/video-feeds/${recordingID}`)
      expect(videoFeed).toMatchObject({
        recordingID: Number(recordingID),
        gameID,
        tournamentID,
        camera: recording.camera,
        s3path: recording.s3path,
        s3http: Number(recording.s3http),
        red: summary.player1,
        blue: summary.player2,
        matchStart: summary.startTime,
        videoQualities: { proxy72: recording.proxy72 },
      })
    }
  }

  const { tournaments } = await read('/tournaments')
  for (const tournament of tournaments) {
    const { tournamentID } = tournament
    expect(tournament).toMatchObject({ privacy: 'public', isTest: 0 })
    const base = `/tournaments/${encodeURIComponent(tournamentID)}`
    expect(await read(base)).toEqual({ tournament })
    const { players } = await read(`${base}/players`)
    const { brackets, format, players: again } = await read(`${base}/brackets`)
    expect(again).toEqual(players)
    const bots = players.filter(
      (player: { isBye: number; name: string }) =>
        player.isBye === 0 && !player.name.startsWith('Bracket Seed'),
    )
    expect(tournament.numPlayers).toBe(bots.length)
    numbers.players += bots.length

    const games = new Map<string, Awaited<ReturnType<Fetch>>>()
    for (const bracket of brackets) {
      const rounds = format.brackets.find(({ id }: { id: string }) => id === bracket.bracketID)
      expect(rounds.name).toBe(bracket.bracketName)
      for (const game of bracket.games) {
        expect(games.has(game.id)).toBe(false)
        games.set(game.id, game)
      }
    }
    const playersByID = new Map(
      players.map((player: { playerID: string }) => [player.playerID, player]),
    )
    const played = new Map<string, string[]>()
    for (const game of games.values()) {
      for (const { playerID, prevGameID, isWinner, slotState } of game.slots) {
        expect(prevGameID === null || games.has(prevGameID)).toBe(true)
        expect(isWinner).toBe(slotState.startsWith('winner') ? 1 : 0)
        if (playerID === '') continue
        expect(playersByID.has(playerID)).toBe(true)
        played.set(playerID, [...(played.get(playerID) ?? []), game.id])
      }
    }

    const { fights: own } = await read(`${base}/fights`)
    for (const fight of own) {
      expect(games.get(fight.gameID)).toMatchObject({
        name: fight.name,
        round: fight.round,
        startTime: fight.startTime,
        stopTime: fight.stopTime,
      })
      await walkFight(fight)
    }

    const completed = own.filter(
      (fight: { gameID: string; stopTime: number }) =>
        games.get(fight.gameID).state === 'done' && fight.stopTime > 0,
    )
    for (const summary of players) {
      const { player } = await read(`${base}/players/${encodeURIComponent(summary.playerID)}`)
      expect(player).toMatchObject(summary)
      expect(player.gameIDs.toSorted()).toEqual((played.get(player.playerID) ?? []).toSorted())
      const fought = completed.filter(({ gameID }: { gameID: string }) =>
        player.gameIDs.includes(gameID),
      )
      const wonBy = (mine: boolean) =>
        fought.filter(({ gameID }: { gameID: string }) =>
          games
            .get(gameID)
            .slots.some(
              ({ playerID, isWinner }: { playerID: string; isWinner: number }) =>
                isWinner === 1 && (playerID === player.playerID) === mine,
            ),
        ).length
      expect(player).toMatchObject({ wins: wonBy(true), losses: wonBy(false) })
      expect(player.lastPlayTime).toBe(fought[0]?.stopTime ?? 0)
      expect(player.mostRecentGameID).toBe(fought[0]?.gameID ?? '')
    }
  }

  const listed: string[] = []
  for (let page = 1; ; page += 1) {
    const body = await read(`/fights?page=${page}`)
    for (const fight of body.fights) {
      const key = `${fight.tournamentID} ${fight.gameID}`
      listed.push(key)
      expect(fight).toEqual(fights.get(key))
    }
    expect(body.pagination).toMatchObject({ page, total: fights.size })
    if (page >= body.pagination.pages) break
  }
  expect(listed).toHaveLength(fights.size)
  expect(new Set(listed).size).toBe(fights.size)
  for (const path of ['/fights/recent?limit=100', '/fights/last24h']) {
    const body = await read(path)
    expect(body.fights.length).toBeGreaterThan(0)
    for (const fight of body.fights) {
      expect(fights.get(`${fight.tournamentID} ${fight.gameID}`)).toMatchObject({
        player1: fight.player1,
        player2clean: fight.player2clean,
        stopTime: fight.stopTime,
      })
    }
  }
  const { counts } = await fetch('/health')
  expect(counts).toMatchObject({
    tournaments: tournaments.length,
    fights: fights.size,
    players: numbers.players,
    recordings: recordingIDs.size,
    badRows: 0,
  })
  return { paths, fights, recordingIDs }
}
