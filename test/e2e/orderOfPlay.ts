import type { TournamentRows } from '../../src/data/source/rows.ts'

type Moments = ReadonlyMap<string, number>

/**
 * All fights of a tournament in order of play, with their moments. A slow reference written only from the contract, for
 * leagues without mistyped years and cycles.
 */
export const recountOrder = (
  rows: TournamentRows,
): { ids: readonly string[]; moments: Moments } => {
  const isBot = new Set(
    rows.players
      .filter(({ isBye, name }) => !isBye && !/^\(|^Bracket Seed/.test(name))
      .map(({ id }) => id),
  )
  const slotsOf = Map.groupBy(rows.slots, ({ gameId }) => gameId)
  const byID = new Map(rows.games.map((game) => [game.id, game]))
  const isFight = (id: string): boolean =>
    [0, 1].every((idx) =>
      slotsOf.get(id)?.some((slot) => slot.idx === idx && isBot.has(slot.playerId ?? '')),
    )
  const bracketOf = new Map(rows.brackets.map((bracket) => [bracket.id, bracket]))
  const positionOf = (id: string): number =>
    bracketOf.get(byID.get(id)?.bracketId ?? '')?.position ?? 0
  const collator = new Intl.Collator('en', { numeric: true })
  const fights = rows.games
    .filter(({ id }) => isFight(id))
    .sort(
      (a, b) =>
        a.position - b.position ||
        positionOf(a.id) - positionOf(b.id) ||
        collator.compare(a.id, b.id),
    )
  const feeders = (id: string | null): string[] => {
    if (id === null || !byID.has(id)) return []
    return isFight(id)
      ? [id]
      : (slotsOf.get(id) ?? []).flatMap(({ prevGameId }) => feeders(prevGameId))
  }
  /** All exhibitions in these leagues are qualifying, which is first. */
  const stageOf = (id: string): number => {
    const bracket = bracketOf.get(byID.get(id)?.bracketId ?? '')
    return bracket?.isExhibition ? -1 : (bracket?.position ?? 0)
  }
  const follows = new Map(
    fights.map((fight) => {
      const own = fights.filter(({ bracketId }) => bracketId === fight.bracketId)
      const round = own.filter(({ roundIdx }) => roundIdx === fight.roundIdx)
      const before = round[round.indexOf(fight) - 1]
      const others = (slotsOf.get(fight.id) ?? []).flatMap(({ prevGameId, playerId }) => {
        const fed = feeders(prevGameId)
        if (fed.length > 0) return fed
        return fights
          .filter(({ id }) => stageOf(id) < stageOf(fight.id))
          .filter(({ id }) => slotsOf.get(id)?.some((slot) => slot.playerId === playerId))
          .map(({ id }) => id)
      })
      const earlier = own.filter(({ roundIdx }) => roundIdx < fight.roundIdx).map(({ id }) => id)
      return [fight.id, new Set([...earlier, ...(before ? [before.id] : []), ...others])] as const
    }),
  )
  const timeOf = ({
    state,
    stopTime,
    endTime,
    startTime,
  }: (typeof fights)[number]): number | null => {
    if (state !== 'done')
      return state === 'active' && startTime !== null ? Math.floor(startTime) : null
    return stopTime ?? endTime ?? (startTime === null ? null : Math.floor(startTime))
  }
  const dated = fights.flatMap((fight) => timeOf(fight) ?? [])
  const starts = fights.flatMap(({ state, startTime }) =>
    state === 'active' || state === 'done' ? (startTime ?? []) : [],
  )
  const { startTime, scheduledStartTime, createTime } = rows.tournament
  const first = starts.length > 0 ? Math.floor(Math.min(...starts)) : Math.min(...dated)
  const base = startTime ?? (dated.length > 0 ? first : (scheduledStartTime ?? createTime))
  const moments = new Map<string, number>()
  const feedsOf = Map.groupBy(
    rows.slots.flatMap(({ gameId, prevGameId }) =>
      feeders(prevGameId).map((by) => ({ by, gameId })),
    ),
    ({ by }) => by,
  )
  const bound = (id: string): number =>
    Math.min(
      Infinity,
      ...(feedsOf.get(id) ?? []).map(({ gameId }) => {
        const fed = fights.find((fight) => fight.id === gameId)
        return fed ? (timeOf(fed) ?? bound(gameId)) : Infinity
      }),
    )
  const moment = (id: string): number => {
    const known = moments.get(id)
    if (known !== undefined) return known
    const fight = byID.get(id)
    const before = [...(follows.get(id) ?? [])]
    const found = fight && timeOf(fight)
    const value =
      found ?? Math.min(bound(id), before.length > 0 ? Math.max(...before.map(moment)) : base)
    moments.set(id, value)
    return value
  }
  const ids: string[] = []
  let left = fights.map(({ id }) => id)
  while (left.length > 0) {
    const earliest = Math.min(...left.map(moment))
    const next = left.filter((id) => moment(id) === earliest)
    const free =
      next.find((id) => !next.some((other) => follows.get(id)?.has(other))) ?? next[0] ?? ''
    ids.push(free)
    left = left.filter((id) => id !== free)
  }
  return { ids, moments }
}
