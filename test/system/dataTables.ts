import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../browser.ts'
import { legacyRow } from '../legacyRow.ts'
import { projectFolder } from '../process.ts'
import { type RunningSite, startSite } from '../site.ts'

/**
 * Real tables in a real browser: DataTables with jQuery, as programs have had it for years, and the
 * one of today. Chromium is a package of the system, so this file is not among those that
 * `bun run test` finds.
 */
const versions = [
  ['1', ['jquery/dist/jquery.js', 'datatables.net-1/js/jquery.dataTables.js']],
  ['3', ['datatables.net/js/dataTables.js']],
] as const

/** The fields that the table shows, in the order of its columns. */
const fields = ['name', 'player1', 'player2', 'winner', 'matchLength', 'startTime'] as const
type Field = (typeof fields)[number]
type Shown = readonly string[]

const pageOf = (scripts: readonly string[], source: string): string => `<!doctype html>
<meta charset="utf-8">
<title>Matches</title>
<style>td { white-space: pre }</style>
<table id="matches"><thead><tr>${fields.map((field) => `<th>${field}</th>`).join('')}</tr></thead></table>
${scripts.map((path) => `<script src="/${path}"></script>`).join('\n')}
<script>
  new DataTable('#matches', {
    serverSide: true,
    ajax: ${JSON.stringify(source)},
    columns: ${JSON.stringify(fields.map((data) => ({ data })))},
    // Names of robots can contain tags.
    columnDefs: [{ targets: '_all', render: DataTable.render.text() }],
    order: [],
    lengthMenu: [[10, 25, -1], ['10', '25', 'All']],
  })
</script>
`

const naturally = new Intl.Collator('en', { numeric: true })
const columnOf = (field: Field): number => fields.indexOf(field)

/** Sorts like a table with these columns in its order does; `-` is descending. */
const sorted = (rows: readonly Shown[], ...order: readonly (Field | `-${Field}`)[]): Shown[] =>
  rows.toSorted((a, b) => {
    for (const each of order) {
      const column = fields.findIndex((field) => each.endsWith(field))
      const [one = '', other = ''] = [a[column], b[column]]
      const isNumber = /^(matchLength|startTime)$/.test(fields[column] ?? '')
      const difference = isNumber ? Number(one) - Number(other) : naturally.compare(one, other)
      if (difference !== 0) return each.startsWith('-') ? -difference : difference
    }
    return 0
  })

