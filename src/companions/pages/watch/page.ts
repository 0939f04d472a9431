import { findBotWithPicture } from '../../../api/bots/lookup.ts'
import { duration } from '../../../api/counted.ts'
import { isDrawn, isNamed } from '../../../api/fights/outcomes.ts'
import { fightWords } from '../../../api/fights/words.ts'
import type { CageState } from '../../../api/live/schema.ts'
import { fightPath, versusPath } from '../../../api/pagePaths.ts'
import { findChances } from '../../../api/ratings/lookup.ts'
import { findFight } from '../../../api/tournaments/lookup.ts'
import type { Fight } from '../../../data/league/types.ts'
import { fightSeconds } from '../../../derived/careers/bots.ts'
import { meetingsOf } from '../../../derived/careers/headToHead.ts'
import { shownFights } from '../bots/careers.ts'
import { clock, findCages } from '../cages.ts'
import { section } from '../elements.ts'
import { expectedNote, lateNote, scheduledNow, statusWords } from '../expected.ts'
import { cornerName, eventLink, fightList, fightRows } from '../fights.ts'
import { type Html, html, joined, type Part } from '../html.ts'
import type { Page } from '../layout.ts'
import { streamsOf } from '../live/following.ts'
import type { Asked } from '../respond.ts'
import { name, type Viewing } from '../site.ts'
import { chance, methodWords } from '../words.ts'
import { camerasOf, filmsOf } from './cameras.ts'
import { judgesCard } from './judges.ts'
import { filmSection, player, recordingsApart } from './video.ts'

/** A winner with a smaller chance is an upset. */
const upsetChance = 0.25

/** The bots of a fight, a picture of either, and their other fights against each other. */
const findBots = ({ archive, viewing }: Asked, fight: Fight) => {
  const found = [fight.red, fight.blue].flatMap(
    ({ player }) => findBotWithPicture(archive, player.cleanName) ?? [],
  )
  const [one, other] = found.map(({ bot }) => bot)
  const all = one && other && one !== other ? meetingsOf(one, other) : []
  const named = one && other ? shownFights(viewing, other, shownFights(viewing, one, all)) : []
  return {
    picture: found.find(({ picture }) => picture !== null)?.picture ?? undefined,
    meetings: named.filter((each) => each !== fight),
    bots: found.map(({ bot }) => bot),
  }
}

/** Place and expected start of a waiting fight in an event under way. */
const waitingNote = ({ archive, viewing }: Asked, fight: Fight): Part => {
  if (fight.state !== 'pending' || !fight.tournament.active) return undefined
  return scheduledNow(archive, [fight]).map((waiting) => {
    const note = expectedNote(viewing, waiting)
    return html`<p><b>${statusWords(waiting)}</b>, ${joined([waiting.cage ?? 'no cage yet', lateNote(viewing, fight)])}${note && html`: ${note}`}</p>`
  })
}

/** Score such as `2–1` in a best of several. */
const gamesText = ({ scoreToWin, red, blue }: Fight): Part => {
  const [less, more] = [red.score ?? 0, blue.score ?? 0].sort((a, b) => a - b)
  return scoreToWin > 1 && more && html`<b>${more}–${less}</b> `
}

const winnerOf = ({ red, blue }: Fight) => [red, blue].find(({ isWinner }) => isWinner)

/** Winner and method, if they may be shown; `red` is the chance of the red corner before the fight. */
const verdict = (
  { showsOutcomes, href }: Viewing,
  fight: Fight,
  { red, cage }: { readonly red?: number | null | undefined; readonly cage: CageState | undefined },
): Part => {
  if (fight.state === 'active')
    return html`<p>In the cage now${cage && html` ${clock(fight, cage)}, <a href="${href(`/live?cage=${cage.cageNumber}#cage-${cage.cageNumber}`)}">live</a>`}</p>`
  if (!showsOutcomes || !fight.isCompleted) return undefined
  const seconds = fightSeconds(fight)
  const how = fight.winAnnotation !== null && html`<b>${methodWords(fight.winAnnotation)}</b>`
  const length = seconds !== null && html`after <b>${duration(seconds)}</b>`
  const winner = winnerOf(fight)
  const isUpset = red != null && (winner === fight.red ? red : 1 - red) < upsetChance
  return winner
    ? html`<p>${name(winner.player.name)} won ${gamesText(fight)}${how && html`by ${how}`} ${length}${isUpset && html`, an <b>upset</b>`}</p>`
    : html`<p>No winner${how && html`: ${how}`}</p>`
}

/** The verdict for a preview, if the link asks for it: `Axe won by KO. `. */
const outcomeText = ({ previewsOutcomes }: Viewing, fight: Fight): string => {
  const winner = winnerOf(fight)
  if (!previewsOutcomes || !fight.isCompleted || !winner) return ''
  return `${winner.player.name} won${fight.winAnnotation === null ? '' : ` by ${fight.winAnnotation}`}. `
}

const isHidden = (viewing: Viewing, fight: Fight): boolean =>
  !viewing.showsOutcomes && !isDrawn(fight)

