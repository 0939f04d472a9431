import type { CageState } from '../../api/live/schema.ts'
import { type Bot, fightSeconds } from '../../careers/bots.ts'
import type { Fight, Tournament } from '../../league/types.ts'
import type { Scheduled } from '../../live/schedule.ts'
import { type Assets, inlinedPicture } from '../assets.ts'
import { shownFights } from '../bots/careers.ts'
import { clock } from '../cages.ts'
import { expectedNote } from '../expected.ts'
import {
  cornerName,
  eventLink,
  fightList,
  fightPath,
  fightRow,
  rowList,
  versusPath,
} from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { streamsOf } from '../live/streams.ts'
import { followsFromOutcome, isNamed } from '../outcomes.ts'
import { section } from '../sections.ts'
import { name, type Viewing } from '../site.ts'
import { duration } from '../times.ts'
import { chance, labelWords, methodWords } from '../words.ts'
import { type CameraView, camerasOf, type FilmView, filmsOf } from './cameras.ts'
import { playerControls } from './controls.ts'
import { judgesCard } from './judges.ts'

/** Cameras shown at first; the others are a tap away. */
const shownAtFirst = 4

/** A winner with less of a chance is an upset. */
const upsetChance = 0.25

/** `2–1` of a best of several. */
const gamesText = ({ scoreToWin, red, blue }: Fight): Html | undefined => {
  const [less, more] = [red.score ?? 0, blue.score ?? 0].sort((a, b) => a - b)
  return scoreToWin > 1 && more ? html`<b>${more}–${less}</b> ` : undefined
}

/** Who won and how, where that may be shown. */
const verdict = (
  { showsOutcomes, href }: Viewing,
  { fight, cage: state, redChance }: FightView,
): Html | undefined => {
  if (fight.state === 'active')
    return html`<p class="verdict">In the cage now${state && html` ${clock(fight, state)}`}, <a href="${href('/live')}">live</a></p>`
  if (!showsOutcomes || !fight.isCompleted) return undefined
  const seconds = fightSeconds(fight)
  const how = [
    fight.winAnnotation === null ? undefined : html`by <b>${methodWords(fight.winAnnotation)}</b>`,
    seconds === null ? undefined : html`after <b>${duration(seconds)}</b>`,
  ]
  const winner = [fight.red, fight.blue].find(({ isWinner }) => isWinner)
  const winnerChance = redChance === undefined || winner === fight.red ? redChance : 1 - redChance
  const isUpset = winnerChance !== undefined && winnerChance < upsetChance
  return winner
    ? html`<p class="verdict">${name(winner.player.name)} won ${gamesText(fight)}${how[0]} ${how[1]}${isUpset ? html`, an <b>upset</b>` : undefined}</p>`
    : html`<p class="verdict">No winner${fight.winAnnotation === null ? undefined : html`: <b>${methodWords(fight.winAnnotation)}</b>`}</p>`
}

/** The chance of each corner before the fight, as of then. */
const chances = ({ fight, redChance }: FightView): Html | undefined =>
  redChance === undefined
    ? undefined
    : html`<p class="soft">Chance before the fight: ${name(fight.red.player.name)} <b>${chance(redChance)}</b>, ${name(fight.blue.player.name)} <b>${chance(1 - redChance)}</b></p>`

/** The verdict for a preview, where the link asks for it: `Axe won by KO. `. */
const outcomeText = ({ previewsOutcomes }: Viewing, fight: Fight): string => {
  const winner = [fight.red, fight.blue].find(({ isWinner }) => isWinner)
  if (!previewsOutcomes || !fight.isCompleted || !winner) return ''
  return `${winner.player.name} won${fight.winAnnotation === null ? '' : ` by ${fight.winAnnotation}`}. `
}

/** A file of medium size plays without script; the fragment starts it with the fight. */
const plainAddress = ({ files, offset }: CameraView): string => {
  const file = files.find(({ quality }) => quality === '360p') ?? files[0]
  const start = offset !== null && offset > 0 ? `#t=${offset}` : ''
  return `${file?.address}${start}`
}

/** `poster` is the address of a picture until there is film. */
const camera = (view: CameraView, poster?: string): Html => html`
    <figure class="camera${poster ? ' main' : ''}"${view.offset === null ? undefined : html` data-offset="${view.offset}"`}>
      <video controls muted playsinline preload="none"${poster && html` poster="${poster}"`} src="${plainAddress(view)}"${view.files.map(
        ({ quality, address }) => html` data-${quality}="${address}"`,
      )}></video>
      <figcaption><bdi>${view.name}</bdi></figcaption>
    </figure>`

