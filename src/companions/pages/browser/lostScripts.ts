/** Factor of the delay, which grows with each attempt up to this one. */
const maxFactor = 10

/**
 * Loads scripts again that could not be loaded, because the service was away for a moment, or too many phones share an
 * address: without them a live page stays as it is. The delay is random, and the URL another one, because browsers keep
 * the failure of a module.
 */
export const reloadLostScripts = (): void =>
  addEventListener(
    'error',
    ({ target }) => {
      if (!(target instanceof HTMLScriptElement)) return
      const url = new URL(target.src)
      const attempt = Number(url.searchParams.get('attempt')) + 1
      url.searchParams.set('attempt', String(attempt))
      const script = document.createElement('script')
      script.type = 'module'
      script.src = url.href
      const waitMs = 2000 * (1 + Math.random()) * Math.min(attempt, maxFactor)
      setTimeout(() => target.replaceWith(script), waitMs)
    },
    // The event of an element does not bubble.
    true,
  )
