/** One's own bots: stars, kept in the browser, and announcements on `/my`. */
const key = 'cageside-bots'
const announcedKey = 'cageside-announced'

const read = (storage: Storage, name: string): readonly string[] => {
  try {
    return (storage.getItem(name) ?? '').split('\n').filter(Boolean)
  } catch {
    return []
  }
}
const write = (storage: Storage, name: string, list: readonly string[]): void => {
  try {
    storage.setItem(name, list.join('\n'))
  } catch {
    // The browser has no storage for this site.
  }
}

const showStars = (): void => {
  const mine = read(localStorage, key)
  for (const star of document.querySelectorAll<HTMLElement>('[data-star]')) {
    star.hidden = false
    star.ariaPressed = String(mine.includes(star.dataset.star ?? ''))
  }
}
addEventListener('click', ({ target }) => {
  const star = target instanceof Element ? target.closest<HTMLElement>('[data-star]') : null
  const bot = star?.dataset.star
  if (bot === undefined) return
  const mine = read(localStorage, key)
  write(
    localStorage,
    key,
    mine.includes(bot) ? mine.filter((each) => each !== bot) : [...mine, bot],
  )
  showStars()
})
addEventListener('storage', showStars)
addEventListener('cageside-shown', showStars)
showStars()

/** `/my` without a list is that of the browser. */
const page = document.querySelector<HTMLElement>('[data-my]')
const mine = read(localStorage, key)
if (page && page.dataset.list === undefined && mine.length > 0) {
  const address = new URL(page.dataset.my ?? '', location.href)
  address.searchParams.set('bots', mine.join(','))
  location.replace(address)
}

const button = document.querySelector<HTMLElement>('[data-announce]')
let audio: AudioContext | undefined

/** Two short tones. */
const sound = (): void => {
  if (!audio) return
  for (const [index, frequency] of [660, 880].entries()) {
    const tone = audio.createOscillator()
    const at = audio.currentTime + index * 0.2
    tone.frequency.value = frequency
    tone.connect(audio.destination)
    tone.start(at)
    tone.stop(at + 0.15)
  }
}

const notify = (text: string, tag: string): void => {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  try {
    new Notification('Cageside', { body: text, tag })
  } catch {
    // Chromium on Android shows notifications of service workers alone.
  }
}

/** Announces each call once, over reloads too; what is called already when it is asked for is not. */
const announce = (isFirst: boolean): void => {
  const known = read(sessionStorage, announcedKey)
  const found = [...document.querySelectorAll<HTMLElement>('[data-alert]')].filter(
    ({ dataset }) => !known.includes(dataset.alert ?? ''),
  )
  if (found.length === 0) return
  write(sessionStorage, announcedKey, [
    ...known,
    ...found.map(({ dataset }) => dataset.alert ?? ''),
  ])
  if (isFirst) return
  const status = document.querySelector('.announced')
  if (status) status.textContent = found.map(({ textContent }) => textContent).join('; ')
  sound()
  for (const { textContent, dataset } of found) notify(textContent ?? '', dataset.alert ?? '')
}

if (button) {
  button.hidden = false
  let isOn = false
  button.addEventListener('click', () => {
    isOn = !isOn
    button.ariaPressed = String(isOn)
    if (!isOn) return
    audio ??= new AudioContext()
    sound()
    if ('Notification' in globalThis) void Notification.requestPermission()
    announce(true)
  })
  addEventListener('cageside-shown', () => {
    if (isOn) announce(false)
  })
}

export {}
