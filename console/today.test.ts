import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { assertAccessible, assertEveryLook, expect, noBrowser, signIn } from './test/browser.ts'
import { lisbonDay } from './test/days.ts'
import { sellAtPms, setPmsFaults } from './test/pms.ts'
import { addOrganization } from './test/product.ts'
import { addUnit } from './test/units.ts'
import type { Unit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

interface Listing {
  id: string
  unit_id: string
  channel_target_id: string
  external_id: string
}

suite('today', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')
  let page: Page
  /** A new unit, which nobody has booked. */
  let unit: Unit

  before(async () => {
    page = (await app.openAs('owner')).page
    unit = await addUnit(api, 'Attic Studio')
  })

  const arrive = async (guestName: string) => {
    const stay = { unitId: unit.id, guestName, checkIn: lisbonDay(0), checkOut: lisbonDay(2) }
    return (await api<{ booking: { id: string } }>('POST', '/bookings', stay)).booking.id
  }

  test('who arrives is shown without a reload, and a number leads to the bookings it counts', async () => {
    const arrivals = page.locator('[data-figure="arrivals"]')
    const figure = arrivals.locator('span').nth(1)
    await expect(figure).toHaveText(/^\d+$/)
    const count = Number(await figure.innerText())
    const id = await arrive('Amália Reis')
    const line = page.locator('[data-part="arrivals"] li', { hasText: 'Amália Reis' })
    await line.getByText('Attic Studio').waitFor()
    await expect(arrivals).toContainText(String(count + 1))

    await arrivals.click()
    await page.waitForURL(/\/bookings\?today=arrivals/)
    await page.getByRole('row', { name: /Amália Reis/ }).waitFor()
    const rows = page.getByRole('row').filter({ has: page.getByRole('link') })
    await expect(rows).toHaveCount(count + 1)
    await page.getByRole('combobox', { name: 'Today' }).selectOption('departures')
    await expect(page.getByText('Amália Reis')).toHaveCount(0)

    await page.goBack()
    await api('PATCH', `/bookings/${id}`, { status: 'checked_in' })
    await expect(line).toContainText('In house')
    await line.getByRole('link').press('Enter')
    await page.waitForURL(`**/bookings/${id}`)
  })

  test('a double booking and a failing sync need somebody, until they are solved', async () => {
    const { channel_listings } = await api<{ channel_listings: Listing[] }>(
      'GET',
      `/channel-listings?limit=100`,
    )
    const [listing] = channel_listings as [Listing]
    await page.goto(app.url)
    await page.getByText('Nothing needs you').waitFor()

    await setPmsFaults(app.product, { mode: 'refuse', status: 422, external_id: listing.external_id })
    await api('PATCH', `/units/${listing.unit_id}`, { base_price_cents: 22_200 })
    const failures = page.locator('[data-part="failures"]')
    await failures.getByText('refuses the values').waitFor()
    await expect(page).toHaveTitle(/^\(1\) Today/)

    // The unit is its own only room, and is not for sale.
    await sellAtPms(app.product, {
      listing: { ...listing, external_id: 'no-such-room' },
      ...{ guest: 'Óscar Lima', checkIn: lisbonDay(300), checkOut: lisbonDay(302) },
    })
    const conflicts = page.locator('[data-part="conflicts"]')
    await conflicts.getByRole('link', { name: 'Booking for a room that is not linked' }).waitFor()
    await expect(page).toHaveTitle(/^\(2\) Today/)
    await conflicts.getByRole('link', { name: '1 booking conflict' }).click()
    await page.waitForURL(/\/inbox\?show=conflicts/)
    await page.goBack()
    await conflicts.getByRole('link', { name: 'Booking for a room that is not linked' }).click()
    await page.getByRole('button', { name: 'Dismiss', exact: true }).waitFor()
    await page.goBack()

    await setPmsFaults(app.product)
    await api('PATCH', `/units/${listing.unit_id}`, { base_price_cents: 22_300 })
    await failures.waitFor({ state: 'detached' })
  })

  test('an alert is described in the language of the page', async () => {
    const { page: german } = await app.openAs('owner', '/settings', { locale: 'de-DE' })
    await german.route('**/api/v1/today', async (route) => {
      const response = await route.fetch()
      const { today } = (await response.json()) as { today: object }
      const alert = {
        id: crypto.randomUUID(),
        kind: 'target.error',
        details: {},
        first_at: new Date().toISOString(),
      }
      const alerts = { count: 1, alerts: [{ ...alert, message: 'The PMS rejects the credentials.' }] }
      await route.fulfill({ response, json: { today: { ...today, alerts } } })
    })
    await german.goto(`${app.url}/`)
    const part = german.locator('[data-part="alerts"]')
    await part.getByRole('listitem').waitFor()
    await expect(part).not.toContainText('The PMS rejects')
  })

  test('a sales stop is announced, and a role sees what it may', async () => {
    const { sales_stop } = await api<{ sales_stop: { id: string } }>('POST', '/sales-stops', {
      unit_id: unit.id,
    })
    await page.goto(app.url)
    await page.getByRole('link', { name: 'See what is stopped' }).click()
    await page.waitForURL('**/stop-sell')
    await page.goBack()
    await page.getByText('A sales stop is in force').waitFor()
    await api('DELETE', `/sales-stops/${sales_stop.id}`)
    await expect(page.getByText('A sales stop is in force')).toHaveCount(0)

    const { page: desk } = await app.openAs('viewer')
    await desk.locator('[data-figure="arrivals"]').waitFor()
    const add = desk.getByRole('link', { name: 'New booking' })
    await expect(add).toHaveAttribute('title', 'Your role does not allow this')
  })

  test('an organization without anything is led through the steps, which are ticked by themselves', async () => {
    addOrganization(app.product, 'Serra Stays', 'Rosa Serra')
    const { page: rosa } = await app.openSignedOut()
    await signIn(rosa, app.url, 'Rosa Serra')
    const hers = app.apiAs('Rosa Serra')
    await rosa.waitForURL('**/start')
    await rosa.getByText('0 of 4 steps done').waitFor()
    await assertAccessible(rosa, 'start')
    const step = (name: string) => rosa.locator(`[data-step="${name}"]`)
    await expect(step('link')).toContainText('After “Add your units”')

    await addUnit(hers, 'Chalet')
    await expect(step('units')).toHaveAttribute('data-done', 'true')
    await step('connect').getByRole('link', { name: 'Connect a PMS' }).press('Enter')
    await rosa.waitForURL('**/channels/new')
    const target = { channel_type: 'pms', name: 'Serra PMS', config: { property_ref: 'serra' } }
    await hers('POST', '/channel-targets', target)
    await rosa.goBack()
    await step('link').getByRole('link', { name: 'Link units' }).click()
    await rosa.waitForURL(/\/channels\/[^/]+\/link/)

    // From here on Today has something to show, and says what is left.
    await rosa.getByRole('navigation').getByRole('link', { name: 'Today' }).click()
    await rosa.getByText('2 of 4 steps to sell are done.').waitFor()
    await rosa.getByText('Nobody arrives today.').waitFor()
    await assertAccessible(rosa, 'an empty day')
    await rosa.getByRole('link', { name: 'Go on' }).click()
    await rosa.waitForURL('**/start')
    await rosa.goBack()
    await rosa.getByRole('button', { name: 'Hide' }).click()
    await rosa.reload()
    await rosa.getByText('Nobody arrives today.').waitFor()
    await expect(rosa.getByText('2 of 4 steps to sell are done.')).toHaveCount(0)

    // The steps of another organization are shown in the same browser.
    addOrganization(app.product, 'Estrela Stays', 'Elsa Estrela')
    await addUnit(app.apiAs('Elsa Estrela'), 'Chalet')
    await rosa.getByRole('button', { name: /account menu/ }).click()
    await rosa.getByRole('menuitem', { name: 'Sign out' }).click()
    await rosa.getByRole('button', { name: 'Sign in' }).click()
    await rosa.locator('button[name="person"]', { hasText: 'Elsa Estrela' }).click()
    await rosa.getByText('1 of 4 steps to sell are done.').waitFor()
  })

  test('the date is that of the property, also on a day without stays', async () => {
    const owner = 'Anote Atoll'
    addOrganization(app.product, 'Far House', owner)
    const far = app.apiAs(owner)
    const timezone = 'Pacific/Kiritimati'
    const place = { name: 'Atoll', timezone, currency: 'eur', country: 'KI' }
    const { space } = await far<{ space: { id: string } }>('POST', '/spaces', place)
    const hut = { name: 'Hut', type: 'studio', max_guests: 2, base_price_cents: 9_000, currency: 'eur' }
    await far('POST', '/units', { ...hut, space_id: space.id })
    const { page: west } = await app.openAs(owner, '/', { timezoneId: 'Pacific/Honolulu' })
    const date = new Intl.DateTimeFormat('en-US', { timeZone: timezone, month: 'short', day: 'numeric' })
    await west.getByText(date.format()).waitFor()
  })

  test('is accessible in every look', async () => {
    const { page: other, witness } = await app.openAs('owner')
    await other.locator('[data-part="arrivals"] li').first().waitFor()
    await assertEveryLook(other, 'today')
    await other.goto(`${app.url}/start`)
    await other.getByText('4 of 4 steps done').waitFor()
    await assertEveryLook(other, 'start')
    assert.deepEqual(witness.complaints, [])
  })
})