const cornerHeading = (viewing: Viewing, fight: Fight, side: 'red' | 'blue'): Html =>
  html`<span class="corner ${side}">${cornerName(viewing, fight, fight[side])}</span>`

/** The fights before and after one among others; for a coming fight, the last of them. */
const beside = (viewing: Viewing, fights: readonly Fight[], fight: Fight): Part => {
  const begun = fights
    .filter((each) => each.startUnix !== null && isNamed(viewing, each))
    .sort((a, b) => (a.startUnix ?? 0) - (b.startUnix ?? 0))
  const at = begun.includes(fight) ? begun.indexOf(fight) : begun.length
  const row = (when: string, near: Fight | undefined) => (near ? { when, fight: near } : [])
  return fightRows(viewing, [row('Before', begun[at - 1]), row('After', begun[at + 1])].flat())
}

/** Related fights: of the event, of each bot, and between the two. */
const others = (
  viewing: Viewing,
  fight: Fight,
  all: readonly Fight[],
  { meetings, bots }: ReturnType<typeof findBots>,
): Part => {
  const address = viewing.href(versusPath(fight.red.player, fight.blue.player))
  const near = section('near', 'More of the event', beside(viewing, all, fight))
  if (isHidden(viewing, fight)) return near
  return [
    near,
    bots.map((bot) =>
      section(
        `more-${bot.cleanName}`,
        html`More of ${name(bot.name)}`,
        beside(viewing, shownFights(viewing, bot, bot.fights), fight),
      ),
    ),
    section(
      'meetings',
      'Between the two',
      html`
  <p>${meetings.length === 0 && 'They have not met before. '}<a href="${address}">Compare the two</a></p>${fightList(viewing, meetings)}`,
    ),
  ]
}

/** Page of a fight: who fights and how it ended, then the film from all cameras, before everything else. */
export const watchPage = (
  asked: Asked<{ readonly tournamentID: string; readonly gameID: string }>,
): Page | string => {
  const { archive, viewing } = asked
  const found = findFight(archive, asked.params)
  if (!found) return 'fight'
  const { fight, tournament } = found
  const { info } = tournament
  const cameras = camerasOf(fight)
  const films = filmsOf(fight)
  const bots = findBots(asked, fight)
  // The cages are read only for a fight that is in one.
  const cages = fight.state === 'active' ? findCages(archive, viewing) : []
  const cage = cages.find(({ cage }) => cage.fight === fight)?.state
  const { player1WinProbability: red } = viewing.showsOutcomes ? findChances(archive)(fight) : {}
  const live = fight.state !== 'done' && html` data-live`
  const streams = cage && streamsOf(viewing, asked.assets, cage.cage)
  const hidden = isHidden(viewing, fight)
  const words = fightWords(fight)
  const title = hidden
    ? `${words} of ${info.name}`
    : `${fight.red.player.name} v ${fight.blue.player.name}`
  const unix = fight.startUnix ?? fight.scheduledUnix
  const filmed = [
    cameras.length === 0 && films.length > 0 && ', with film',
    cameras.length === 1 && ', one camera',
    cameras.length > 1 && `, ${cameras.length} cameras in step`,
    unix !== null && `, ${viewing.times.dayText(unix)}`,
  ]
  const [film, apart] = [player(asked, fight, cameras), recordingsApart(cameras)]
  const code = words !== fight.name && html` <small>${fight.name}</small>`
  const facts = [html`${words}${code}`, eventLink(viewing, info), fight.cage]
  return {
    title,
    description: `${outcomeText(viewing, fight)}${words} of ${info.name}${filmed.filter(Boolean).join('')}.`,
    path: fightPath(fight),
    image: bots.picture === undefined || hidden ? undefined : { url: bots.picture, alt: title },
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
    body: html`
<section class="lead matchup" id="fight"${live}>
  <h1>${cornerHeading(viewing, fight, 'red')} <span class="v">v</span> ${cornerHeading(viewing, fight, 'blue')}</h1>${waitingNote(asked, fight)}${verdict(viewing, fight, { red, cage })}
</section>${film || apart}${filmSection(films, cameras.length === 0)}
<section class="lead matchup" id="facts"${live}>
  <p class="soft">${joined(facts)}</p>${
    unix !== null &&
    html`
  <p class="soft">${fight.startUnix === null && 'Planned for '}${viewing.dated(unix)}</p>`
  }${
    red != null &&
    html`
  <p class="soft">Chance before the fight: ${name(fight.red.player.name)} <b>${chance(red)}</b>, ${name(fight.blue.player.name)} <b>${chance(1 - red)}</b></p>`
  }${fight.notice !== '' && viewing.showsOutcomes && html`<p class="notice">${fight.notice}</p>`}
</section>${streams?.body}${film && apart}${
      cameras.length + films.length === 0 &&
      html`
<section class="empty"><p>No recording of this fight is available${fight.state === 'done' ? '.' : ' yet. They follow soon after it is over.'}</p></section>`
    }${viewing.showsOutcomes && judgesCard(fight)}${others(viewing, fight, tournament.fights, bots)}`,
  }
}
