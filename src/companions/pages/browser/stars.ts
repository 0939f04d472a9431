import { local, make, read, write } from './dom.ts'

/** Stars of the viewer's own bots, whose clean names are kept in the browser. */
const key = 'cageside-bots'

let chosen: readonly string[] | undefined
export const myBots = (): readonly string[] => chosen ?? read(local, key)

const showStars = (within: ParentNode): void => {
  const mine = myBots()
  for (const star of within.querySelectorAll<HTMLElement>('[data-star]')) {
    star.hidden = false
    star.setAttribute('aria-pressed', String(mine.includes(star.dataset.star ?? '')))
  }
}

/** Adds a star after each link to a bot in a list; the board of a projector has no room for stars, and no input. */
export const addStars = (within: ParentNode): void => {
  for (const link of within.querySelectorAll(':is(li, td, th) a[href*="/b/"]:not(.board-page a)')) {
    const [, bot] = /\/b\/([a-z0-9]+)(?:\?|$)/.exec(link.getAttribute('href') ?? '') ?? []
    const next = link.nextElementSibling
    const isShown = next instanceof HTMLElement && next.dataset.star !== undefined
    if (!(link instanceof HTMLAnchorElement) || bot === undefined || isShown) continue
    const star = make('button', { type: 'button', className: 'star' })
    star.setAttribute('aria-label', `My bot: ${link.textContent}`)
    star.dataset.star = bot
    link.after(star)
  }
  showStars(within)
}

const bar = make('p', { className: 'offer' })
bar.setAttribute('role', 'status')
/** Links to the announcements of `/my` once a press added a bot; `/my` itself has them. */
const offer = (hasAdded: boolean): void => {
  const links = document.querySelectorAll<HTMLAnchorElement>('.top nav a:not([aria-current])')
  const my = [...links].find(({ pathname }) => pathname.endsWith('/my'))
  bar.replaceChildren()
  document.body.append(bar)
  if (my && hasAdded)
    bar.append('Added. ', make('a', { href: my.href }, 'Tell me when it is called'))
}

const choose = ({ target }: Event): void => {
  const star = target instanceof Element ? target.closest<HTMLElement>('[data-star]') : null
  const bot = star?.dataset.star
  if (bot === undefined) return
  const mine = myBots()
  chosen = mine.includes(bot) ? mine.filter((each) => each !== bot) : [...mine, bot]
  write(local, key, chosen)
  showStars(document)
  offer(chosen.includes(bot))
}

/** State of one module, because each module has a copy of this one. */
export const startStars = (): void => {
  addStars(document)
  addEventListener('click', choose)
  // Another tab changed the stars.
  addEventListener('storage', () => {
    chosen = undefined
    showStars(document)
  })
}
