import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { writeSnapshot } from '../../src/data/source/snapshot.ts'
import { openBrowser, overflow, shoot, violations } from '../browser.ts'
import { hostileNames, loadPageLeague, withHostileNames } from '../pageLeague.ts'
import { temporaryFolder } from '../process.ts'
import { addressings, type RunningSite, startSite } from '../site.ts'
import { until } from '../until.ts'

const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 6 4"><rect width="6" height="4" fill="#456"/></svg>`

/**
 * The site in a real browser, over a league of hostile names. Chromium is a package of the system, so this
 * file is not among those that `bun run test` finds. SCREENSHOTS=FOLDER keeps pictures of it.
 */
describe.each(addressings)('the site with %s', (addressing) => {
  let site: RunningSite
  const browser = openBrowser()

  beforeAll(async () => {
    const league = withHostileNames(await loadPageLeague())
    const snapshot = join(await temporaryFolder(), 'hostile.cageside')
    await writeSnapshot(snapshot, {
      capturedAt: league.now,
      tournaments: league.tournaments,
      ...league.cages,
    })
    site = await startSite(addressing, { SNAPSHOT: snapshot })
  })
  afterAll(() => site.stop())

  const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await browser.newPage(options)
    await page.context().route(
      ({ hostname }) => hostname === 'media.example',
      (route) => route.fulfill({ contentType: 'image/svg+xml', body: picture }),
    )
    return page
  }
  const open = async (path = '/', options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await newPage(options)
    await page.goto(`${site.url}${path}`)
    return page
  }
  const suggestions = (page: Page) => page.getByRole('listbox').getByRole('option')
  /** Types a text, so that the box holds `whole`, and waits for its suggestions. */
  const type = async (page: Page, text: string, whole = text) => {
    await page.getByRole('combobox').focus()
    const answered = page.waitForResponse(
      (response) => new URL(response.url()).searchParams.get('q') === whole,
    )
    await page.keyboard.type(text)
    await answered
    await suggestions(page).first().waitFor()
  }
  const paths = {
    home: '/',
    found: '/?q=ember',
    bot: '/b/emberstorm12',
    longest: `/b/${'w'.repeat(300)}`,
    versus: '/vs/emberstorm12/imgsrcxonerroralert10',
    events: '/e',
    double: '/e/092633de6e3593b1',
    live: '/e/30ffa53072bfab19',
    fight: '/w/30ffa53072bfab19/EX-55f9a829117f61fa',
    cages: '/live',
    overlays: '/overlay',
    my: '/my?bots=emberstorm12',
    stats: '/stats',
    usage: '/usage',
    embed: '/embed',
    missing: '/b/nobody',
    // The browser keeps the last choice.
    hidden: '/e/30ffa53072bfab19?spoilers=0',
  } as const

  const all = Object.values(paths)
  /** Checks the frame of every page: the search box, its style, and links within the site. */
  const expectFrame = async (page: Page, path: string): Promise<void> => {
    expect([path, await page.locator('cageside-search').count()]).toEqual([path, 1])
    const isStyled = `getComputedStyle(document.querySelector('header.top')).borderBottomWidth`
    expect([path, await page.evaluate(isStyled)]).toEqual([path, '4px'])
    const links = await page
      .locator('header.top a, footer.bottom a')
      .evaluateAll((found) => found.map((each) => each.getAttribute('href') ?? ''))
    expect(links.length).toBeGreaterThan(6)
    for (const link of links) {
      const { href } = new URL(link.replace(/^webcal/, 'http'), page.url())
      expect([path, link, href.startsWith(site.url)]).toEqual([path, link, true])
    }
    await page.getByRole('combobox', { name: 'Find a bot or event' }).waitFor()
  }

  // These pages share the box, which is tried on pages with each kind of script.
  const searched: readonly string[] = [paths.home, paths.live, paths.cages, paths.missing]
  // The frames without a setting are checked below.
  const walked = addressing === 'no setting' ? searched : all
  test('search, files and navigation work on every page', async () => {
    const page = await newPage()
    for (const path of walked) {
      await page.goto(`${site.url}${path}`)
      await expectFrame(page, path)
      if (!searched.includes(path)) continue
      await page.getByRole('combobox').fill('')
      await type(page, 'emb')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\?q=emb(&|$)/)
      expect(page.url()).toStartWith(`${site.url}/?q=emb`)
    }
    await page.context().close()
  })

  test('a touch chooses, Enter without a choice searches, leaving closes the list', async () => {
    const page = await open('/', { hasTouch: true, viewport: { width: 390, height: 700 } })
    await type(page, 'ember')
    await page.keyboard.press('Tab')
    expect(await page.getByRole('listbox').isVisible()).toBe(false)
    await page.getByRole('combobox').fill('emb')
    const chosen = suggestions(page).first()
    await chosen.waitFor()
    const address = await chosen.getAttribute('href')
    await chosen.tap()
    await page.waitForURL(String(address))
    await page.getByRole('combobox').fill('ember')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Found for “ember”' }).waitFor()
    await page.context().close()
  })

  /** A page of another site with the search box. */
  const openElsewhere = async (markup: string) => {
    const other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () =>
        new Response(
          `<!doctype html><title>Other</title>
           <script type="module" src="${site.url}/assets/search.js"></script>${markup}`,
          { headers: { 'content-type': 'text/html' } },
        ),
    })
    const page = await newPage()
    await page.route('**/favicon.ico', (route) => route.fulfill({ body: '' }))
    await page.goto(other.url.href)
    return {
      page,
      address: other.url.href,
      close: async () => {
        await page.context().close()
        await other.stop(true)
      },
    }
  }

  test('the search box works on another site, and raises events for choice and text', async () => {
    const { page, address, close } = await openElsewhere(`
      <cageside-search api=""></cageside-search>
      <script>
        document.addEventListener('cageside-select', (event) => {
          event.preventDefault(); document.title = event.detail.cleanName })
        document.addEventListener('cageside-submit', (event) => {
          if (event.detail.query !== 'free') event.preventDefault()
          document.title = 'sent ' + event.detail.query })
      </script>`)
    await type(page, 'ember')
    expect(await suggestions(page).first().getAttribute('href')).toStartWith(`${site.url}/b/ember`)
    await suggestions(page).first().click()
    await page.waitForFunction(`document.title.startsWith('ember')`)
    expect(await page.getByRole('listbox').isVisible()).toBe(false)
    await page.getByRole('combobox').fill('ember st')
    await suggestions(page).first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForFunction(`document.title === 'sent ember st'`)
    expect(await page.getByRole('listbox').isVisible()).toBe(false)
    expect(page.url()).toBe(address)
    await page.getByRole('combobox').fill('free')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${site.url}/?q=free`)
    await close()
  })

  test('pages work without scripts', async () => {
    const page = await open('/', { javaScriptEnabled: false })
    expect(await page.getByRole('heading', { name: 'Under way' }).isVisible()).toBe(true)
    await page.getByRole('searchbox').fill('ember')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'Ember' }).first().click()
    await page.waitForURL(`${site.url}/b/*`)
    await page.getByRole('link', { name: 'Hide results' }).click()
    await page.getByRole('link', { name: 'Events' }).click()
    await page.waitForURL(`${site.url}/e?spoilers=0`)
    await page.context().close()
  })

  test('pages keep the choice to hide results', async () => {
    const page = await open('/e?spoilers=0')
    await page.goto(`${site.url}/stats`)
    await page.waitForURL('**/stats?spoilers=0')
    expect(await page.getByRole('heading', { name: 'Leaderboards' }).count()).toBe(0)
    await page.getByRole('banner').getByRole('link', { name: 'Show results' }).click()
    // The page keeps the choice when it is opened.
    await page.waitForURL('**/stats?spoilers=1')
    await page.goto(`${site.url}/stats`)
    await page.getByRole('heading', { name: 'Leaderboards' }).waitFor()
    expect(page.url()).toBe(`${site.url}/stats`)
    await page.context().close()
  })

  test('a program for calendars subscribes by a link', async () => {
    const page = await open('/e/092633de6e3593b1')
    const links = await page.getByRole('link', { name: 'add to yours' }).all()
    const calendars = ['/e/092633de6e3593b1/fights.ics', '/events.ics']
    expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual(
      calendars.map((path) => site.url.replace(/^http/, 'webcal') + path),
    )
    await page.context().close()
  })

  test('pages copy URLs, or offer them if the browser keeps its clipboard', async () => {
    const page = await newPage()
    await page.addInitScript(`
      globalThis.copied = []
      navigator.clipboard.writeText = async (text) => { copied.push(text) }
      globalThis.prompt = (_, text) => { copied.push('offered ' + text) }`)
    await page.clock.install()
    await page.goto(`${site.url}/overlay`)
    const button = page.getByRole('button', { name: 'Copy the address' }).first()
    await button.click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    await page.clock.runFor(2500)
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject()')
    await button.click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const address = `${site.url}/overlay`
    expect(await page.evaluate('copied')).toEqual([
      expect.stringContaining(address),
      expect.stringContaining(`offered ${address}`),
    ])
    await page.goto(`${site.url}${paths.double}?a=1&b=2`)
    await page.locator('[data-copy-frame]').click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('copied[0]')).toStartWith(
      `<iframe src="${site.url}${paths.double}?a=1&amp;b=2"`,
    )
    await page.context().close()
  })

  // Layouts do not depend on URLs.
  const onlyOnce = <View>(views: readonly View[]) => (addressing === 'no setting' ? views : [])

  const views = [
    { width: 320, colorScheme: 'dark', shown: all, rules: undefined },
    {
      width: 1440,
      colorScheme: 'light',
      shown: [paths.home, paths.bot, paths.live, paths.stats, paths.usage],
      rules: ['color-contrast'],
    },
    { width: 3840, colorScheme: 'dark', shown: [paths.home, paths.double, paths.stats], rules: [] },
  ] as const
  test.each(onlyOnce(views))('pages fit $width px in $colorScheme, accessibly', async (view) => {
    const { width, colorScheme, shown, rules } = view
    const page = await newPage({ viewport: { width, height: 900 }, colorScheme })
    for (const path of shown) {
      const response = await page.goto(`${site.url}${path}`)
      expect([path, response?.status()]).toEqual([path, path === paths.missing ? 404 : 200])
      expect([path, await overflow(page)]).toEqual([path, 0])
      // The drawing of the other event has the same kinds of elements, but fewer.
      if (rules?.length !== 0 && path !== paths.double) {
        expect([path, await violations(page, rules)]).toEqual([path, []])
      }
      await shoot(page, `${path.replaceAll('/', '-').slice(0, 40)}-${width}`)
    }
    await page.goto(site.url)
    await type(page, 'a')
    await page.keyboard.press('ArrowDown')
    expect(await overflow(page)).toBe(0)
    if (rules?.length !== 0) expect(await violations(page, rules)).toEqual([])
    await page.context().close()
  })

  /** Starts of pressed elements with another one 20 px from their middle. */
  const missedTargets = `[...document.querySelectorAll(
    '.brand, .eye, nav a, .chips a, .chips button, .bottom button, summary, .buttons button, .star, .form a, .camera > button')]
  .filter((each) => each.checkVisibility() && each.getBoundingClientRect().width > 2)
  .flatMap((each) => {
    each.scrollIntoView({ block: 'center', behavior: 'instant' })
    const { x, y, width, height } = each.getBoundingClientRect()
    return [[0, -20], [0, 20], [-20, 0], [20, 0]]
      .map(([right, down]) => [x + width / 2 + right, y + height / 2 + down])
      .filter(([left, top]) => !each.contains(document.elementFromPoint(left, top)))
      .map(() => each.outerHTML.slice(0, 80))
  })`
  /** Rules of style sheets that a page lacks although it has an element for them. */
  const missingRules = `(async () => {
    const own = new Set([...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).map(({ cssText }) => cssText))
    const found = []
    for (const name of ['bracket', 'watch', 'live']) {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync(await (await fetch('/assets/' + name + '.css')).text())
      for (const { selectorText, cssText } of sheet.cssRules)
        if (selectorText && !own.has(cssText) && document.querySelector(selectorText.replace(/::[-\\w]+|:(hover|focus-visible)/g, '')))
          found.push(name + ': ' + selectorText)
    }
    return found
  })()`
  test.each(
    onlyOnce([
      { name: 'a phone', hasTouch: true, width: 390, shown: all },
      {
        name: 'a screen',
        hasTouch: false,
        width: 1280,
        shown: [paths.home, paths.bot, paths.live, paths.fight, paths.my],
      },
    ]),
  )(
    'pages on $name do not move when the scripts take over, and have their frame and style',
    async (view) => {
      const { width, hasTouch, shown } = view
      const page = await newPage({
        viewport: { width, height: 844 },
        timezoneId: 'UTC',
        hasTouch,
        isMobile: hasTouch,
      })
      await page.addInitScript(`globalThis.moved = []
      new PerformanceObserver((list) => moved.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })`)
      const painted = `new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))`
      let hold = Promise.withResolvers<void>()
      await page.route('**/assets/*.js', async (route) => {
        await hold.promise
        await route.continue()
      })
      for (const path of shown) {
        hold = Promise.withResolvers()
        await page.goto(`${site.url}${path}`, { waitUntil: 'commit' })
        await page.locator('footer.bottom').waitFor()
        await page.evaluate(painted)
        hold.resolve()
        await page.waitForLoadState()
        await page.evaluate(painted)
        // Chromium's own controls in a film are no nodes of the page, and may cover it.
        const moved = await page.evaluate(`moved
        .filter(({ value }) => value > 0.002)
        .flatMap(({ sources }) => sources)
        .filter(({ node, currentRect: { x, y, width, height } }) => node ||
          !document.elementsFromPoint(x + width / 2, y + height / 2).some(({ localName }) => localName === 'video'))
        .map(({ node }) => node?.outerHTML?.slice(0, 80) ?? 'what is gone')`)
        expect([path, moved]).toEqual([path, []])
        expect([path, await page.evaluate(missingRules)]).toEqual([path, []])
        await expectFrame(page, path)
        if (hasTouch) expect([path, await page.evaluate(missedTargets)]).toEqual([path, []])
      }
      await page.goto(`${site.url}/live?board=1`)
      expect(await page.evaluate(missingRules)).toEqual([])
      await page.context().close()
    },
  )

  test('names are text in the page and in suggestions', async () => {
    const page = await open('/e/092633de6e3593b1')
    const text = await page.evaluate('document.body.innerText')
    expect(String(text)).toContain(hostileNames[0])
    expect(await page.locator('img[onerror], body script').count()).toBe(0)
    await type(page, 'imgsrc')
    expect(await suggestions(page).first().locator('bdi').first().textContent()).toStartWith(
      hostileNames[0],
    )
    expect(await suggestions(page).locator('img').count()).toBe(0)
    await page.context().close()
  })

  test('the search box suggests by keyboard, with mistakes, like the combobox pattern', async () => {
    const page = await open()
    const box = page.getByRole('combobox')
    expect(await box.getAttribute('aria-expanded')).toBe('false')
    await type(page, 'embre')
    expect(await box.getAttribute('aria-expanded')).toBe('true')
    expect(await box.getAttribute('aria-activedescendant')).toBeNull()
    await page.keyboard.press('ArrowDown')
    const first = suggestions(page).first()
    expect(await box.getAttribute('aria-activedescendant')).toBe(await first.getAttribute('id'))
    expect(await first.getAttribute('aria-selected')).toBe('true')
    expect(await first.textContent()).toContain('Ember')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('listbox').isVisible()).toBe(false)
    expect(await box.inputValue()).toBe('embre')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await type(page, 'er st', 'ember st')
    expect(await suggestions(page).first().locator('mark').count()).toBeGreaterThan(0)
    await page.keyboard.press('ArrowDown')
    const address = await suggestions(page).first().getAttribute('href')
    await page.keyboard.press('Enter')
    await page.waitForURL(String(address))
    await page.goBack()
    expect(await page.getByRole('listbox').isVisible()).toBe(false)
    await page.goForward()
    expect(page.url()).toBe(String(address))
    await page.context().close()
  })

  test('nothing on a page covers the focus, on the way back too', async () => {
    const page = await newPage({ viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' })
    const covering = `(() => {
      const own = document.activeElement
      const { x, y, height } = own.getBoundingClientRect()
      const over = document.elementFromPoint(x + 1, y + height / 2)?.closest('.tabs, .stage')
      return over && !over.contains(own) ? own.outerHTML : ''
    })()`
    for (const path of [paths.double, paths.fight]) {
      await page.goto(`${site.url}${path}`)
      for (const key of ['Tab', 'Shift+Tab'])
        for (let press = 0; press < 60; press += 1) {
          await page.keyboard.press(key)
          expect([path, key, press, await page.evaluate(covering)]).toEqual([path, key, press, ''])
        }
    }
    await page.context().close()
  })

  test('/ and Ctrl-K focus the search box, which keeps its text on the way back', async () => {
    const page = await open('/e')
    for (const keys of ['/', 'Control+k']) {
      await page.keyboard.press(keys)
      expect(await page.evaluate('document.activeElement.localName')).toBe('cageside-search')
      await page.keyboard.press('/')
      expect(await page.getByRole('combobox').inputValue()).toBe('/')
      await page.getByRole('combobox').fill('')
      await page.evaluate('document.activeElement.blur()')
    }
    await type(page, 'emb')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=emb/)
    await page.goBack()
    const box = page.getByRole('combobox')
    expect(await box.inputValue()).toBe('emb')
    await box.blur()
    await box.focus()
    await suggestions(page).first().waitFor()
    await page.context().close()
  })

  test('the search box sends one request at a time, nothing known, and shows the latest answer', async () => {
    const page = await open()
    const asked: string[] = []
    let [underWay, most] = [0, 0]
    const first = Promise.withResolvers<void>()
    await page.route('**/autocomplete?*', async (route) => {
      const q = new URL(route.request().url()).searchParams.get('q') ?? ''
      asked.push(q)
      underWay += 1
      most = Math.max(most, underWay)
      if (q === 'e') await first.promise
      underWay -= 1
      await route.continue().catch(() => undefined)
    })
    await page.getByRole('combobox').focus()
    await page.keyboard.type('emb')
    await until(() => asked.length > 0)
    expect(asked).toEqual(['e'])
    const answered = page.waitForResponse(/q=emb&/)
    first.resolve()
    await answered
    await suggestions(page).first().waitFor()
    await page.keyboard.press('Backspace')
    await page.keyboard.type('b')
    expect(most).toBe(1)
    expect(new Set(asked).size).toBe(asked.length)
    expect((await suggestions(page).allTextContents()).join()).toContain('Ember')
    // A selection made before an answer arrives is kept.
    const late = Promise.withResolvers<void>()
    await page.route(/q=embe&/, async (route) => {
      await late.promise
      await route.continue()
    })
    await page.keyboard.type('e')
    await page.keyboard.press('ArrowDown')
    const selected = page.getByRole('listbox').locator('[aria-selected=true]')
    const address = await selected.getAttribute('href')
    late.resolve()
    await suggestions(page)
      .locator('mark')
      .getByText(/^embe$/i)
      .first()
      .waitFor()
    expect(await selected.getAttribute('href')).toBe(address)
    await page.context().close()
  })

  test('attributes of the search box may change, and older answers are not shown', async () => {
    const { page, close } = await openElsewhere('<cageside-search></cageside-search>')
    await page.evaluate(`(() => {
      const box = document.querySelector('cageside-search')
      box.setAttribute('label', 'Bots')
      box.setAttribute('placeholder', 'Name')
      box.setAttribute('spoilers', '0')
      box.setAttribute('kind', 'tournament')
    })()`)
    const box = page.getByRole('combobox', { name: 'Bots' })
    expect(await box.getAttribute('placeholder')).toBe('Name')
    expect(await page.getByRole('search').count()).toBe(1)
    const typing = ['autocapitalize', 'autocomplete', 'spellcheck', 'enterkeyhint', 'maxlength']
    expect(await Promise.all(typing.map((name) => box.getAttribute(name)))).toEqual([
      ...['off', 'off', 'false', 'search', '64'],
    ])
    await type(page, 'alert')
    expect(await suggestions(page).first().getAttribute('href')).toMatch(/\/e\/.*\?spoilers=0$/)
    const set = (name: string, value: string): Promise<unknown> =>
      page.evaluate(`document.querySelector('cageside-search').setAttribute('${name}', '${value}')`)
    for (const [key, leave] of [
      ['s', () => box.blur()],
      ['x', () => set('kind', 'bot')],
    ] as const) {
      const late = Promise.withResolvers<void>()
      const own = new RegExp(`${key}&`)
      await page.route(own, async (route) => {
        await late.promise
        await route.continue({
          url: route
            .request()
            .url()
            .replace(/alert[sx]+/, 'alert'),
        })
      })
      await box.focus()
      const asked = page.waitForRequest(own)
      await page.keyboard.type(key)
      await asked
      await leave()
      const answered = page.waitForEvent('requestfinished')
      late.resolve()
      await answered
      await page.evaluate('new Promise((done) => setTimeout(done, 50))')
      expect([key, await suggestions(page).count()]).toEqual([key, 0])
    }
    await page.evaluate(`document.querySelector('cageside-search').removeAttribute('spoilers')`)
    await box.fill('')
    await type(page, 'ember')
    expect(await suggestions(page).first().getAttribute('href')).toMatch(/\/b\/ember[^?]*$/)
    await set('spoilers', '0')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${site.url}/?q=ember&spoilers=0`)
    await close()
  })

  test.each([90, 160, 320])(
    'the search box stays within a column of %d px, and says when nothing is found',
    async (width) => {
      const { page, close } = await openElsewhere(
        `<div style="width: ${width}px; margin-left: auto"><cageside-search></cageside-search></div>`,
      )
      await page.setViewportSize({ width: 400, height: 700 })
      await type(page, 'e')
      expect(await overflow(page)).toBe(0)
      const parts = await page.evaluate(`(() => {
      const host = document.querySelector('cageside-search')
      const { left, right } = host.getBoundingClientRect()
      return [...host.shadowRoot.querySelectorAll('[part~=list], input, button, [part~=empty]')]
        .map((each) => [each, each.getBoundingClientRect()])
        .filter(([, box]) => box.width > 0 && (box.left < left - 1 || box.right > right + 1))
        .map(([{ outerHTML }]) => outerHTML)
    })()`)
      expect(parts).toEqual([])
      await page.getByRole('combobox').fill('xqzkwv')
      await page.getByText('Nothing found').waitFor()
      expect(await page.getByRole('status').textContent()).toBe('Nothing found')
      expect(await overflow(page)).toBe(0)
      await shoot(page, `column-${width}`)
      await page.getByRole('combobox').blur()
      expect(await page.getByText('Nothing found').count()).toBe(0)
      await close()
    },
  )

  test('the search box suggests no outcome, and pages without any, if they are hidden', async () => {
    const page = await open('/?spoilers=0')
    await type(page, 'ember imgsrc')
    const all = await suggestions(page).all()
    expect(all.length).toBeGreaterThan(1)
    for (const each of all) {
      expect(await each.getAttribute('href')).toEndWith('?spoilers=0')
      expect(await each.locator('small').textContent()).not.toContain('fight')
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(/[?&]spoilers=0/)
    await page.context().close()
  })

  test('a page that the browser kept applies the choice on the way back', async () => {
    const page = await open('/stats')
    await page.evaluate(`localStorage.setItem('cageside-spoilers', '0')`)
    await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
    await page.waitForURL(/spoilers=0/)
    await page.context().close()
  })

  test('pages show the times of the viewer next to the times of the event', async () => {
    const page = await open('/e/092633de6e3593b1', { timezoneId: 'America/New_York' })
    const text = await page.locator('time.full').first().textContent()
    const [, hour, , own] = /(\d\d):(\d\d) UTC \(Sat,? (\d\d):\2 for you\)/.exec(text ?? '') ?? []
    expect(Number(own)).toBe(Number(hour) - 5)
    /** The first row of a bot with its day and clock. */
    const whenOf = async (shown: Page) => {
      await shown.goto(`${site.url}/b/emberstorm12`)
      const row = shown.locator('#fights .when').first()
      return {
        text: (await row.textContent()) ?? '',
        titles: await row.locator('time').evaluateAll((all) => all.map(({ title }) => title)),
      }
    }
    const zone = page.locator('#zone')
    const there = await open('/e/092633de6e3593b1', { timezoneId: 'UTC' })
    expect(await there.locator('time.full small, time[title]').count()).toBe(0)
    const venue = await whenOf(there)
    expect([venue.titles, await there.locator('#zone').textContent()]).toEqual([['', ''], 'UTC'])
    await page.goto(`${site.url}/b/emberstorm12`)
    const mine = await whenOf(page)
    const hours = (text: string): number => Number(/(\d\d):\d\d/.exec(text)?.[1])
    expect(hours(mine.text)).toBe((hours(venue.text) + 19) % 24)
    expect(mine.titles).toContain(`${/\d\d:\d\d/.exec(venue.text)?.[0]} at the event`)
    expect(await zone.textContent()).toBe('America/New_York (yours; UTC at the events)')
    await page.context().close()
    // Far enough away for another day.
    const far = await open('/', { timezoneId: 'Pacific/Auckland' })
    const later = await whenOf(far)
    expect(later.titles.every((title) => title.endsWith(' at the event'))).toBe(true)
    await far.goto(`${site.url}/overlay/next`)
    expect(await far.locator('time[title]').count()).toBe(0)
    await Promise.all([there.context().close(), far.context().close()])
  })

  test('the bracket zooms from 0.4 to 2 times its size, and prints whole', async () => {
    const page = await open('/e/092633de6e3593b1', { viewport: { width: 1000, height: 700 } })
    const svg = page.locator('svg.bracket')
    const [, , drawn = 0] = ((await svg.getAttribute('viewBox')) ?? '').split(' ').map(Number)
    // The bracket is as wide as its place at first.
    const place = Number(await page.evaluate(`document.querySelector('.pan').clientWidth`))
    const opened = Math.max(0.4 * drawn, Math.min(drawn, place))
    await until(async () => Math.abs(Number(await svg.getAttribute('width')) - opened) < 1)
    for (const [zoom, scale] of [
      ['out', 0.4],
      ['in', 2],
    ] as const) {
      await page.locator(`[data-zoom=${zoom}]`).click({ clickCount: 12 })
      expect(Number(await svg.getAttribute('width'))).toBeCloseTo(scale * drawn)
    }
    await page.locator('[data-zoom=fit]').click()
    expect(Number(await svg.getAttribute('width'))).toBeCloseTo(opened)
    await page.locator('[data-zoom=in]').click()
    expect(Number(await svg.getAttribute('width'))).toBeCloseTo(1.25 * opened)
    await page.locator('[data-zoom=in]').click({ clickCount: 12 })
    // Names of rounds stay at the top; a game under the pointer lights the way of its bots.
    await page.evaluate(`document.querySelector('.pan').scrollTop = 100`)
    const names = svg.locator('.rounds').first()
    await until(async () => (await names.getAttribute('transform')) === 'translate(0 50)')
    // The way ends with its bracket.
    const end = await page.evaluate(`(() => {
      document.querySelector('.pan').scrollTop = 1e6
      const { top, bottom } = document.querySelector('.rounds').dataset
      return 'translate(0 ' + (bottom - top) + ')'
    })()`)
    await until(async () => (await names.getAttribute('transform')) === end)
    await page.evaluate(`document.querySelector('.pan').scrollTop = 100`)
    const lit = svg.locator('.game.lit')
    for (const act of [
      () => svg.locator('.game').first().hover(),
      () => svg.locator('a').first().focus(),
    ]) {
      await act()
      await until(async () => (await lit.count()) > 0)
      await page.mouse.move(0, 0)
      await page.mouse.move(1, 1)
      await svg.dispatchEvent('pointerleave')
      await until(async () => (await lit.count()) === 0)
    }
    await page.emulateMedia({ media: 'print' })
    const box = await svg.boundingBox()
    expect(box?.width).toBeLessThanOrEqual(1000)
    expect(box?.height).toBeLessThanOrEqual(700)
    await page.context().close()
  })

  test('the bracket shows only the fights of one bot, and its way, until its name is gone', async () => {
    const page = await open(paths.double, { viewport: { width: 1280, height: 900 } })
    const box = page.locator('.mine input')
    const lit = page.locator('.bracket .game.lit')
    await page.locator('.bracket .game').first().waitFor()
    const rows = page.locator('main > section .fights > li')
    const counts = async () => [
      await rows.count(),
      await page.locator('main > section .fights > li.other').count(),
      await page.locator('details.other').count(),
      await page.locator('.none').count(),
    ]
    const [all = 0] = await counts()
    const name = (await rows.first().locator('.corner bdi').first().textContent()) ?? ''
    await box.fill(` ${name.toUpperCase()}`)
    await until(async () => (await lit.count()) > 0)
    // The last game of the way is in the middle of the window, below what stays at its top.
    await until(async () => {
      const { y = 0, height = 0 } = (await lit.last().boundingBox()) ?? {}
      return Math.abs(y + height / 2 - 450) < 60
    })
    for (const each of await lit.all()) expect(await each.textContent()).toContain(name)
    // A pointer over no game changes nothing.
    const ways = await lit.count()
    await page.locator('svg.bracket').dispatchEvent('pointerover')
    expect(await lit.count()).toBe(ways)
    const kept = rows.filter({ has: page.locator('.corner bdi').getByText(name, { exact: true }) })
    const [, others, rounds] = await counts()
    expect([others, Number(rounds) > 0]).toEqual([all - (await kept.count()), true])
    expect(await page.locator('main > section .fights > li.other:visible').count()).toBe(0)
    await box.fill('no such bot')
    const sections = await page.locator('main > section[id]:has(.fights)').count()
    expect(await counts()).toEqual([all, all, await page.locator('details').count(), sections])
    expect(await lit.count()).toBe(0)
    await box.fill(name)
    expect((await counts())[3]).toBe(0)
    await page.reload()
    expect(await box.inputValue()).toBe(name)
    await until(async () => (await lit.count()) > 0)
    expect((await counts())[1]).toBe(others)
    // A refresh moves nothing. Chromium begins to scroll by the style that it computed last, so the style is read
    // first.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const place = await page.evaluate(`(() => {
      const behavior = getComputedStyle(document.documentElement).scrollBehavior
      scrollTo(0, 0)
      dispatchEvent(new Event('cageside-shown'))
      return [behavior, scrollY]
    })()`)
    expect(place).toEqual(['auto', 0])
    await box.fill('')
    expect(await counts()).toEqual([all, 0, 0, 0])
    expect(await lit.count()).toBe(0)
    // Typed text stays in its field, except the keys of the search.
    await page.keyboard.press('/')
    expect(await box.inputValue()).toBe('/')
    for (const keys of ['Control+k', 'Meta+k']) {
      await box.focus()
      await page.keyboard.press(keys)
      expect(await page.evaluate('document.activeElement.localName')).toBe('cageside-search')
    }
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('Alt+/')
    expect(await page.evaluate('document.activeElement.localName')).toBe('body')
    await page.context().close()
  })

  test('pages print neither controls nor the state of the connection', async () => {
    const page = await open(paths.live)
    await page.locator('.connection').waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator(':is(.star, .tabs, .chips, .connection):visible').count()).toBe(0)
    await page.context().close()
  })

  test('pages request only this host, and log no error', () => {
    expect(browser.foreign.filter((url) => new URL(url).hostname !== 'media.example')).toEqual([])
    const expected = /nobody: Failed to load resource.*404/
    expect(browser.complaints.filter((text) => !expected.test(text))).toEqual([])
  })
})
