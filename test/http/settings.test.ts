import { expect, test } from 'bun:test'
import { everyPageOf, someAddressesOf, spread } from '../everyAddress.ts'
import { appOf, archiveWithCages } from '../fixtures.ts'
import { smallLeague } from '../smallLeague.ts'

const archive = archiveWithCages(smallLeague, ...smallLeague.tournaments)
const basePath = '/base'
const legacyBase = '/base/old'
const publicUrl = 'https://league.example/front/base'
const withNone = appOf(archive)
const withAll = appOf(archive, { basePath, legacyBase, publicUrl, trustedProxies: 1 })
const proxied = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' }

/** Differing operations: the server in the description, drawn clips, and an example that names a host. */
const different = /^\/openapi|^\/legacy\/randomClips|^\/embed/

/** A text as without settings: the bases that clients use are removed from its URLs. */
const plain = (text: string): string =>
  text
    // Calendars fold lines by their length.
    .replaceAll('\r\n ', '')
    // Programs that preview a page need addresses with a host.
    .replaceAll(/ *<(link rel="canonical"|meta property="og:(url|image)).*\n/g, '')
    .replaceAll(publicUrl, '')
    .replaceAll('http://localhost', '')
    .replaceAll(/\/front\/base\/old|\/base\/old/g, '/legacy')
    .replaceAll(/\/front\/base|\/base/g, '')

const answer = async (app: typeof withNone, path: string, headers: Record<string, string> = {}) => {
  const response = await app(new Request(`http://localhost${path}`, { headers }))
  const { 'content-type': type = '', link = '' } = Object.fromEntries(response.headers)
  const isText = !type.includes('gzip') && !type.startsWith('application/vnd')
  const body = isText ? plain(await response.text()) : `${(await response.bytes()).length} bytes`
  return { status: response.status, type, link: plain(link), body }
}

test('every URL answers alike without settings and with all of them behind a proxy', async () => {
  const addresses = [...someAddressesOf(archive, 40), ...spread(everyPageOf(archive), 400)]
  expect(addresses.length).toBeGreaterThan(200)
  for (const address of addresses) {
    if (different.test(address)) continue
    const accept = { accept: 'text/html,*/*;q=0.8' }
    const path = address.startsWith('/legacy/')
      ? legacyBase + address.slice('/legacy'.length)
      : basePath + address
    const [none, all] = [
      await answer(withNone, address, accept),
      await answer(withAll, path, { ...accept, ...proxied }),
    ]
    expect({ address, ...all }).toEqual({ address, ...none })
  }
})