/** Start, pauses and stop of a fight, in seconds from its start; the stop and what follows from it is an outcome. */
const momentsOf = (
  fight: Fight,
  showsOutcomes: boolean,
): readonly { readonly label: string; readonly seconds: number }[] => {
  const { startUnix, pauses } = fight
  const length = fightSeconds(fight)
  if (startUnix === null || !showsOutcomes) return []
  return [
    { label: 'Start', seconds: 0 },
    ...pauses.map((pause) => ({ label: 'Pause', seconds: pause.startUnix - startUnix })),
    ...pauses.flatMap(({ stopUnix }) =>
      stopUnix === null || stopUnix === fight.stopUnix
        ? []
        : [{ label: 'Goes on', seconds: stopUnix - startUnix }],
    ),
    ...(length === null ? [] : [{ label: 'Stop', seconds: length }]),
  ].sort((a, b) => a.seconds - b.seconds)
}

const momentList = (viewing: Viewing, fight: Fight): Html | undefined => {
  const moments = momentsOf(fight, viewing.showsOutcomes)
  if (moments.length === 0) return undefined
  const path = fightPath(fight)
  return html`
  <ul class="chips moments" aria-label="Moments">${moments.map(
    ({ label, seconds }) => html`
    <li><a href="${viewing.href(`${path}?t=${seconds}`)}" data-t="${seconds}">${label} <b>${duration(seconds)}</b></a></li>`,
  )}
  </ul>`
}

/**
 * Length of the seek bar where outcomes are hidden: longer than most recordings, as one that is as long as they are
 * tells how long the fight was.
 */
const unknownLength = ({ countdownSeconds }: Fight): number => (countdownSeconds ?? 180) + 120

/** Films of providers, whose players are loaded when they are pressed. */
const filmSection = (films: readonly FilmView[], isFirst: boolean): Html | undefined =>
  films.length === 0
    ? undefined
    : html`
<section class="films" aria-label="${isFirst ? 'Recordings' : 'Further films'}">
  <div class="stage">${films.map(
    (film, index) => html`
    <figure class="camera${isFirst && index === 0 ? ' main' : ''}" data-player="${film.player}">
      <a href="${film.page}"><span>Play <span class="quiet">${film.name} </span>on ${film.provider}</span></a>
      <figcaption><bdi>${film.name}</bdi></figcaption>
    </figure>`,
  )}
  </div>
</section>`

const videoSection = (
  viewing: Viewing,
  { fight, assets }: FightView,
  cameras: readonly CameraView[],
): Html => {
  if (cameras.length === 0) {
    return html`
<section class="empty"><p>No recording of this fight is available${
      fight.state === 'done' ? html`.` : html` yet. They follow soon after it is over.`
    }</p></section>`
  }
  const inStep = cameras.filter(({ offset }) => offset !== null)
  const apart = cameras.filter(({ offset }) => offset === null)
  const length = viewing.showsOutcomes ? fightSeconds(fight) : unknownLength(fight)
  // One of its own is painted half a second later.
  const poster = inlinedPicture(assets, 'poster.png')
  return html`${
    inStep.length === 0
      ? undefined
      : html`
<section class="watch" id="watch" aria-label="Recordings"${length === null ? undefined : html` data-length="${length}"`}>
  <div class="stage">${inStep.map((each, index) => camera(each, index === 0 ? poster : undefined))}
  </div>${playerControls(inStep, { shownAtFirst, moments: momentList(viewing, fight) })}
</section>`
  }${section(
    'others',
    'Recordings whose start is unknown',
    apart.length === 0
      ? undefined
      : html`
  <div class="stage">${apart.map((each) => camera(each))}
  </div>`,
  )}`
}

const isHidden = (viewing: Viewing, fight: Fight): boolean =>
  !viewing.showsOutcomes &&
  [fight.red, fight.blue].some((corner) => followsFromOutcome(fight, corner))

const cornerHeading = (viewing: Viewing, fight: Fight, side: 'red' | 'blue'): Html =>
  html`<span class="corner ${side}">${cornerName(viewing, fight, fight[side])}</span>`

const filmed = (cameras: number): string => {
  if (cameras === 0) return ''
  return cameras === 1 ? ', one camera' : `, ${cameras} cameras in step`
}

/** The fights before and after one among others; of one to come the last of them. */
const beside = (viewing: Viewing, fights: readonly Fight[], fight: Fight): Html | undefined => {
  const begun = fights
    .filter((each) => each.startUnix !== null && isNamed(viewing, each))
    .sort((a, b) => (a.startUnix ?? 0) - (b.startUnix ?? 0))
  const at = begun.includes(fight) ? begun.indexOf(fight) : begun.length
  const row = (when: string, near: Fight | undefined) =>
    near ? [fightRow(viewing, near, { when })] : []
  return rowList([...row('Before', begun[at - 1]), ...row('After', begun[at + 1])])
}

