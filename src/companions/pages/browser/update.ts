/**
 * Elements of another identity are replaced whole: links to another page, stars of another bot, another cage or board.
 */
const identityOf = (element: Element): string =>
  element.getAttribute('href') ?? element.getAttribute('data-star') ?? element.id

/** Keeps details opened or closed as the viewer left them. */
const updateAttributes = (old: Element, fresh: Element): void => {
  for (const { name } of [...old.attributes])
    if (name !== 'open' && !fresh.hasAttribute(name)) old.removeAttribute(name)
  for (const { name, value } of fresh.attributes)
    if (name !== 'open' && old.getAttribute(name) !== value) old.setAttribute(name, value)
}

const updateChildren = (old: Element, fresh: Element): void => {
  const children = [...fresh.childNodes]
  for (const [index, child] of children.entries()) {
    const own = old.childNodes[index]
    if (
      own instanceof Element &&
      child instanceof Element &&
      own.nodeName === child.nodeName &&
      identityOf(own) === identityOf(child)
    ) {
      updateAttributes(own, child)
      updateChildren(own, child)
    } else if (own?.isEqualNode(child)) continue
    else if (own) own.replaceWith(child.cloneNode(true))
    else old.append(child.cloneNode(true))
  }
  while (old.childNodes.length > children.length) old.lastChild?.remove()
}

/**
 * Updates a part of the page in place to match the server's. Elements in both stay, with their focus, scroll positions
 * and selections; nothing is moved out of the new part. The focus follows a link or a star that moved.
 */
export const update = (old: Element, fresh: Element): void => {
  const focused = old.contains(document.activeElement) ? document.activeElement : null
  updateAttributes(old, fresh)
  updateChildren(old, fresh)
  if (!focused || focused.isConnected) return
  ;[...old.querySelectorAll<HTMLElement>('a, button')]
    .find((each) => identityOf(each) === identityOf(focused))
    ?.focus({ preventScroll: true })
}
