import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { expect, noBrowser } from './test/browser.ts'
import { day as dayFromNow, dayMs } from './test/days.ts'
import { addPmsRoom, readPmsNights, sellAtPms, setPmsFaults } from './test/pms.ts'
import { addOrganization } from './test/product.ts'
import { useConsole } from './test/use-console.ts'

const property = 'serra'
const rooms = { 'S-1': 'Chalet', 'S-2': 'Loft' }

/** What an operator does from an empty organization to the first season, in the console alone, in this order. */
suite('from nothing to a season', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('Rosa Serra')
  let page: Page

  before(async () => {
    addOrganization(app.product, 'Serra Stays', 'Rosa Serra')
    page = (await app.openAs('Rosa Serra')).page
  })

  const go = async (name: string) => {
    await page.getByRole('navigation').getByRole('link', { name }).click()
    // Several screens have a filter with the same words.
    await page.getByRole('heading', { level: 1, name }).waitFor()
  }
  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
  const dialog = () => page.getByRole('dialog')

  test('two units are added from the list of steps', async () => {
    await page.waitForURL('**/start')
    await page.locator('[data-step="units"]').getByRole('link').last().click()
    for (const [index, name] of Object.values(rooms).entries()) {
      await page.waitForURL('**/units/new')
      await page.getByLabel('Name', { exact: true }).fill(name)
      if (index === 0) {
        await page.getByLabel('Space', { exact: true }).selectOption('A new space')
        await page.getByLabel('Name of the space').fill('Serra House')
        await page.getByLabel('Country').selectOption('Portugal')
      } else await page.getByLabel('Space', { exact: true }).selectOption('Serra House')
      await page.getByLabel('Base price a night').fill('100')
      await press('Create the unit')
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      await go('Units')
      if (index === 0) await page.getByRole('link', { name: 'New unit' }).click()
    }
    await expect(page.locator('[data-unit]')).toHaveCount(2)
  })

  test('the PMS is connected and both units are linked', async () => {
    // What the vendor of the PMS has done already.
    for (const [id, name] of Object.entries(rooms))
      await addPmsRoom(app.product, property, { ...room, id, name })
    await page.goto(`${app.url}/start`)
    await page.locator('[data-step="connect"]').getByRole('link', { name: 'Connect a PMS' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Serra PMS')
    await page.getByLabel('Property at the PMS').fill(property)
    await press('Test the connection')
    await page.getByText('It works. The PMS offers 2 rooms.').waitFor()
    await press('Connect')
    await press('Check 2 units')
    await press('Go live with 2 units')
    await page.getByText('2 units are live').waitFor()
    await page.goto(`${app.url}/start`)
    await page.getByText('4 of 4 steps done').waitFor()
  })

  test('a season is priced and nights are blocked', async () => {
    await page.goto(`${app.url}/calendar?from=${day(0)}`)
    await night(0, 2).hover()
    await page.mouse.down()
    await night(1, 8).hover()
    await page.mouse.up()
    await page.getByRole('radio', { name: '± %' }).check()
    await page.getByRole('textbox', { name: 'Percent' }).fill('20')
    await press('Save as a season')
    await page.getByRole('textbox', { name: 'Name of the season' }).fill('July')
    await dialog().getByRole('button', { name: 'Save as a season' }).click()
    await page.getByText('The season July was saved').waitFor()
    await press('Save')
    await page.getByText('Changed 14 nights').waitFor()
    await night(0, 2).and(page.getByText('120')).waitFor()
    await night(0, 2).and(page.locator('[data-mark="atPms"]')).waitFor()

    await page.keyboard.press('Escape')
    await night(1, 12).click()
    await page.getByRole('radio', { name: 'Block', exact: true }).check()
    await page.getByRole('textbox', { name: 'Reason' }).fill('Painting')
    await press('Save')
    await page.getByText('Changed 1 night').waitFor()
    await expect.poll(() => atPms('S-1', day(2))).toMatchObject({ price_cents: 12_000 })
  })

  test('a booking is taken, paid, moved, and cancelled with a refund', async () => {
    await page.goto(`${app.url}/bookings/new?from=${day(2)}&to=${day(5)}&guests=2`)
    await page.getByRole('listitem').getByRole('button').filter({ hasText: 'Chalet' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace')
    await press('Take the booking')
    await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor()
    await press('Ask for a payment…')
    await dialog().getByRole('button', { name: 'Ask for it' }).click()
    await page.getByText('The payment was asked for').waitFor()
    await payAsGuest()
    await page.getByText('Paid', { exact: true }).first().waitFor()

    await press('Move…')
    await dialog().getByLabel('Arrival').fill(day(14))
    await dialog().getByLabel('Departure').fill(day(17))
    await dialog().getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText('The booking was moved').waitFor()

    await press('Cancel…')
    await dialog()
      .getByText(/go back to the guest/)
      .waitFor()
    await dialog().getByRole('button', { name: 'Cancel the booking' }).click()
    await page.getByText('The booking was cancelled').waitFor()
    await go('Payments')
    await press('Refunds')
    await page.getByRole('row').filter({ hasText: 'Ada Lovelace' }).waitFor()
  })

  test('a double booking is resolved', async () => {
    const stay = { checkIn: day(40), checkOut: day(43) }
    await page.goto(`${app.url}/bookings/new?from=${stay.checkIn}&to=${stay.checkOut}&guests=2`)
    await page.getByRole('listitem').getByRole('button').filter({ hasText: 'Chalet' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Was Here')
    await press('Take the booking')
    await page.getByRole('heading', { name: 'Was Here' }).waitFor()
    const listing = await listingOf('S-1')
    await sellAtPms(app.product, { listing, guest: 'Came Later', ...stay })
    await go('Inbox')
    await page.getByRole('button', { name: 'Double booking in Chalet' }).click()
    await press('Accept in another unit')
    await dialog().getByRole('radio', { name: /^Loft/ }).check()
    await dialog().getByRole('button', { name: 'Accept here' }).click()
    await page.getByText('Accepted. The booking has its room.').waitFor()
  })

  test('a failed sync is found and repaired', async () => {
    await setPmsFaults(app.product, { mode: 'refuse', status: 422, external_id: 'S-1', calendar: true })
    await go('Units')
    await page.locator('[data-unit]', { hasText: 'Chalet' }).locator('button[data-price]').click()
    await page.locator('input[data-price]').fill('105')
    await page.keyboard.press('Enter')
    await go('Today')
    await page.getByText(/refuses the values/).waitFor()
    await go('Inbox')
    const retry = page.getByRole('button', { name: /^Retry/ }).first()
    await retry.waitFor()
    await setPmsFaults(app.product)
    await retry.click()
    await page.getByText('Nothing needs you').first().waitFor()
    await expect.poll(() => atPms('S-1', day(60))).toMatchObject({ price_cents: 10_500 })
  })

  test('sales are stopped and resumed', async () => {
    await go('Stop-sell')
    await page.getByText('Everything', { exact: true }).click()
    await press('Stop sales …')
    await dialog().getByRole('textbox').fill('stop')
    await dialog().getByRole('button', { name: 'Stop sales now' }).click()
    const stop = page.getByRole('region', { name: 'Stopped now' }).getByRole('listitem')
    await stop.getByText('Closed at all 2 listings').waitFor()
    assert.deepEqual((await atPms('S-2', day(60)))?.stop_sell, true)
    await stop.getByRole('button', { name: 'Resume sales: Everything' }).click()
    await dialog().getByRole('button', { name: 'Resume sales' }).click()
    await page.getByText('Nothing is stopped').waitFor()
    await page.getByText('Open again at all 2 listings').waitFor()
    assert.deepEqual((await atPms('S-2', day(60)))?.stop_sell, false)
  })

  const night = (unit: number, at: number) =>
    page.locator(`[data-row="unit"] [data-unit-index="${unit}"][data-day="${Date.parse(day(at)) / dayMs}"]`)

  const atPms = async (id: string, date: string) =>
    (await readPmsNights(app.product, property, id, [date, date])).rates[0]

  const payAsGuest = async () => {
    const { payment_intents } = await api<{ payment_intents: [{ provider_reference: string }] }>(
      'GET',
      '/payment-intents?limit=1',
    )
    const answer = await fetch(`${app.product.paymentsUrl}/_control/pay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payment_intent: payment_intents[0].provider_reference }),
    })
    assert.ok(answer.ok, await answer.text())
  }

  const listingOf = async (external_id: string) => {
    const { channel_listings } = await api<{
      channel_listings: [{ channel_target_id: string; external_id: string }]
    }>('GET', `/channel-listings?external_id=${external_id}`)
    return channel_listings[0]
  }
})

/** So many days after the first one, which is half a year away. */
const day = (days: number) => dayFromNow(180 + days)

const room = {
  ...{ type: 'apartment', bedrooms: 1, bathrooms: 1, max_guests: 2, quantity: 1 },
  ...{ base_price_cents: 10_000, currency: 'eur' },
}
