/** Creates an element with properties and children; text is never parsed as markup. */
export const make = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

/** Shows a text if it differs: unchanged text causes no announcement and no layout. */
export const setText = (element: Element, text: string): void => {
  if (element.textContent !== text) element.textContent = text
}

/** Lines kept under a name; empty if the browser keeps nothing for this site, which throws on `storage` itself. */
export const read = (storage: () => Storage, name: string): readonly string[] => {
  try {
    return (storage().getItem(name) ?? '').split('\n').filter(Boolean)
  } catch {
    return []
  }
}
export const write = (storage: () => Storage, name: string, list: readonly string[]): void => {
  try {
    storage().setItem(name, list.join('\n'))
  } catch {
    // Storage is full or missing: the choice lasts as long as the page.
  }
}
/** Storage that tabs share. */
export const local = (): Storage => localStorage

/** Calls back now, and after each update of the page. */
export const whenShown = (show: () => void): void => {
  show()
  addEventListener('cageside-shown', show)
}
