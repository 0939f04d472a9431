import { expect, test } from 'bun:test'
import { proxyAddress, proxyUrl } from '../../../src/data/source/proxies.ts'

test.each([
  ['beside the film, with its height before the extension', 'a.mp4', 'a_720p.mp4', true],
  ['for a film without an extension, at its end', 'a', 'a_720p', true],
  ['with another height', 'a.mp4', 'a_360p.mp4', false],
  ['with another extension', 'a.mp4', 'a_720p.mov', false],
  ['with more between', 'a.mp4', 'a_720p_v2.mp4', false],
  ['named after another film', 'a.mp4', 'b_720p.mp4', false],
])('the address of a smaller file %s is standard or stored', (_, film, small, isStandard) => {
  const [filmUrl, url] = [film, small].map((name) => `https://media.example/v.1/${name}`)
  const address = proxyAddress(filmUrl ?? '', 720, url ?? '')
  expect(address === true).toBe(isStandard)
  expect(proxyUrl(filmUrl ?? '', 720, address)).toBe(url ?? '')
})

test('a missing film has no standard address, and a stored one stays', () => {
  const own = 'https://media.example/own.mp4'
  expect([proxyUrl(null, 720, true), proxyUrl(null, 720, own)]).toEqual([null, own])
  expect([proxyAddress(null, 720, own), proxyAddress(own, 720, null)]).toEqual([own, null])
})