/** Fights to go on with: of the event, of each bot, and between the two. */
const others = (viewing: Viewing, { tournament, fight, meetings, bots }: FightView): Html => {
  const address = viewing.href(versusPath(fight.red.player, fight.blue.player))
  const near = section('near', 'More of the event', beside(viewing, tournament.fights, fight))
  if (isHidden(viewing, fight)) return html`${near}`
  return html`${near}${bots.map((bot) =>
    section(
      `more-${bot.cleanName}`,
      html`More of ${name(bot.name)}`,
      beside(viewing, shownFights(viewing, bot, bot.fights), fight),
    ),
  )}${section(
    'meetings',
    'Between the two',
    html`
  <p><a href="${address}">The two beside each other</a></p>${fightList(viewing, meetings)}`,
  )}`
}

/** What the page of a fight shows. */
export interface FightView {
  readonly tournament: Tournament
  readonly fight: Fight
  /** Other fights of its bots that may be named. */
  readonly meetings: readonly Fight[]
  readonly bots: readonly Bot[]
  readonly picture: string | undefined
  readonly assets: Assets
  /** When it began, else its scheduled time, and how far that is from now. */
  readonly moment: { readonly unix: number; readonly relative: string } | undefined
  /** With its expected start, while it waits in an event under way. */
  readonly waiting: Scheduled | undefined
  /** Chance of the red corner before it; undefined where nothing is said of it. */
  readonly redChance: number | undefined
  /** The state of its cage while the fight is in it. */
  readonly cage: CageState | undefined
}

/** One fight: its film from all cameras before everything else. */
export const watchPage = (viewing: Viewing, view: FightView): Page => {
  const { tournament, fight, picture, moment, waiting } = view
  const { info } = tournament
  const cameras = camerasOf(fight)
  const films = filmsOf(fight)
  const isFilmed = cameras.length + films.length > 0
  const streams = view.cage && streamsOf(viewing, view.assets, view.cage.cage)
  const names = isHidden(viewing, fight)
    ? `${fight.name} of ${info.name}`
    : `${fight.red.player.name} v ${fight.blue.player.name}`
  return {
    title: names,
    description: `${outcomeText(viewing, fight)}${fight.name} of ${info.name}${cameras.length === 0 && films.length > 0 ? ', with film' : filmed(cameras.length)}${
      moment ? `, ${viewing.times.dayText(moment.unix)}` : ''
    }.`,
    path: fightPath(fight),
    image:
      picture === undefined || isHidden(viewing, fight) ? undefined : { url: picture, alt: names },
    video: cameras.flatMap(({ files }) => files).find(({ quality }) => quality === '360p')?.address,
    canBeFramed: true,
    styles: ['watch.css'],
    modules: streams ? ['watch.js', 'live.js'] : ['watch.js'],
    media: [
      ...cameras.flatMap(({ files }) => files.map(({ address }) => address)),
      ...(streams?.hosts ?? []),
    ],
    connect: streams?.hosts,
    frames: films.map(({ player }) => player),
    body: html`${cameras.length === 0 ? undefined : videoSection(viewing, view, cameras)}${filmSection(films, cameras.length === 0)}
<section class="lead matchup" id="fight"${fight.state === 'done' ? undefined : html` data-live`}>
  <h1>${cornerHeading(viewing, fight, 'red')} <span class="v">v</span> ${cornerHeading(viewing, fight, 'blue')}</h1>${verdict(viewing, view)}${chances(view)}
  <p class="soft">${fight.roundName === '' ? undefined : html`${fight.roundName}, `}${labelWords(fight.name)}, ${eventLink(viewing, info)}${
    fight.cage === null ? undefined : html`, ${fight.cage}`
  }</p>${
    moment &&
    html`
  <p class="soft">${fight.startUnix === null ? 'Planned for ' : undefined}${viewing.times.full(moment.unix)}, ${moment.relative}</p>`
  }${waiting && expectedNote(viewing, waiting)}${
    fight.notice === '' || !viewing.showsOutcomes
      ? undefined
      : html`<p class="notice">${fight.notice}</p>`
  }
</section>${streams?.body}${isFilmed ? undefined : videoSection(viewing, view, cameras)}${
      viewing.showsOutcomes ? judgesCard(fight) : undefined
    }${others(viewing, view)}`,
  }
}
