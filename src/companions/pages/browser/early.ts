import { reloadLostScripts } from './lostScripts.ts'

/**
 * Runs before anything is shown. Keeps the choice to hide results, which is in the URL, and applies it to a page that
 * is opened without one, such as from a link in a chat.
 */
const key = 'cageside-spoilers'

const keepChoice = (): void => {
  const address = new URL(location.href)
  const given = address.searchParams.get('spoilers')
  if (given === '0') localStorage.setItem(key, given)
  else if (given !== null) localStorage.removeItem(key)
  else if (localStorage.getItem(key) === '0') {
    address.searchParams.set('spoilers', '0')
    location.replace(address)
  }
}

const tryToKeep = (): void => {
  try {
    keepChoice()
  } catch {
    // The browser has no storage for this site.
  }
}

reloadLostScripts()
tryToKeep()
// Parts that scripts take over have their place from the first paint on.
document.documentElement.classList.add('js')
// Nothing runs again when the viewer goes back to a page that the browser kept.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) tryToKeep()
})
