import { describe, expect, test } from 'bun:test'
import { type BadRowCounter, countBadRows } from '../../../src/data/archive/load.ts'
import { checkTournament } from '../../../src/data/source/check.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import { clipRow, fightRows, recordingRow, stillRow, tournamentOf } from '../../rows.ts'

const load = (over: Partial<TournamentRows>): [TournamentRows | undefined, BadRowCounter] => {
  const bad = countBadRows()
  const players = [{ id: 'p1' }, { id: 'p2' }]
  const rows = tournamentOf({}, players, [fightRows({}, 'p1', 'p2')], over)
  return [checkTournament(rows, bad.onBadRow), bad]
}

describe('an address that is not http(s)', () => {
  test.each([
    'javascript:alert(1)',
    'JavaScript://media.example/%0aalert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    '//media.example/x.mp4',
    '/x.mp4',
    ' https://media.example/x.mp4',
    '',
  ])('the address %p is left out and counted, or its row if it has no other', (url) => {
    const [rows, bad] = load({
      recordings: [
        recordingRow({ id: 1 }),
        recordingRow({ id: 2, videoUrl: url }),
        recordingRow({ id: 3, proxy720Url: url }),
        recordingRow({ id: 4, proxy360Url: url }),
        recordingRow({ id: 5, proxy72Url: url }),
      ],
      clips: [
        clipRow({ token: 'a' }),
        clipRow({ token: 'b', video720Url: url }),
        clipRow({ token: 'c', video360Url: url }),
        clipRow({ token: 'd', video72Url: url }),
      ],
      stills: [stillRow({ id: 1 }), stillRow({ id: 2, url })],
    })
    expect(rows?.recordings).toEqual([
      recordingRow({ id: 1 }),
      recordingRow({ id: 2, videoUrl: null }),
      recordingRow({ id: 3, proxy720Url: null }),
      recordingRow({ id: 4, proxy360Url: null }),
      recordingRow({ id: 5, proxy72Url: null }),
    ])
    expect(rows?.clips).toEqual([
      clipRow({ token: 'a' }),
      clipRow({ token: 'b', video720Url: null }),
      clipRow({ token: 'c', video360Url: null }),
      clipRow({ token: 'd', video72Url: null }),
    ])
    expect(rows?.stills.map(({ id }) => id)).toEqual([1])
    // An empty text is a missing address if one may be missing.
    expect(bad.count()).toBe(url === '' ? 1 : 8)
  })

  test('an http(s) address stays unchanged', () => {
    const videoUrl = 'HTTPS://media.example/a b.mp4?x=javascript:1'
    const [rows, bad] = load({ recordings: [recordingRow({ id: 1, videoUrl })] })
    expect(rows?.recordings[0]?.videoUrl).toBe(videoUrl)
    expect(bad.count()).toBe(0)
  })
})
