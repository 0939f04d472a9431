import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import bcd, { type CompatStatement, type Identifier } from '@mdn/browser-compat-data'
import { parse } from 'acorn'
import ts from 'typescript'
import { searchStyle } from '../../../src/companions/pages/browser/searchStyle.ts'
import { assetNames, bundle, isAssetName } from '../../../src/companions/pages/bundle.ts'
import { projectFolder } from '../../process.ts'

const folder = join(projectFolder, 'src/companions/pages')
const readme = await Bun.file(join(folder, 'README.md')).text()

/** Oldest supported version of each browser of MDN's data, by the table of the README. */
const oldest = (
  [
    ['Chromium', ['chrome', 'chrome_android']],
    ['Safari', ['safari', 'safari_ios']],
    ['Firefox', ['firefox', 'firefox_android']],
  ] as const
).flatMap(([name, keys]) => {
  const [, version] = new RegExp(`^\\| ${name} ([\\d.]+) `, 'm').exec(readme) ?? []
  return keys.map((key) => ({ key, version: Number(version) }))
})

/** True if every supported browser has a feature under this name, without a setting. */
const isEverywhere = ({ support }: CompatStatement): boolean =>
  oldest.every(({ key, version }) =>
    [support[key] ?? []]
      .flat()
      .some(
        ({ version_added: since, version_removed: until, ...limits }) =>
          typeof since === 'string' &&
          Number.parseFloat(since.replace('≤', '')) <= version &&
          until === undefined &&
          !('flags' in limits || 'prefix' in limits || 'alternative_name' in limits),
      ),
  )

/** Names of the features that some supported browser lacks. */
const missing = (features: ReadonlyMap<string, CompatStatement | undefined>): string[] =>
  [...features].flatMap(([name, found]) => (found && !isEverywhere(found) ? name : [])).sort()

/** APIs that some supported browsers lack or have only under another name, and what the scripts do there. */
const guardedApis = {
  'CSSStyleSheet.CSSStyleSheet': 'search.ts adds a style element',
  'CSSStyleSheet.replaceSync': 'search.ts adds a style element',
  'Document.exitFullscreen': 'watch.ts offers no full screen',
  'Document.fullscreenElement': 'watch.ts offers no full screen',
  'Document.fullscreenEnabled': 'watch.ts offers no full screen',
  'Element.requestFullscreen': 'watch.ts offers no full screen',
  'ElementInternals.setFormValue': 'search.ts leaves the box empty when the viewer goes back',
  'HTMLElement.attachInternals': 'search.ts leaves the box empty when the viewer goes back',
  'Navigator.connection': 'watch.ts knows of no wish to save data',
  'Navigator.wakeLock': 'live.ts lets the screen sleep',
  'Notification.Notification': 'my.ts announces on the page',
  'Notification.permission': 'my.ts announces on the page',
  'Notification.requestPermission': 'my.ts announces on the page',
  'ShadowRoot.adoptedStyleSheets': 'search.ts adds a style element',
  'SharedWorker.SharedWorker': 'follow.ts uses a lock',
  'WakeLock.request': 'live.ts lets the screen sleep',
} as const

/** Everything that the modules of `browser/` use of the language's library and of the browser. */
const usedApis = (): ReadonlyMap<string, CompatStatement | undefined> => {
  const paths = [...new Bun.Glob('*.ts').scanSync(join(folder, 'browser'))]
  const program = ts.createProgram(
    paths.map((path) => join(folder, 'browser', path)),
    {
      target: ts.ScriptTarget.ESNext,
      lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      allowImportingTsExtensions: true,
      noEmit: true,
      strict: true,
      types: [],
    },
  )
  const checker = program.getTypeChecker()
  const isLibrary = (symbol: ts.Symbol | undefined): boolean =>
    symbol?.declarations?.some((each) =>
      program.isSourceFileDefaultLibrary(each.getSourceFile()),
    ) ?? false
  /** Names of a type and of all that it inherits from. */
  const namesOf = (type: ts.Type): readonly string[] => {
    if (type.isUnionOrIntersection()) return type.types.flatMap(namesOf)
    const { symbol } = checker.getApparentType(type)
    const declared = symbol && checker.getDeclaredTypeOfSymbol(symbol)
    const bases = declared?.isClassOrInterface() ? checker.getBaseTypes(declared) : []
    return symbol ? [symbol.name.replace('Constructor', ''), ...bases.flatMap(namesOf)] : []
  }
  const used = new Map<string, CompatStatement | undefined>()
  const note = (owners: readonly string[], member: string): void => {
    for (const owner of owners) {
      const within = [bcd.api[owner], bcd.javascript.builtins?.[owner]]
      const found = within
        .flatMap((each): (Identifier | undefined)[] => [each?.[member], each?.[`${member}_static`]])
        .find((each) => each?.__compat)
      if (found) used.set(`${owner}.${member}`, found.__compat)
      if (found) return
    }
  }
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) {
      if (isLibrary(checker.getSymbolAtLocation(node.name)))
        note(
          [node.expression.getText(), ...namesOf(checker.getTypeAtLocation(node.expression))],
          node.name.text,
        )
    } else if (ts.isBindingElement(node))
      note(
        namesOf(checker.getTypeAtLocation(node.parent)),
        (node.propertyName ?? node.name).getText(),
      )
    else if (ts.isObjectLiteralExpression(node)) {
      const names = namesOf(checker.getContextualType(node) ?? checker.getTypeAtLocation(node))
      for (const { name } of node.properties) note([...names, 'Element'], name?.getText() ?? '')
    } else if (ts.isNewExpression(node)) {
      const name = node.expression.getText()
      note([name], name)
    } else if (ts.isIdentifier(node) && isLibrary(checker.getSymbolAtLocation(node)))
      note(['Window'], node.text)
    ts.forEachChild(node, visit)
  }
  for (const file of program.getSourceFiles())
    if (file.fileName.startsWith(join(folder, 'browser'))) visit(file)
  return used
}

