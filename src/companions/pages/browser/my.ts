/** `/my`: the list of the browser, and announcements. */
import { local, read, setText, whenShown, write } from './dom.ts'
import { myBots } from './stars.ts'

const announcedKey = 'cageside-announced'
const onKey = 'cageside-announces'
const session = (): Storage => sessionStorage
const maxKept = 300

/** Set if the URL of `/my` has no list; the list of the browser is then opened. */
const page = document.querySelector<HTMLElement>('[data-my]')
const mine = myBots()
if (page && !new URLSearchParams(location.search).has('bots') && mine.length > 0) {
  const address = new URL(page.dataset.my ?? '', location.href)
  address.searchParams.set('bots', mine.join(','))
  location.replace(address)
}

const button = document.querySelector<HTMLElement>('[data-announce]')
let audio: AudioContext | undefined

const say = (text: string): void => {
  const status = document.querySelector('.announced')
  if (status) setText(status, text)
}

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
    // Chromium on Android shows only notifications of service workers.
  }
}

/** Asks whether notifications may be shown, and says how calls are announced otherwise. */
const askPermission = async (): Promise<void> => {
  const isAllowed =
    'Notification' in globalThis &&
    (await Notification.requestPermission().catch(() => 'denied')) === 'granted'
  say(
    `Keep this page open: calls are told here and by a sound${isAllowed ? ', and as notifications' : '. This browser shows no notifications of it'}.`,
  )
}

/** Works in a browser without storage, too. */
const announced = new Set<string>()

let isOn = read(session, onKey).length > 0
/** Set while this tab announces. */
let release: (() => void) | undefined
/** Lets one tab announce where the browser has locks; each tab announces on insecure pages, or if they are refused. */
const takeTurn = (isFirst: boolean): void => {
  let isWaiting = false
  const begin = (end: () => void): void => {
    release = end
    announce(isFirst && !isWaiting)
    if (!isOn) end()
  }
  const beginUnlocked = (): void => begin(() => undefined)
  if (!('locks' in navigator)) {
    beginUnlocked()
    return
  }
  setTimeout(() => {
    isWaiting = true
  }, 500)
  navigator.locks.request(onKey, () => new Promise<void>(begin)).catch(beginUnlocked)
}

/** Announces each call once, over reloads and tabs; calls that came before the request are not announced. */
const announce = (isFirst: boolean): void => {
  if (!isOn || !release) return
  for (const each of read(local, announcedKey)) announced.add(each)
  const found = [...document.querySelectorAll<HTMLElement>('[data-alert]')].filter(
    ({ dataset }) => !announced.has(dataset.alert ?? ''),
  )
  if (found.length === 0) return
  for (const { dataset } of found) announced.add(dataset.alert ?? '')
  write(local, announcedKey, [...announced].slice(-maxKept))
  if (isFirst) return
  say(found.map(({ textContent }) => textContent).join('; '))
  sound()
  for (const { textContent, dataset } of found) notify(textContent ?? '', dataset.alert ?? '')
}

if (button) {
  button.hidden = false
  // Announcements go on after a reload, but without a sound, which needs a press.
  button.setAttribute('aria-pressed', String(isOn))
  if (isOn) takeTurn(false)
  button.addEventListener('click', () => {
    isOn = !isOn
    write(session, onKey, isOn ? ['1'] : [])
    button.setAttribute('aria-pressed', String(isOn))
    release?.()
    release = undefined
    if (!isOn) return
    audio ??= new AudioContext()
    sound()
    void askPermission()
    takeTurn(true)
  })
  whenShown(() => announce(false))
}