// The URLs without a setting are covered by `test/e2e/legacy.test.ts`.
describe('a table of matches of the legacy API', () => {
  let site: RunningSite
  const browser = openBrowser()
  let pages: Bun.Server<undefined>
  let tournamentID = ''
  /** The same fights in the current API, the latest start first. */
  let all: readonly Shown[] = []
  const problems: string[] = []

  const open = async (scripts: readonly string[]): Promise<Page> => {
    const page = await browser.newPage()
    page.on('dialog', (dialog) => {
      problems.push(dialog.message())
      void dialog.dismiss()
    })
    await page.goto(`http://127.0.0.1:${pages.port}/?${scripts.join('&')}`)
    return page
  }

  beforeAll(async () => {
    site = await startSite('BASE_PATH, LEGACY_BASE and PUBLIC_URL')
    const read = async (path: string) => JSON.parse(await (await fetch(site.url + path)).text())
    const { tournaments } = await read('/tournaments')
    // A finished tournament with many fights.
    const ended = tournaments.filter(
      ({ endTime }: { endTime: string }) => !endTime.startsWith('0000'),
    )
    const most = ended.reduce((a: { numPlayers: number }, b: { numPlayers: number }) =>
      b.numPlayers > a.numPlayers ? b : a,
    )
    tournamentID = most.tournamentID
    const { fights } = await read(`/tournaments/${encodeURIComponent(tournamentID)}/fights`)
    const rows: Record<string, string>[] = fights
      .map(legacyRow)
      .toSorted(
        (a: Record<string, string>, b: Record<string, string>) =>
          Number(b.startTime) - Number(a.startTime),
      )
    all = rows
      // Forfeits have an annotation and no start.
      .filter(({ startTime, winAnnotation }) => startTime !== '' || winAnnotation !== '')
      .map((row) =>
        fields.map((field) =>
          field === 'winner'
            ? (['', 'Red', 'Blue'][Number(row.player1wins) + 2 * Number(row.player2wins)] ?? '')
            : (row[field] ?? ''),
        ),
      )

    const source = `${site.legacyUrl}/getTournamentMatchesDataTables.php?tournamentID=${encodeURIComponent(tournamentID)}`
    pages = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) => {
        const { pathname, search } = new URL(url)
        if (pathname === '/favicon.ico') return new Response()
        if (pathname === '/') {
          return new Response(pageOf(search.slice(1).split('&'), source), {
            headers: { 'content-type': 'text/html' },
          })
        }
        const isScript = versions.some(([, scripts]) =>
          scripts.some((path) => `/${path}` === pathname),
        )
        return isScript
          ? new Response(Bun.file(join(projectFolder, 'node_modules', pathname)))
          : new Response(null, { status: 404 })
      },
    })
  })

  afterAll(async () => {
    await pages?.stop(true)
    await site?.stop()
  })

  /** Waits until the table shows exactly these rows; fails with the shown rows. */
  const expectRows = async (page: Page, rows: readonly Shown[]): Promise<void> => {
    const deadline = performance.now() + 30_000
    for (;;) {
      const cells = await page.locator('#matches tbody td').allInnerTexts()
      const shown = Array.from({ length: Math.ceil(cells.length / fields.length) }, (_, row) =>
        cells.slice(row * fields.length, (row + 1) * fields.length),
      )
      if (Bun.deepEquals(shown, rows)) return
      if (performance.now() > deadline) expect(shown).toEqual([...rows.map((row) => [...row])])
      await Bun.sleep(50)
    }
  }
  const expectInfo = async (page: Page, text: string): Promise<void> => {
    await page.getByText(text, { exact: true }).waitFor({ timeout: 10_000 })
  }
  const header = (page: Page, field: Field) =>
    page.locator('#matches thead th').nth(columnOf(field))
  const flip = (page: Page, label: string) =>
    page.getByRole('link', { name: label, exact: true }).click()

  describe.each(versions)('a table with DataTables %s', (_, scripts) => {
    let page: Page
    beforeAll(async () => {
      page = await open(scripts)
    })

    test('a DataTable shows the first page, and the number of rows', async () => {
      expect(all.length).toBeGreaterThan(40)
      await expectRows(page, all.slice(0, 10))
      await expectInfo(page, `Showing 1 to 10 of ${all.length} entries`)
    })

    test('a DataTable pages forward, to the end and back', async () => {
      await flip(page, '2')
      await expectRows(page, all.slice(10, 20))
      await expectInfo(page, `Showing 11 to 20 of ${all.length} entries`)
      const last = Math.ceil(all.length / 10)
      await flip(page, String(last))
      await expectRows(page, all.slice((last - 1) * 10))
      await flip(page, '1')
      await expectRows(page, all.slice(0, 10))
    })

    test('a DataTable sorts numbers as numbers, both ways', async () => {
      await header(page, 'matchLength').click()
      await expectRows(page, sorted(all, 'matchLength').slice(0, 10))
      await header(page, 'matchLength').click()
      await expectRows(page, sorted(all, '-matchLength').slice(0, 10))
    })

    test('a DataTable sorts by every column', async () => {
      for (const field of fields) {
        await header(page, field).click()
        await expectRows(page, sorted(all, field).slice(0, 10))
      }
    })

    test('a DataTable sorts by two columns', async () => {
      await header(page, 'winner').click()
      await header(page, 'player2').click({ modifiers: ['Shift'] })
      await expectRows(page, sorted(all, 'winner', 'player2').slice(0, 10))
      await header(page, 'player2').click({ modifiers: ['Shift'] })
      await expectRows(page, sorted(all, 'winner', '-player2').slice(0, 10))
    })

    test('a DataTable searches while it is sorted', async () => {
      const box = page.locator('input[type=search]')
      const [, bot = ''] = all[0] ?? []
      for (const text of [bot, bot.slice(0, 4).toUpperCase(), 'blue']) {
        const found = sorted(all, 'winner', '-player2').filter((row) =>
          row.join('\n').toLowerCase().includes(text.toLowerCase()),
        )
        expect(found.length).toBeGreaterThan(0)
        await box.fill(text)
        await expectRows(page, found.slice(0, 10))
        const last = Math.min(10, found.length)
        await expectInfo(
          page,
          `Showing 1 to ${last} of ${found.length} entries (filtered from ${all.length} total entries)`,
        )
      }
      await box.fill('no such robot')
      await page.getByText('No matching records found').waitFor({ timeout: 10_000 })
      await box.fill('')
      await expectRows(page, sorted(all, 'winner', '-player2').slice(0, 10))
    })

    test('a DataTable narrows a column to a chosen value', async () => {
      const choose = (winner: string): Promise<unknown> =>
        page.evaluate(
          `void new DataTable.Api('#matches').column(${columnOf('winner')}).search('${winner}', true, false).draw()`,
        )
      const blue = sorted(all, 'winner', '-player2').filter(
        (row) => row[columnOf('winner')] === 'Blue',
      )
      await choose('^Blue$')
      await expectRows(page, blue.slice(0, 10))
      await choose('^Blu$')
      await page.getByText('No matching records found').waitFor({ timeout: 10_000 })
      await choose('')
      await expectRows(page, sorted(all, 'winner', '-player2').slice(0, 10))
    })

    test('a DataTable shows all rows at once', async () => {
      await page.locator('#matches_wrapper select').selectOption('-1')
      await expectRows(page, sorted(all, 'winner', '-player2'))
      await expectInfo(page, `Showing 1 to ${all.length} of ${all.length} entries`)
    })
  })

  test('a DataTable requests only this machine, and has no errors', () => {
    expect(browser.foreign).toEqual([])
    expect([...browser.complaints, ...problems]).toEqual([])
  })
})
