import { expect } from 'bun:test'

/** Fetches one path and returns its JSON body; throws unless the answer is 200. */
// biome-ignore lint/suspicious/noExplicitAny: the walk reads the API as a client does.
export type Fetch = (path: string) => Promise<any>

/** Counts of a walk. */
export interface Walk {
  readonly paths: readonly string[]
  readonly fights: ReadonlyMap<string, unknown>
  readonly recordingIDs: ReadonlySet<string>
  readonly clipTokens: ReadonlySet<string>
  readonly stillIDs: ReadonlySet<string>
  readonly stillTokens: ReadonlySet<string>
}

/** Fields of a fight row that the rules on outcomes and times read. */
export interface Outcome {
  readonly player1wins: number
  readonly player2wins: number
  readonly winAnnotation: string
  readonly startTime: number
  readonly stopTime: number
  readonly endTime: number
}

/** Only a done fight shows a winner or an annotation. */
export const isCompleted = ({ player1wins, player2wins, winAnnotation }: Outcome): boolean =>
  player1wins + player2wins > 0 || winAnnotation !== ''

/** A fight as in all lists, without its expected start. */
const withoutExpectation = (fight: unknown): Record<string, unknown> => {
  const { expectedStart, expectedFrom, expectedTo, paused, ...rest } = Object(fight)
  return rest
}

/**
 * Compares the cages, their queues and the schedule with each other, and with the brackets and the fights (by
 * tournament and game id). Returns the fights in the cages and in the schedule.
 */
export const walkLive = async (
  read: Fetch,
  fights: ReadonlyMap<string, unknown>,
): Promise<{ cages: Awaited<ReturnType<Fetch>>; matches: Awaited<ReturnType<Fetch>>[] }> => {
  const { cages } = await read('/cages')
  const { matches, count } = await read('/schedule')
  expect(count).toBe(matches.length)
  const keyOf = ({ tournamentID, gameID }: { tournamentID: string; gameID: string }) =>
    `${tournamentID} ${gameID}`
  const states = new Map<string, string>()
  const { tournaments } = await read('/tournaments')
  const active = tournaments.filter((each: { active: number }) => each.active === 1)
  for (const { tournamentID } of active) {
    const { brackets } = await read(`/tournaments/${encodeURIComponent(tournamentID)}/brackets`)
    for (const { games } of brackets) {
      for (const { id, state } of games) states.set(`${tournamentID} ${id}`, state)
    }
  }
  const scheduled = new Map<string, Awaited<ReturnType<Fetch>>>(
    matches.map((match: Awaited<ReturnType<Fetch>>) => [keyOf(match), match]),
  )
  const open = [...states].filter(([key, state]) => state !== 'done' && fights.has(key))
  expect([...scheduled.keys()].toSorted()).toEqual(open.map(([key]) => key).toSorted())
  const timeOf = (match: { scheduledTime: number }): number => match.scheduledTime || Infinity
  let before = { scheduledTime: 1, cage: '' }
  for (const match of matches) {
    const { status, scheduledTime, calledSince, availableSince, ...entry } = match
    const { player1WinProbability: chance, ...summary } = entry
    // A fight without a cage has the cage of its queue.
    const own = Object(fights.get(keyOf(match)))
    expect({ ...own, cage: own.cage || match.cage }).toEqual(summary)
    const { tournamentID, gameID } = match
    const { fight } = await read(
      `/tournaments/${encodeURIComponent(tournamentID)}/fights/${encodeURIComponent(gameID)}`,
    )
    expect(fight.player1WinProbability).toBe(chance)
    expect(status === 'In Cage').toBe(states.get(keyOf(match)) === 'active')
    expect(timeOf(match)).toBeGreaterThanOrEqual(timeOf(before))
    if (scheduledTime === before.scheduledTime) expect(match.cage >= before.cage).toBe(true)
    if (status === 'Called' || status === 'Load In') expect(calledSince).toBeGreaterThan(0)
    before = match
  }
  const loading = new Set<string>()
  for (const [name, cage] of Object.entries<Awaited<ReturnType<Fetch>>>(cages)) {
    const { match, status, queue } = cage
    expect(name).toBe(`cage${cage.cageNumber}`)
    const again = await read(`/cages/${cage.cageNumber}`)
    expect(again).toEqual({ cage: { ...cage, matchTime: again.cage.matchTime } })
    // The clock of a running service advances.
    expect(again.cage.matchTime).toBeWithin(cage.matchTime, cage.matchTime + 30)
    expect(cage.pausedSince > 0).toBe(status === 'paused')
    for (const waiting of queue) {
      const row = scheduled.get(keyOf(waiting)) ?? waiting
      expect(row).toMatchObject(waiting)
      if (scheduled.has(keyOf(waiting))) expect(row.cage).not.toBe('')
      expect(['In Cage', 'Load In']).not.toContain(waiting.status)
    }
    if (!match) {
      expect(cage).toMatchObject({ status: 'idle', player1: null, player2: null, matchTime: 0 })
      continue
    }
    const { state, player1WinProbability, ...summary } = match
    expect(fights.get(keyOf(match))).toEqual(summary)
    expect(cage).toMatchObject({
      startTime: match.startTime,
      stopTime: match.stopTime,
      player1: { name: match.player1, cleanName: match.player1clean },
      player2: { name: match.player2, cleanName: match.player2clean },
    })
    const fits = {
      pending: ['assigned'],
      active: ['active', 'paused'],
      done: ['completed', 'idle'],
    }
    expect(Object.entries(fits).find(([own]) => own === state)?.[1]).toContain(status)
    const inSchedule = scheduled.get(keyOf(match))
    if (states.has(keyOf(match))) {
      expect(inSchedule?.status).toBe(
        { pending: 'Load In', active: 'In Cage', done: undefined }[String(state)],
      )
    }
    if (status === 'assigned') loading.add(keyOf(match))
  }
  for (const match of matches) {
    if (match.status === 'Load In') expect(loading.has(keyOf(match))).toBe(true)
  }
  return { cages, matches }
}

