import Combobox from './combobox-nav.js'

const refreshMs = 10_000

const form = document.getElementById('search')
const input = document.getElementById('q')
const list = document.getElementById('suggestions')
const announcement = document.getElementById('announcement')
const combobox = new Combobox(input, list, { tabInsertsSuggestions: false })

let request = new AbortController()

const hide = () => {
  request.abort()
  if (list.hidden) return
  combobox.stop()
  list.hidden = true
  announcement.textContent = ''
}

/** Names are text: nothing here is parsed as markup. */
const option = ({ name, totalFights, weightClasses }, index) => {
  const item = document.createElement('li')
  item.id = `suggestion-${index}`
  item.role = 'option'
  item.dataset.name = name
  const shown = document.createElement('bdi')
  shown.textContent = name
  const detail = document.createElement('small')
  const fights = totalFights === 1 ? '1 fight' : `${totalFights} fights`
  detail.textContent = [fights, ...weightClasses.map((pounds) => `${pounds} lb`)].join(', ')
  item.append(shown, detail)
  return item
}

const show = (suggestions) => {
  if (suggestions.length === 0) return hide()
  list.replaceChildren(...suggestions.map(option))
  if (list.hidden) {
    list.hidden = false
    combobox.start()
  }
  announcement.textContent =
    suggestions.length === 1 ? '1 suggestion' : `${suggestions.length} suggestions`
}

const suggest = async () => {
  request.abort()
  const typed = input.value.trim()
  if (typed === '') return hide()
  request = new AbortController()
  const { signal } = request
  try {
    const query = new URLSearchParams({ q: typed })
    const response = await fetch(`${input.dataset.suggestions}?${query}`, { signal })
    const { suggestions = [] } = await response.json()
    if (!signal.aborted) show(suggestions)
  } catch {
    // Without suggestions the form still searches.
    if (!signal.aborted) hide()
  }
}

input.addEventListener('input', suggest)
input.addEventListener('blur', hide)
input.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || list.hidden) return
  // The first press closes the list, the next one clears the box.
  event.preventDefault()
  hide()
})
// A press on the list must not take the focus, which would close it before the click.
list.addEventListener('mousedown', (event) => event.preventDefault())
list.addEventListener('combobox-commit', ({ target }) => {
  input.value = target.dataset.name
  hide()
  form.requestSubmit()
})

const refreshCages = async () => {
  const shown = document.getElementById('cages')
  if (document.hidden || shown.contains(document.activeElement)) return
  try {
    const response = await fetch(form.action, { headers: { accept: 'text/html' } })
    if (!response.ok) return
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const current = page.getElementById('cages')
    if (current && current.innerHTML !== shown.innerHTML) shown.replaceWith(current)
  } catch {
    // The next round may reach the service again.
  }
}
setInterval(refreshCages, refreshMs)
