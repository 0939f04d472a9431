import { expect, test } from 'bun:test'
import { filmlessProvider, providedFilm } from '../../../src/data/league/films.ts'

const youtube = (id: string, start: number) =>
  `https://www.youtube-nocookie.com/embed/${id}?autoplay=1&rel=0&start=${start}`

test.each([
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=95', 'youtube', 95, youtube('dQw4w9WgXcQ', 95)],
  ['https://youtu.be/dQw4w9WgXcQ?t=1m35s', 'youtube', 95, youtube('dQw4w9WgXcQ', 95)],
  ['https://m.youtube.com/live/dQw4w9WgXcQ?start=7', 'youtube', 7, youtube('dQw4w9WgXcQ', 7)],
  ['https://youtube.com/shorts/dQw4w9WgXcQ', 'youtube', null, youtube('dQw4w9WgXcQ', 0)],
  ['https://www.youtube.com/embed/dQw4w9WgXcQ?t=x', 'youtube', null, youtube('dQw4w9WgXcQ', 0)],
  ['https://www.youtube.com/v/dQw4w9WgXcQ', 'youtube', null, youtube('dQw4w9WgXcQ', 0)],
  [
    'https://youtube-nocookie.com/embed/dQw4w9WgXcQ?time=9s',
    'youtube',
    9,
    youtube('dQw4w9WgXcQ', 9),
  ],
  [
    'https://player.vimeo.com/video/123456789?h=abcdef0123&t=5',
    'vimeo',
    5,
    'https://player.vimeo.com/video/123456789?autoplay=1&dnt=1&h=abcdef0123#t=5s',
  ],
  [
    'https://player.twitch.tv/?video=v1234567890&t=2m',
    'twitch',
    120,
    'https://player.twitch.tv/?autoplay=true&video=1234567890&time=120s',
  ],
  [
    'https://clips.twitch.tv/embed?clip=BoldAxe-x_1',
    'twitch',
    null,
    'https://clips.twitch.tv/embed?autoplay=true&clip=BoldAxe-x_1',
  ],
  [
    'https://player.vimeo.com/video/123456789',
    'vimeo',
    null,
    'https://player.vimeo.com/video/123456789?autoplay=1&dnt=1#t=0s',
  ],
  [
    'https://twitch.tv/league/v/1234567890',
    'twitch',
    null,
    'https://player.twitch.tv/?autoplay=true&video=1234567890&time=0s',
  ],
  [
    'https://vimeo.com/123456789#t=1m5s',
    'vimeo',
    65,
    'https://player.vimeo.com/video/123456789?autoplay=1&dnt=1#t=65s',
  ],
  [
    'https://vimeo.com/123456789/abcdef0123',
    'vimeo',
    null,
    'https://player.vimeo.com/video/123456789?autoplay=1&dnt=1&h=abcdef0123#t=0s',
  ],
  [
    'https://www.twitch.tv/videos/1234567890?t=1h2m3s',
    'twitch',
    3723,
    'https://player.twitch.tv/?autoplay=true&video=1234567890&time=3723s',
  ],
  [
    'https://clips.twitch.tv/BoldAxe-x_1',
    'twitch',
    null,
    'https://clips.twitch.tv/embed?autoplay=true&clip=BoldAxe-x_1',
  ],
  [
    'https://www.twitch.tv/league/clip/BoldAxe-x_1',
    'twitch',
    null,
    'https://clips.twitch.tv/embed?autoplay=true&clip=BoldAxe-x_1',
  ],
] as const)('%s is a film of %s', (address, kind, startSeconds, player) => {
  const film = providedFilm(address)
  expect(film).toMatchObject({ kind, startSeconds })
  expect(film?.playerAt(startSeconds ?? 0)).toBe(player)
  expect(filmlessProvider(address)).toBeUndefined()
})

test.each([
  ['12', 12],
  ['7200s', 7200],
  ['90m', 5400],
  ['12m34s', 754],
  ['12m34', 754],
  ['10h', 36_000],
  ['10h20m30s', 37_230],
  ['1h30s', 3630],
  ['0', 0],
  ['', null],
  ['-5', null],
  ['1.5', null],
  ['5s6', null],
  ['5x', null],
  ['30s12m', null],
  ['x12m', null],
])('a film with the start %j begins at second %p', (start, seconds) => {
  expect(providedFilm(`https://youtu.be/dQw4w9WgXcQ?t=${start}`)?.startSeconds).toBe(seconds)
})

test.each([
  ['https://www.youtube.com/@league', 'YouTube'],
  ['https://www.youtube.com/watch?v="><script>', 'YouTube'],
  ['https://www.youtube.com/playlist?list=PL123', 'YouTube'],
  ['https://vimeo.com/league', 'Vimeo'],
  ['https://www.twitch.tv/league', 'Twitch'],
  ['https://media.example/youtube.com/watch.mp4', undefined],
  ['https://notyoutube.com/watch?v=dQw4w9WgXcQ', undefined],
  ['https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ', undefined],
  ['https://media.example/film.mp4', undefined],
])('%s is no film; the provider of its page is %p', (address, provider) => {
  expect(providedFilm(address)).toBeUndefined()
  expect(filmlessProvider(address)).toBe(provider)
})
