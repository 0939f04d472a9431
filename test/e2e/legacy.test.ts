import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { present } from '../present.ts'
import { addressings, type RunningSite, startSite } from '../site.ts'
import { sizeOf } from '../smallLeague.ts'
import { withoutClocks } from './runningClock.ts'

describe.each(addressings)('a program that knows two addresses, with %s', (addressing) => {
  let site: RunningSite
  beforeAll(async () => {
    site = await startSite(addressing, await sizeOf(addressing))
  })
  afterAll(() => site.stop())

  test('a program that knows two URLs finds everything, and each successor', async () => {
    const { url: current, legacyUrl: legacy } = site
    const read = async (address: string) => {
      const response = await fetch(address)
      expect({ address, status: response.status }).toEqual({ address, status: 200 })
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      return { response, body: JSON.parse(await response.text()) }
    }
    const source = `${legacy}/tournamentSource.php`
    const { body: list } = await read(`${source}?function=getLocalTournaments`)
    expect(list).toEqual((await read(`${current}/tournaments`)).body)
    for (const { tournamentID } of list.tournaments) {
      const id = encodeURIComponent(tournamentID)
      const { body: whole } = await read(
        `${source}?function=getSingleTournament&params[tournamentId]=${id}`,
      )
      expect(whole.tournament.tournamentID).toBe(tournamentID)
      const { body: table } = await read(
        `${legacy}/getTournamentMatchesDataTables.php?tournamentID=${id}&draw=1&start=0&length=2`,
      )
      for (const { gameID, player1, stopTime } of table.data) {
        const address = `${legacy}/matchJSON.php?gameID=${encodeURIComponent(gameID)}&tournamentID=${id}`
        const { response, body: match } = await read(address)
        const link = response.headers.get('link')?.match(/^<(.*)>; rel="successor-version"$/)
        const successor = new URL(present(link?.[1]), address)
        expect((await read(successor.href)).body).toEqual({ fight: match })
        if (stopTime === '') continue
        const bot = encodeURIComponent(player1)
        const { body: fights } = await read(`${legacy}/fightsByBot.php?bot=${bot}`)
        expect(fights.fights.map(({ id }: { id: string }) => id)).toContain(gameID)
      }
    }
    for (const name of [
      ...['recentFights', 'fightsLast24Hours', 'botAutocomplete', 'cageJSON', 'recentClips'],
      ...['randomClips', 'herosGalleryAPI', 'scheduledMatches'],
    ]) {
      const { body } = await read(`${legacy}/${name}.php`)
      if (name === 'randomClips') continue
      const { body: same } = await read(`${legacy}/${name}`)
      expect(withoutClocks(body)).toEqual(withoutClocks(same))
    }
    const elsewhere = legacy.replace(/\/\w+$/, '/elsewhere')
    for (const address of [`${elsewhere}/recentFights`, `${current}/recentFights.php`]) {
      expect((await fetch(address)).status).toBe(404)
    }
  })
})
