/** Style of the component, in the system's colours. The list is as wide as the form, which wraps in a narrow column. */
export const searchStyle = `
:host { display: block; color-scheme: inherit; font: inherit; }
form { position: relative; display: flex; flex-wrap: wrap; gap: .5em; }
label { flex: 0 0 100%; }
input, button { box-sizing: border-box; font: inherit; }
[part=box] { flex: 1 1 8em; min-width: 0; }
input { display: block; width: 100%; padding: .5em .75em; }
button { max-width: 100%; padding: .5em 1em; }
[part=list], [part~=empty] {
  position: absolute; z-index: 10; left: 0; right: 0; box-sizing: border-box; margin-top: .25em;
  max-height: min(26em, 60vh); overflow: auto; overscroll-behavior: contain;
  padding: .25em; border: 1px solid GrayText; border-radius: .5em; background: Canvas; color: CanvasText;
  box-shadow: 0 .5em 1.5em #0003;
}
[part~=empty] { padding: .75em; }
[part=list][hidden] { display: none; }
a {
  display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1em; align-items: baseline;
  padding: .5em .75em; border-radius: .375em; color: inherit; text-decoration: none; overflow-wrap: anywhere;
}
[part=names] { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
a[aria-selected=true], a:hover { background: Highlight; color: HighlightText; }
mark { background: none; color: inherit; font-weight: 700; text-decoration: underline; text-underline-offset: .2em; }
[part=status] { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`