/**
 * Walks the whole API as a client would: starts at `/tournaments` and follows every id, and compares each answer with
 * the others on the way.
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
    for (const [index, recording] of fight.recordings.entries()) {
      const { recordingID } = recording
      expect(recordingIDs.has(recordingID)).toBe(false)
      recordingIDs.add(recordingID)
      // One recording of each fight, with varying cameras: there are ten times as many recordings as fights.
      if (index !== fights.size % fight.recordings.length) continue
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

    const completed = own.filter(isCompleted)
    for (const fight of completed) expect(games.get(fight.gameID).state).toBe('done')
    for (const summary of players) {
      const { player } = await read(`${base}/players/${encodeURIComponent(summary.playerID)}`)
      expect(player).toMatchObject(summary)
      expect(player.gameIDs.toSorted()).toEqual(
        (played.get(player.playerID) ?? [])
          .filter((id) => own.some(({ gameID }: { gameID: string }) => gameID === id))
          .filter((id) => games.get(id).state !== 'pending')
          .toSorted(),
      )
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
      const [last] = fought
      const time = last && (last.stopTime || last.endTime || last.startTime)
      // A fight without times has the moment of its predecessor.
      if (time !== 0) expect(player.lastPlayTime).toBe(time ?? 0)
      expect(player.mostRecentGameID).toBe(fought[0]?.gameID ?? '')
    }
  }

  const listed: string[] = []
  for (let page = 1; ; page += 1) {
    const body = await read(`/fights?page=${page}`)
    for (const fight of body.fights) {
      const key = `${fight.tournamentID} ${fight.gameID}`
      listed.push(key)
      expect(withoutExpectation(fights.get(key))).toEqual(fight)
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
  /** Every entry of a paged list, page by page. */
  const readPages = async (path: string, key: string): Promise<Awaited<ReturnType<Fetch>>[]> => {
    const entries = []
    for (let page = 1; ; page += 1) {
      const body = await read(`${path}${path.includes('?') ? '&' : '?'}page=${page}&limit=100`)
      entries.push(...body[key])
      if (page >= body.pagination.pages) {
        expect(body.pagination.total).toBe(entries.length)
        return entries
      }
    }
  }

  const clips = await readPages('/clips', 'clips')
  const clipTokens = new Set<string>(clips.map(({ token }) => token))
  expect(clipTokens.size).toBe(clips.length)
  for (const [index, clip] of clips.entries()) {
    expect(await read(`/clips/${encodeURIComponent(clip.token)}`)).toEqual({ clip })
    expect(clip.createdTime).toBeLessThanOrEqual(clips[index - 1]?.createdTime ?? clip.createdTime)
    expect(fights.get(`${clip.tournamentID} ${clip.gameID}`)).toMatchObject({
      player1: clip.player1,
      player1clean: clip.player1clean,
      player2: clip.player2,
      player2clean: clip.player2clean,
    })
  }

  const stills = await readPages('/stills', 'stills')
  const stillIDs = new Set<string>(stills.map(({ stillID }) => String(stillID)))
  const stillTokens = new Set<string>(stills.map(({ token }) => token))
  expect([stillIDs.size, stillTokens.size]).toEqual([stills.length, stills.length])
  const tagCounts = new Map<string, number>()
  const names = new Map(
    tournaments.map(({ tournamentID, tournamentName }: Record<string, string>) => [
      tournamentID,
      tournamentName,
    ]),
  )
  for (const [index, still] of stills.entries()) {
    const { still: whole } = await read(`/stills/${still.stillID}`)
    expect(whole).toEqual(still)
    expect(await read(`/stills/${encodeURIComponent(still.token)}`)).toEqual({ still: whole })
    expect(still.takenTime).toBeLessThanOrEqual(stills[index - 1]?.takenTime ?? still.takenTime)
    expect(still.event).toBe(names.get(still.tournamentID))
    for (const tag of still.tags) tagCounts.set(tag, (tagCounts.get(tag) ?? 0) + 1)
  }
  const bots = new Set<string>(stills.flatMap(({ bot }) => bot?.cleanName ?? []))
  for (const bot of bots) {
    const own = stills.filter((still) => still.bot?.cleanName === bot)
    expect(await readPages(`/stills?bot=${bot}`, 'stills')).toEqual(own)
    const [newest] = own.filter(({ tags }) => tags.includes('Hero-Bot'))
    const { stills: found } = await read(`/stills?bot=${bot}&tag=Hero-Bot&limit=1`)
    expect(found).toEqual(newest ? [newest] : [])
    expect((await read(`/bots/${bot}`)).bot.cleanName).toBe(bot)
  }
  expect(await readPages('/stills?heroesOnly', 'stills')).toEqual(
    stills.filter(({ isHero }) => isHero === 1),
  )
  const { tags } = await read('/stills/tags')
  expect(new Map(tags.map(({ tag, count }: Record<string, unknown>) => [tag, count]))).toEqual(
    tagCounts,
  )

  await walkLive(read, fights)

  const { counts } = await fetch('/health')
  expect(counts).toMatchObject({
    tournaments: tournaments.length,
    fights: fights.size,
    players: numbers.players,
    recordings: recordingIDs.size,
    clips: clipTokens.size,
    stills: stillIDs.size,
    badRows: 0,
  })
  return { paths, fights, recordingIDs, clipTokens, stillIDs, stillTokens }
}
