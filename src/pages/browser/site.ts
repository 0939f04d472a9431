/** What every page does beyond its markup: the viewer's times, live sections, pictures when seen. */

const format = (zone?: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    ...(zone === undefined ? {} : { timeZone: zone }),
  })

/** Adds the time of the viewer beside that of the event, where the two differ. */
const addLocalTimes = (within: ParentNode): void => {
  const local = format()
  for (const time of within.querySelectorAll<HTMLTimeElement>('time.full:not([title])')) {
    const date = new Date(time.dateTime)
    const text = local.format(date)
    time.title = text
    const [clock = ''] = /\d\d:\d\d/.exec(text) ?? []
    if (time.textContent?.includes(clock)) continue
    const small = document.createElement('small')
    small.textContent = ` (${text} for you)`
    time.append(small)
  }
}

/** Loads full-size pictures only when they are on screen. */
const watchPictures = (within: ParentNode): void => {
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLImageElement)) continue
      seen.unobserve(target)
      target.src = target.dataset.src ?? ''
      target.hidden = false
    }
  })
  for (const picture of within.querySelectorAll<HTMLImageElement>('img[data-src]')) {
    seen.observe(picture)
  }
}

const refreshMs = 10_000

/** Replaces what `data-live` marks by what the server sends now, unless somebody is using it. */
const refresh = async (): Promise<void> => {
  const shown = [...document.querySelectorAll('[data-live][id]')]
  if (document.hidden || shown.length === 0) return
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (!response.ok) return
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    for (const section of shown) {
      const current = page.getElementById(section.id)
      if (!current || section.contains(document.activeElement)) continue
      if (current.innerHTML === section.getAttribute('data-was')) continue
      const was = current.innerHTML
      section.replaceChildren(...current.childNodes)
      section.setAttribute('data-was', was)
      addLocalTimes(section)
    }
  } catch {
    // The next round may reach the service again.
  }
}

addLocalTimes(document)
watchPictures(document)
if (document.querySelector('[data-live]')) setInterval(() => void refresh(), refreshMs)

export {}
