import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { assertEveryLook, delayFirstChange, expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { holdChange, refusal } from './test/hold-change.ts'
import { addOrganization } from './test/product.ts'
import { useConsole } from './test/use-console.ts'

/** As a spreadsheet program saves it in German: semicolons, a byte order mark and decimal commas. */
const tableOf = (price: string) =>
  `\uFEFFObjektnummer;Bezeichnung;Anlage;Preis pro Nacht;Währung;Farbe\r\nA1;Suite;Haus Meer;1.234,50 €;EUR;rot\r\nA2;Zimmer;Haus Meer;${price};EUR;\r\n`

suite('importing a file', { skip: noBrowser }, () => {
  const app = useConsole()
  let page: Page

  before(async () => {
    addOrganization(app.product, 'Olive Stays', 'Olga Olive')
    page = (await app.openAs('Olga Olive', '/import')).page
  })

  /** By keyboard, as far as the dialog of the browser. */
  const choose = async (button: string, name: string, content: string, on = page) => {
    const [chooser] = await Promise.all([
      on.waitForEvent('filechooser'),
      on.getByRole('button', { name: button }).press('Enter'),
    ])
    await chooser.setFiles({ name, mimeType: '', buffer: Buffer.from(content) })
  }
  const errors = (of: Page) => of.getByRole('table', { name: /Rows with errors|Zeilen mit Fehlern/ })

  test('shows the columns, what the rows make, and what is wrong by row', async () => {
    await page.getByRole('link', { name: 'From a file' }).press('Enter')
    await expect(page.getByRole('radio', { name: /^Units/ })).toBeChecked()
    await expect(page.locator('#content nav [aria-current]')).toHaveText('From a file')
    await assertEveryLook(page, 'source')
    await choose('Choose a file', 'portfolio.csv', tableOf('viel'))

    await page.getByRole('button', { name: 'Import 1 row' }).waitFor()
    await expect(page.getByLabel(/^Bezeichnung/)).toHaveValue('name')
    await expect(page.getByLabel(/^Preis pro Nacht/)).toHaveValue('base_price')
    await expect(page.getByLabel(/^Farbe/)).toHaveValue('')
    const row = errors(page).getByRole('row').nth(1)
    for (const part of ['Row 3', 'Preis pro Nacht', 'viel', 'This must be an amount'])
      await expect(row).toContainText(part)
    await assertEveryLook(page, 'plan')

    const german = await app.openAs('Olga Olive', new URL(page.url()).pathname, { locale: 'de-DE' })
    await german.page.getByRole('button', { name: '1 Zeile importieren' }).waitFor()
    await expect(errors(german.page)).toContainText('Das ist kein Betrag wie 1.234,50.')
  })

  test('another mapping is tried out at once', async () => {
    const changes = await delayFirstChange(page, '**/api/v1/file-imports/*')
    await page.getByLabel(/^Bezeichnung/).selectOption('Not imported')
    await expect(page.getByRole('alert')).toHaveText('A column is needed for: Name.')
    await page.getByLabel(/^Farbe/).selectOption({ value: 'name' })
    await expect(errors(page)).toContainText('name is missing.')
    assert.equal(changes.sent, 2)
    await page.getByLabel(/^Bezeichnung/).selectOption({ value: 'name' })
    await expect(page.getByLabel(/^Farbe/)).toHaveValue('')
    await page.getByRole('button', { name: 'Import 1 row' }).waitFor()
  })

  test('a corrected file that cannot take the place of the first one leaves no second import', async () => {
    const isOther = (address: URL) =>
      /\/file-imports\/[^/]+$/.test(address.pathname) && !page.url().endsWith(address.pathname.slice(-36))
    await page.route(isOther, (route) =>
      route.request().method() === 'PATCH' ? route.fulfill({ status: 500, json: {} }) : route.continue(),
    )
    await choose('Choose the corrected file', 'rejected.csv', tableOf('80'))
    await page.getByText('Something went wrong on our side').waitFor()
    await page.unroute(isOther)
    const { file_imports } = await app.apiAs('Olga Olive')<{
      file_imports: { file_name: string; status: string }[]
    }>('GET', '/file-imports')
    const rejected = file_imports.filter(({ file_name }) => file_name === 'rejected.csv')
    assert.deepEqual(
      rejected.map(({ status }) => status),
      ['cancelled'],
    )
    await page.getByRole('button', { name: 'Import 1 row' }).waitFor()
  })

  test('the corrected file is chosen again and imported', async () => {
    const before = page.url()
    await choose('Choose the corrected file', 'portfolio.csv', tableOf('80'))
    await page.getByRole('button', { name: 'Import 2 rows' }).press('Enter')
    await page.getByRole('heading', { name: 'The import is finished' }).waitFor()
    await page.getByText('2 new units.').waitFor()
    await assertEveryLook(page, 'report')
    await page.getByRole('link', { name: 'Show units' }).click()
    await expect(page.locator('[data-unit]')).toHaveCount(2)
    const api = app.apiAs('Olga Olive')
    const { units } = await api<{ units: { name: string; base_price_cents: number }[] }>('GET', '/units')
    assert.deepEqual(Object.fromEntries(units.map(({ name, base_price_cents: cents }) => [name, cents])), {
      Suite: 123_450,
      Zimmer: 8_000,
    })
    await page.goto(before)
    // The one that was replaced had a unit in its plan.
    await page.getByText('This import was cancelled. What it had made stays. No new unit.').waitFor()
    await page.getByRole('link', { name: 'Import another file' }).click()
    await expect(page.getByRole('table', { name: 'Earlier files' }).getByRole('row')).toHaveCount(4)
  })

  test('dates of bookings are read as chosen', async () => {
    const american = (days: number) => day(days).replace(/(\d+)-(\d+)-(\d+)/, '$2/$3/$1')
    // One of them is after the 12th of a month.
    const stays = [30, 45].map((days) => `A1,Guest ${days},${american(days)},${american(days + 2)}`)
    await page.getByRole('radio', { name: /^Bookings/ }).check()
    await choose('Choose a file', 'bookings.csv', ['unit,guest,check in,check out', ...stays].join('\n'))
    const order = page.getByLabel('Dates such as 03/04/2027')
    await page.getByRole('button', { name: 'Import 2 rows' }).waitFor()
    await expect(order).toHaveValue('mdy')
    await order.selectOption('Day first: 3 April')
    await errors(page).waitFor()
    await order.selectOption('Month first: 4 March')
    await page.getByRole('button', { name: 'Import 2 rows' }).press('Enter')
    await page.getByText('2 new bookings.').waitFor()
    await expect(page.getByRole('link', { name: 'Show bookings' })).toHaveAttribute('href', /^\/bookings/)
  })

  test('an upload that ends after the page was left opens nothing over the next one', async () => {
    const { page: other } = await app.openAs('Olga Olive', '/import?from=file')
    const held = Promise.withResolvers<void>()
    await other.route('**/api/v1/file-imports?kind=*', async (route) => {
      await held.promise
      await route.continue()
    })
    await choose('Choose a file', 'left.csv', 'Name,Price per night\nSuite L,100\n', other)
    await other.getByRole('link', { name: 'Bookings' }).first().click()
    await other.getByRole('heading', { name: 'Bookings', level: 1 }).waitFor()
    const visited: string[] = []
    other.on('framenavigated', (frame) => visited.push(new URL(frame.url()).pathname))
    const uploaded = other.waitForResponse((response) => response.url().includes('file-imports?kind='))
    held.resolve()
    await (await uploaded).finished()
    await other.getByRole('link', { name: 'Units' }).first().click()
    await other.getByRole('heading', { name: 'Units', level: 1 }).waitFor()
    assert.deepEqual(visited, ['/units'])
    await other.goto(`${app.url}/import?from=file`)
    await other.getByRole('link', { name: 'left.csv' }).waitFor()
  })

  test('an import that a colleague ran meanwhile is shown as it is', async () => {
    const { page: other } = await app.openAs('Olga Olive', '/import?from=file')
    const content = 'Name,Price per night,Currency\nSuite Y,100,EUR\n'
    await choose('Choose a file', 'units.csv', content, other)
    const run = other.getByRole('button', { name: 'Import 1 row' })
    await run.waitFor()
    await app.apiAs('Olga Olive')('POST', `/file-imports/${other.url().split('/').at(-1)}/run`)
    await run.click()
    await expect(run).toHaveCount(0)
  })

  test('a plan is not run while a change of its columns is on its way, and a failure says so', async () => {
    const { page: other } = await app.openAs('Olga Olive', '/import?from=file')
    await choose('Choose a file', 'units.csv', 'Name,Price,Low\nSuite Z,100,80\n', other)
    const run = other.getByRole('button', { name: 'Import 1 row' })
    await run.waitFor()
    const change = await holdChange(other, '**/api/v1/file-imports/*')
    await other.clock.install()
    const price = other.getByLabel(/^Price/)
    await price.selectOption({ value: 'min_price' })
    await change.sent
    await expect(run).toHaveCount(0)
    // What polls the import would have read it by now.
    await other.clock.fastForward(3_000)
    await other.evaluate(`fetch('/api/v1/file-imports')`)
    await expect(price).toHaveValue('min_price')
    await expect(other.getByText('Each row is tried out.')).toBeVisible()
    await expect(run).toHaveCount(0)
    await other.getByRole('link', { name: 'Bookings' }).first().click()
    await other.getByRole('heading', { name: 'Bookings', level: 1 }).waitFor()
    change.reject()
    await other.getByRole('status').getByText(refusal).waitFor()
  })

  test('the list of units says when it could not be read to its end', async () => {
    const { page: other } = await app.openAs('Olga Olive', '/import?from=file')
    const rows = Array.from({ length: 101 }, (_, number) => `Room ${number},100,EUR\n`)
    await choose('Choose a file', 'rooms.csv', `Name,Price per night,Currency\n${rows.join('')}`, other)
    await other.getByRole('button', { name: 'Import 101 rows' }).press('Enter')
    const isLaterPage = (address: URL) =>
      address.pathname.endsWith('/api/v1/units') && address.searchParams.has('cursor')
    await other.route(isLaterPage, (route) =>
      route.fulfill({ status: 429, headers: { 'retry-after': '60' }, json: {} }),
    )
    await other.getByRole('link', { name: 'Show units' }).click()
    const notice = other.getByRole('alert').filter({ hasText: 'Not all units could be loaded' })
    await notice.waitFor()
    await other.unroute(isLaterPage)
    await notice.getByRole('button', { name: 'Try again' }).click()
    await expect(notice).toHaveCount(0)
    await expect(other.getByText(/ 10\d units /)).toBeVisible()
  })

  test('a file that cannot be read, and a role that may not', async () => {
    await page.goto(`${app.url}/import?from=file`)
    await choose('Choose a file', 'empty.csv', 'name,price\n')
    await expect(page.getByRole('alert')).toContainText('The file has no rows below its header.')
    const german = (await app.openAs('Olga Olive', '/import?from=file', { locale: 'de-DE' })).page
    await choose('Datei wählen', 'empty.csv', 'name,price\n', german)
    await expect(german.getByRole('alert')).toContainText('Die Datei hat unter der Kopfzeile keine Zeilen.')
    const viewer = (await app.openAs('viewer', '/import?from=file')).page
    await expect(viewer.getByRole('button', { name: 'Choose a file' })).toHaveAttribute(
      'aria-disabled',
      'true',
    )
  })
})
