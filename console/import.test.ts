import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { channexKey, startPortfolio } from './test/channex.ts'
import { day } from './test/days.ts'
import { addOrganization } from './test/product.ts'
import { useConsole } from './test/use-console.ts'

const rooms = ['Quay Suite', 'River Room', 'Garden Loft']

suite('importing a portfolio', { skip: noBrowser }, () => {
  const app = useConsole()
  let page: Page
  let reportUrl: string
  let channex: Awaited<ReturnType<typeof startPortfolio>>

  before(async () => {
    channex = await startPortfolio('Harbour House', rooms)
    addOrganization(app.product, 'Harbour Stays', 'Hana Harbour')
    page = (await app.openAs('Hana Harbour', '/start')).page
  })
  after(() => channex?.close())

  const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
  const items = () => page.getByRole('table', { name: 'Items' })

  test('an empty organization connects its PMS and sees the plan before anything is made', async () => {
    await page.getByRole('link', { name: 'Or import them from your PMS' }).click()
    await page.getByRole('link', { name: /Connect your PMS/ }).click()
    await page.getByLabel('Name', { exact: true }).fill('Harbour PMS')
    await page.getByLabel('Address of the API').fill(channex.url)
    await page.getByLabel('Property at the PMS').fill(channex.propertyId)
    await page.getByLabel('API key').fill(channexKey)
    await press('Test the connection')
    await page.getByText('It works.').waitFor()
    await press('Connect')
    await expect(page.getByRole('radio', { name: /Harbour PMS/ })).toBeChecked()
    await assertEveryLook(page, 'source')

    await press('Show the plan')
    await page.getByRole('button', { name: `Import ${rooms.length} units` }).waitFor()
    await page.getByLabel('Result').selectOption('Skipped')
    await expect(items()).toContainText('It has no rate plan at the PMS.')
    await expect(items().getByRole('row')).toHaveCount(2)
    await assertEveryLook(page, 'plan')
    const made = await app.apiAs('Hana Harbour')<{ units: unknown[] }>('GET', '/units')
    assert.deepEqual(made.units, [])
  })

  test('the run goes on while the page is loaded again, and nothing is sent to the PMS', async () => {
    await channex.setFault({ mode: 'slow', delay_ms: 1_000 })
    await press(`Import ${rooms.length} units`)
    const bar = page.getByRole('progressbar', { name: 'Progress of the import' })
    await bar.waitFor()
    await page.reload()
    await bar.waitFor()
    await assertEveryLook(page, 'progress', [390])
    await channex.setFault(null)

    await page.getByRole('link', { name: 'Check and go live' }).waitFor()
    reportUrl = page.url()
    await assertEveryLook(page, 'report')
    assert.deepEqual(await channex.writtenCalls(), [])
    await page.getByRole('link', { name: 'Show units' }).click()
    await expect(page.locator('[data-unit]')).toHaveCount(rooms.length)
  })

  test('a second import finds everything, by keyboard alone', async () => {
    await page.getByRole('link', { name: 'Import', exact: true }).press('Enter')
    await page.getByRole('button', { name: 'Show the plan' }).press('Enter')
    await page.getByText('Everything is here already.').waitFor()
    await page.getByRole('button', { name: 'Run the import' }).press('Enter')
    await page.getByRole('link', { name: 'Check and go live' }).waitFor()
    await expect(page.getByRole('list', { name: 'Items' })).toContainText(`${rooms.length} matched`)
    await expect(items().getByRole('link', { name: 'Quay Suite' })).toHaveAttribute('href', /\/units\//)
  })

  test('a PMS that refuses stops the import, which is tried again', async () => {
    await channex.setFault({ mode: 'refuse', status: 401 })
    await page.goto(`${app.url}/import`)
    await press('Show the plan')
    await page.getByRole('heading', { name: 'The import has stopped' }).waitFor()
    await expect(page.getByRole('alert')).toContainText('Harbour PMS refuses our credentials.')
    await assertEveryLook(page, 'failure', [390])
    const german = await app.openAs('Hana Harbour', new URL(page.url()).pathname, { locale: 'de-DE' })
    await expect(german.page.getByRole('alert')).toContainText('Harbour PMS lehnt unsere Zugangsdaten ab.')
    await channex.setFault(null)
    await press('Try again')
    await page.getByText('Everything is here already.').waitFor()

    await press('Cancel the import')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the import' }).click()
    await page.getByRole('link', { name: 'Start another import' }).click()
    await expect(page.getByRole('table', { name: 'Earlier imports' }).getByRole('row')).toHaveCount(4)
  })

  test('a PMS that does not answer is tried again, and the page says so', async () => {
    await channex.setFault({ mode: 'refuse', status: 503 })
    await page.goto(`${app.url}/import`)
    await press('Show the plan')
    const progress = page.getByRole('region', { name: 'Progress of the import' })
    await expect(progress).toContainText('It is tried again by itself.')
    await assertEveryLook(page, 'waiting', [390])
    await channex.setFault(null)
    await page.getByText('Everything is here already.').waitFor()
    await press('Cancel the import')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the import' }).click()
    await page.getByRole('link', { name: 'Start another import' }).waitFor()
  })

  test('an import that is not among the newest is continued', async () => {
    await page.goto(`${app.url}/import`)
    await press('Show the plan')
    await page.getByText('Everything is here already.').waitFor()
    const planUrl = page.url()
    // As if enough other channels had imported meanwhile to fill the first page.
    await page.route('**/api/v1/imports?*', (route) =>
      route.request().url().includes('status=')
        ? route.continue()
        : route.fulfill({ json: { imports: [], next_cursor: null, has_more: false } }),
    )
    await page.goto(`${app.url}/import`)
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.waitForURL(planUrl)
    await page.unroute('**/api/v1/imports?*')
    await press('Cancel the import')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the import' }).click()
    await page.getByRole('link', { name: 'Start another import' }).waitFor()
  })

  test('all listings go live after a confirmation that says what is sent', async () => {
    const api = app.apiAs('Hana Harbour')
    const { units } = await api<{ units: { id: string; name: string }[] }>('GET', '/units')
    const setPrice = (date: string, price_cents: number) => {
      const night = {
        unit_id: units.find(({ name }) => name === rooms[0])?.id,
        date_from: date,
        date_to: date,
      }
      return api('POST', '/calendar', { values: [{ ...night, price_cents }] })
    }
    await setPrice(day(20), 13_300)
    await page.goto(reportUrl)
    await press('Go live with all listings')
    const dialog = page.getByRole('dialog', { name: 'Go live with all listings?' })
    await expect(dialog).toContainText(`${rooms.length} paused listings are resumed.`)
    await assertEveryLook(page, 'going live', [390])
    assert.deepEqual(await channex.writtenCalls(), [], 'nothing is sent before')
    await dialog.getByRole('button', { name: 'Go live with all listings' }).click()
    await page.getByText('Nothing is paused any more').waitFor()
    await page.getByRole('link', { name: 'To the channel' }).click()
    await page.getByRole('link', { name: 'Imports' }).click()
    const earlier = page.getByRole('table', { name: 'Earlier imports' })
    await earlier.locator(`a[href="${new URL(reportUrl).pathname}"]`).click()
    await page.getByRole('link', { name: 'Import again' }).click()
    await page.getByRole('heading', { name: 'Import your portfolio' }).waitFor()
    const { channel_listings: listings } = await api<{ channel_listings: { status: string }[] }>(
      'GET',
      '/channel-listings',
    )
    assert.deepEqual(
      listings.map(({ status }) => status),
      rooms.map(() => 'active'),
    )
    await setPrice(day(30), 14_400)
    for (const [date, price] of [
      [day(20), '133.00'],
      [day(30), '144.00'],
    ] as const)
      await expect.poll(() => channex.firstPrice(date)).toBe(price)
  })

  test('an import that somebody else has begun meanwhile can be continued', async () => {
    const api = app.apiAs('Hana Harbour')
    const late = (await app.openAs('Hana Harbour', '/import')).page
    const plan = late.getByRole('button', { name: 'Show the plan' })
    await plan.waitFor()
    const { channel_targets } = await api<{ channel_targets: { id: string }[] }>('GET', '/channel-targets')
    const input = { channel_target_id: channel_targets[0]?.id, include: [] }
    const { import: begun } = await api<{ import: { id: string } }>('POST', '/imports', input)
    await plan.click()
    await late.getByRole('link', { name: 'Continue the import' }).click()
    await expect(late).toHaveURL(`${app.url}/import/${begun.id}`)
  })

  test('what was counted agrees with its word in Portuguese', async () => {
    const path = new URL(reportUrl).pathname
    const portuguese = (await app.openAs('Hana Harbour', path, { locale: 'pt-PT' })).page
    const counts = portuguese.getByRole('list', { name: 'Itens' })
    for (const part of ['Unidades3 criadas', 'Planos tarifários3 criados', 'Propriedades1 criada'])
      await expect(counts).toContainText(part)
  })
})
