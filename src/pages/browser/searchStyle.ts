/**
 * Style of the component, in the system's colours. A page changes it by `::part(…)`: form, label, box, input,
 * button, list, option, name, match, detail.
 */
export const searchStyle = `
:host { display: block; color-scheme: inherit; font: inherit; }
form { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .5em; }
label { grid-column: 1 / -1; }
[part=box] { position: relative; }
input, button { box-sizing: border-box; font: inherit; }
input { width: 100%; padding: .5em .75em; }
button { padding: .5em 1em; }
[part=list] {
  position: absolute; z-index: 10; inset: calc(100% + .25em) auto auto 0; box-sizing: border-box;
  width: 100%; min-width: min(18em, 80vw); max-height: min(26em, 60vh); overflow: auto; overscroll-behavior: contain;
  padding: .25em; border: 1px solid GrayText; border-radius: .5em; background: Canvas; color: CanvasText;
  box-shadow: 0 .5em 1.5em #0003;
}
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