test('scripts use no API that a supported browser lacks, without a fallback', () => {
  const used = usedApis()
  expect(used.size).toBeGreaterThan(150)
  expect(missing(used)).toEqual(Object.keys(guardedApis))
})

/** Parts of style sheets that some supported browsers ignore, and how a page looks there. */
const ignoredStyles = {
  '(forced-colors': 'as the browser draws it with forced colours',
  ':fullscreen': 'the same, by the prefixed name that the bundler adds',
  ':has': 'lists and portraits in one column, empty boxes, a smaller margin above the focus',
  '@page': 'a bracket is printed upright',
  'accent-color': 'checkboxes in the colour of the system',
  'forced-color-adjust': 'without squares of the corners where colours are forced',
  outline: 'the corners of the focus are square',
  'overscroll-behavior': 'scrolling goes on in the page',
  'overscroll-behavior-x': 'scrolling goes on in the page',
  page: 'a bracket is printed upright',
  size: 'a bracket is printed upright',
  'text-wrap': 'lines of headings differ in length',
} as const

describe.each(assetNames.filter(isAssetName).filter((name) => name.endsWith('.js')))(
  '%s',
  (name) => {
    let text = ''
    beforeAll(async () => {
      text = new TextDecoder().decode(await bundle(name))
    })
    test('a bundled script has no syntax that a supported browser lacks', () => {
      const sourceType = name === 'early.js' ? 'script' : 'module'
      parse(text, { ecmaVersion: 2022, sourceType, allowAwaitOutsideFunction: false })
      // Safari 15.6 lacks static blocks, and lookbehinds before 16.4.
      expect(text).not.toMatch(/\bstatic\s*\{|\(\?<[=!]/)
    })
  },
)

/** Everything in a style sheet that MDN's data knows: properties, pseudo-classes, rules, conditions and units. */
const usedStyles = (text: string): ReadonlyMap<string, CompatStatement | undefined> => {
  const kinds = [
    ['', bcd.css.properties, /[{;]\s*([a-z][-a-z]*)\s*:/g],
    [':', bcd.css.selectors, /::?([a-z][-a-z]*)(?=[^;}]*\{)/g],
    ['@', bcd.css['at-rules'], /@([-a-z]+)/g],
    ['(', bcd.css['at-rules']?.media, /\(\s*([-a-z]+)\s*:/g],
    ['1', bcd.css.types?.length, /[\s:,(]-?[.\d]+([a-z]+)\b/g],
    ['()', bcd.css.types, /\b([a-z][-a-z]+)\(/g],
    ['()', bcd.css.types?.color, /\b([a-z][-a-z]+)\(/g],
  ] as const
  return new Map(
    kinds.flatMap(([mark, known, pattern]) =>
      [...text.matchAll(pattern)].map(
        ([, name = '']) => [mark + name, known?.[name]?.__compat] as const,
      ),
    ),
  )
}

test('style sheets need nothing that a supported browser lacks', async () => {
  const sheets = await Promise.all(
    assetNames
      .filter(isAssetName)
      .filter((name) => name.endsWith('.css'))
      .map(bundle),
  )
  const text = [...sheets.map((each) => new TextDecoder().decode(each)), searchStyle].join('\n')
  const used = usedStyles(text)
  expect(used.size).toBeGreaterThan(100)
  expect(missing(used)).toEqual(Object.keys(ignoredStyles))
  // Nested rules and layers would hide whole sheets.
  expect(text).not.toMatch(/&|@layer|@container/)
})
