/** Page of an event: the viewer's own bot in its lists and in the bracket, and the size of the drawing. */
import { local, make, read, whenShown, write } from './dom.ts'
import { readPage } from './refresh.ts'
import { update } from './update.ts'

const key = 'cageside-bot'
const zoomStep = 1.25
const minScale = 0.4

const plain = (text: string | null): string =>
  (text ?? '').normalize('NFKD').replace(/\p{M}/gu, '').trim().toLowerCase()

/** Games of the drawing, once it is loaded. */
let games: readonly { readonly game: SVGGElement; readonly names: readonly string[] }[] = []

/** Highlights the games for which `isOn` is true, and returns the last one. */
const light = (isOn: (name: string) => boolean): Element | undefined => {
  const lit = games.filter(({ game, names }) => {
    const isLit = names.some(isOn)
    game.classList.toggle('lit', isLit)
    return isLit
  })
  return lit.at(-1)?.game
}

/** A section with only fights of other bots says so. */
const sayNone = (section: Element): void => {
  section.querySelector('.none')?.remove()
  if (!section.querySelector('.fights') || section.querySelector('.fights > li:not(.other)')) return
  section.append(make('p', { className: 'none soft' }, 'No fight of this bot.'))
}

const input = document.querySelector<HTMLInputElement>('.mine input')
/** Shows only fights of bots with the text of the box, and their way through the bracket. */
const filter = (isTyped: boolean): void => {
  const text = plain(input?.value ?? '')
  const isOn = (name: string): boolean => text !== '' && name.includes(text)
  for (const section of document.querySelectorAll('main > section[id]')) {
    for (const row of section.querySelectorAll('.fights > li')) {
      const names = [...row.querySelectorAll('.corner bdi')]
      row.classList.toggle(
        'other',
        text !== '' && !names.some((each) => isOn(plain(each.textContent))),
      )
    }
    for (const round of section.querySelectorAll('details'))
      round.classList.toggle('other', text !== '' && !round.querySelector('li:not(.other)'))
    sayNone(section)
  }
  const last = light(isOn)
  if (isTyped) last?.scrollIntoView({ block: 'center', inline: 'center' })
}

const pan = document.querySelector<HTMLElement>('.pan')
const svg = pan?.querySelector('svg')
if (pan && svg) {
  const [, , width = 1, height = 1] = (svg.getAttribute('viewBox') ?? '').split(' ').map(Number)
  let bands: readonly SVGGElement[] = []
  let scale = 1
  /** Keeps the names of rounds at the top of the visible part. */
  const keepNames = (): void => {
    const top = pan.scrollTop / scale
    for (const band of bands) {
      const { top: first = 0, bottom: last = 0 } = band.dataset
      const by = Math.min(Math.max(top - Number(first), 0), Number(last) - Number(first))
      band.setAttribute('transform', `translate(0 ${by})`)
    }
  }
  const setScale = (wanted: number): void => {
    scale = Math.min(Math.max(wanted, minScale), 2)
    svg.setAttribute('width', String(width * scale))
    svg.setAttribute('height', String(height * scale))
    keepNames()
  }
  const fit = (): void => setScale(Math.min(1, pan.clientWidth / width))
  const zooms: Readonly<Record<string, () => void>> = {
    fit,
    in: () => setScale(scale * zoomStep),
    out: () => setScale(scale / zoomStep),
  }
  for (const button of document.querySelectorAll<HTMLElement>('[data-zoom]'))
    button.addEventListener('click', () => zooms[button.dataset.zoom ?? '']?.())
  const zoom = document.querySelector<HTMLElement>('.zoom')
  if (zoom) zoom.hidden = false
  fit()
  pan.classList.add('zoomed')
  pan.addEventListener('scroll', keepNames)
  const lightOf = ({ target }: Event): void => {
    const text = target instanceof Element ? target.closest('.game') : null
    const own = games.find(({ game }) => game === text)
    const names = new Set(own?.names)
    if (names.size > 0) light((name) => names.has(name))
    else filter(false)
  }
  for (const type of ['pointerover', 'focusin']) svg.addEventListener(type, lightOf)
  svg.addEventListener('pointerleave', () => filter(false))
  let shown = ''
  /** Loads the drawing as it is now. */
  const draw = async (): Promise<void> => {
    const { page } = await readPage(pan.dataset.drawing ?? '')
    const fresh = page?.querySelector('.bracket')
    if (!fresh || fresh.outerHTML === shown) return
    shown = fresh.outerHTML
    update(svg, fresh)
    games = [...svg.querySelectorAll<SVGGElement>('.game')].map((game) => ({
      game,
      names: [...game.querySelectorAll('.known, .winner:not(.score)')].map((each) =>
        plain(each.textContent),
      ),
    }))
    bands = [...svg.querySelectorAll<SVGGElement>('.rounds')]
    setScale(scale)
    filter(false)
  }
  // A phone shows the rounds instead, and no part of the drawing.
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      // A failure is retried with the next update.
      whenShown(() => draw().catch(() => undefined))
    },
    { rootMargin: '100000px' },
  )
  observer.observe(pan)
}

const label = input?.closest('label')
if (input && label) {
  label.hidden = false
  input.value = read(local, key)[0] ?? ''
  input.addEventListener('input', () => {
    write(local, key, [input.value])
    filter(true)
  })
  // Rows are added while the page is open.
  whenShown(() => filter(false))
}
