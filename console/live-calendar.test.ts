import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { expect, noBrowser } from './test/browser.ts'
import { dayMs, later } from './test/days.ts'
import { replaceStream, untilOver, untilPainted } from './test/live.ts'
import { addUnit } from './test/units.ts'
import type { Unit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

interface Booking {
  id: string
  unitId: string
  departure: string
}

interface Listing {
  id: string
  unit: { name: string }
}

suite('the calendar while records change', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  const firstListing = async () =>
    (await api<{ channel_listings: [Listing] }>('GET', '/channel-listings?limit=1')).channel_listings[0]

  /** Opens the calendar of a new unit only; returns one of its nights, which `changePrice` changes. */
  const openNight = async (page: Page, unit: Unit) => {
    const search = new URLSearchParams({ q: unit.name, from: later('05-01') })
    await page.goto(`${app.url}/calendar?${search}`)
    const night = page.locator(`[data-row="unit"] [data-day="${Date.parse(later('05-05')) / dayMs}"]`)
    await expect(night).toContainText('90')
    return night
  }
  const changePrice = ({ id }: Unit) => {
    const value = { unit_id: id, date_from: later('05-05'), date_to: later('05-05'), price_cents: 12_300 }
    return api('POST', '/calendar', { values: [value] })
  }

  test('a booking that a colleague moves meanwhile is not moved from the place where it was', async () => {
    const [first, second] = [await addUnit(api, 'Meio Um'), await addUnit(api, 'Meio Dois')]
    const stay = { checkIn: later('03-10'), checkOut: later('03-12') }
    const input = { unitId: first.id, guestName: 'Mara Meio', status: 'confirmed', ...stay }
    const { booking } = await api<{ booking: Booking }>('POST', '/bookings', input)
    const search = new URLSearchParams({ q: 'Meio', from: later('03-01') })
    const { page } = await app.openAs('owner', `/calendar?${search}`)
    await page.locator(`[data-bar="${booking.id}"]`).click()
    await page.getByRole('button', { name: 'Move …' }).click()
    const dialog = page.getByRole('dialog')
    const move = dialog.getByRole('button', { name: 'Move the booking' })
    await expect(move).toBeEnabled()
    const again = page.waitForResponse((response) => response.url().endsWith(`/bookings/${booking.id}`))
    await api('PATCH', `/bookings/${booking.id}`, { unitId: second.id })
    await again
    await dialog.getByLabel('Departure').fill(later('03-13'))
    await move.click()
    await dialog
      .getByRole('alert')
      .getByText(/changed this booking meanwhile/)
      .waitFor()
    const { unitId, departure } = (await api<{ booking: Booking }>('GET', `/bookings/${booking.id}`)).booking
    assert.deepEqual([unitId, departure], [second.id, later('03-12')])
  })

  test('another day begins while the calendar is open, and the nights stay where they are', async () => {
    const newYear = Date.parse(later('01-01'))
    // The weeks of the calendar begin with a Monday. In winter the clocks of Lisbon show UTC.
    const monday = newYear + ((8 - new Date(newYear).getUTCDay()) % 7) * dayMs
    const { page } = await app.openAs('owner', '/settings/limits')
    await page.clock.install({ time: monday - 10_000 })
    await page.goto(`${app.url}/calendar`)
    const today = page.locator('[role=columnheader][data-today]')
    await expect(today).toContainText('Sun')
    const sunday = page.getByRole('columnheader', { name: await today.innerText() }).first()
    const place = await sunday.boundingBox()
    await page.clock.runFor(20_000)
    await expect(today).toContainText('Mon')
    assert.deepEqual(await sunday.boundingBox(), place)
  })

  test('the nights of units that were filtered out are read again when they changed meanwhile', async () => {
    const unit = await addUnit(api, 'Filtered Out')
    const listing = await firstListing()
    const status = await api<object>('GET', `/sync/status/${listing.id}`)
    const { page } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    const night = await openNight(page, unit)
    const filter = page.getByRole('searchbox')
    await filter.fill(listing.unit.name)
    await page.getByRole('rowheader', { name: listing.unit.name }).first().waitFor()
    await changePrice(unit)
    const isReread = (url: string) => url.includes('/api/v1/calendar?') && url.includes('limit=50')
    const reread = page.waitForResponse((response) => isReread(response.url()))
    stream.send('changes', { calendar: null })
    await reread
    stream.send('sync', { ...status, status: 'failed' })
    await page.getByRole('rowheader', { name: listing.unit.name }).getByRole('img').waitFor()
    await filter.fill(unit.name)
    await expect(night).toContainText('123')
    await stream.end()
  })

  test('all units are read again neither when nights change, nor when somebody comes back to the page', async () => {
    const unit = await addUnit(api, 'Nights Only')
    const { page, witness } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    const night = await openNight(page, unit)
    const lists = () =>
      witness.requested.filter((url) => url.includes('/calendar?') && url.includes('limit=100'))
    const before = lists()
    await changePrice(unit)
    stream.send('changes', { calendar: null })
    await expect(night).toContainText('123')
    assert.deepEqual(lists(), before)
    await page.clock.setFixedTime(Date.now() + 120_000)
    const session = page.waitForResponse('**/api/v1/auth/session')
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    await session
    assert.deepEqual(lists(), before)
    await stream.end()
  })

  test('a new price stays while nights are read as they were before it', async () => {
    const unit = await addUnit(api, 'Old Answer')
    const { page } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    await page.goto(`${app.url}/calendar?${new URLSearchParams({ q: unit.name, from: later('06-01') })}`)
    const night = page.locator(`[data-row="unit"] [data-day="${Date.parse(later('06-05')) / dayMs}"]`)
    await night.and(page.locator('[data-state="free"]')).click()
    const editor = page.getByRole('form', { name: 'Change nights' })
    await editor.getByRole('radio', { name: 'Set', exact: true }).check()
    await editor.getByRole('textbox', { name: /Amount/ }).fill('95')
    await page.getByRole('status').getByText('1 night changes').waitFor()

    const [reading, read, saved] = [1, 2, 3].map(() => Promise.withResolvers<void>())
    const isOfNights = (url: string) => url.includes('/api/v1/calendar?') && url.includes('unit_id=')
    await page.route('**/api/v1/calendar?*', async (route) => {
      if (!isOfNights(route.request().url())) return await route.continue()
      const response = await route.fetch()
      reading!.resolve()
      await read!.promise
      await route.fulfill({ response })
    })
    await page.route('**/api/v1/calendar', async (route) => {
      const { dry_run } = route.request().postDataJSON() as { dry_run?: boolean }
      if (!dry_run) await saved!.promise
      await route.continue()
    })
    stream.send('changes', { calendar: null })
    await reading!.promise
    const over = untilOver(page, (request) => isOfNights(request.url()))
    await editor.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(night).toContainText('95')
    read!.resolve()
    await over
    await untilPainted(page)
    await expect(night).toContainText('95')
    saved!.resolve()
    await page.getByText('Changed 1 night').waitFor()
    await stream.end()
  })

  test('the states of nights are read again on the way back to the calendar', async () => {
    const listing = await firstListing()
    const { page } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    await page.goto(`${app.url}/calendar?${new URLSearchParams({ q: listing.unit.name })}`)
    const name = page.getByRole('rowheader', { name: listing.unit.name }).first()
    await name.waitFor()
    await page.locator('[data-row="unit"] [data-day]:not([data-state="loading"])').first().waitFor()
    await page.getByRole('link', { name: 'Bookings' }).click()
    await page.getByRole('heading', { name: 'Bookings', level: 1 }).waitFor()
    await page.route('**/api/v1/calendar?*', async (route) => {
      const response = await route.fetch({ headers: { ...route.request().headers(), 'if-none-match': '' } })
      const reply = (await response.json()) as { calendar: { listings?: object[] }[] }
      const calendar = reply.calendar.map((unit) => ({
        ...unit,
        ...(unit.listings && { listings: unit.listings.map((one) => ({ ...one, status: 'failed' })) }),
      }))
      await route.fulfill({ json: { ...reply, calendar } })
    })
    await page.goBack()
    await name.getByRole('img', { name: 'Failed' }).waitFor()
    await stream.end()
  })
})
