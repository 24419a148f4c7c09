import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import type { Locator, Page } from '@playwright/test'
import { expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('parts that cannot be read', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  /** Opens a screen while requests to these addresses fail; returns it and how to end that. */
  const openFailing = async (path: string, addresses: RegExp) => {
    const { page } = await app.openAs('owner', '/settings')
    await page.route(addresses, (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto(app.url + path)
    return { page, answerAgain: () => page.unroute(addresses) }
  }
  const retryIn = (part: Page | Locator) => part.getByRole('button', { name: 'Try again' })

  /** A booking with a payment, which is cancelled so that the sums that other tests read stay as they are. */
  const addPayment = async (guestName: string) => {
    const { id: unitId } = await addUnit(api, `Studio of ${guestName}`)
    const input = { unitId, guestName, checkIn: day(400), checkOut: day(402) }
    const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', input)
    const asked = { booking_id: booking.id, amount: 700, currency: 'eur' }
    const { payment_intent } = await api<{ payment_intent: { id: string } }>(
      'POST',
      '/payment-intents',
      asked,
    )
    await api('POST', `/payment-intents/${payment_intent.id}/cancel`)
    return booking.id
  }

  test('each section of a unit is read again when the person says so', async () => {
    const { id } = await addUnit(api, 'Unread Studio')
    const { page, answerAgain } = await openFailing(
      `/units/${id}`,
      /\/api\/v1\/(rate-plans|charges|calendar-feeds|channel-listings|bookings|media)\?/,
    )
    const names = [
      'Rate plans',
      'Fees, taxes and discounts',
      'Calendar feeds',
      'Listings',
      'Bookings',
      'Photos',
    ]
    const sections = names.map((name) => page.getByRole('region', { name }))
    for (const section of sections) await retryIn(section).waitFor()
    await answerAgain()
    for (const section of sections) {
      await retryIn(section).click()
      await expect(section.getByRole('alert')).toHaveCount(0)
    }
  })

  test('the sums of the payments are read again when the person says so', async () => {
    const { page, answerAgain } = await openFailing('/payments', /\/api\/v1\/payment-totals/)
    await retryIn(page.getByRole('alert')).waitFor()
    await answerAgain()
    await retryIn(page.getByRole('alert')).click()
    await expect(retryIn(page)).toHaveCount(0)
  })

  test('the names of guests who paid are read again when the person says so', async () => {
    await addPayment('Noémia Nomeada')
    const { page, answerAgain } = await openFailing('/payments', /\/api\/v1\/bookings\?/)
    await retryIn(page.getByRole('alert')).waitFor()
    await answerAgain()
    await retryIn(page.getByRole('alert')).click()
    await page.getByRole('link', { name: 'Noémia Nomeada' }).waitFor()
    await expect(retryIn(page)).toHaveCount(0)
  })

  test('a payment of a guest whose name was erased leads to its booking', async () => {
    const bookingId = await addPayment('Elsa Esquecida')
    const { page } = await app.openAs('owner', '/settings')
    await page.route('**/api/v1/bookings?*', async (route) => {
      const response = await route.fetch()
      const { bookings, ...rest } = (await response.json()) as { bookings: { id: string }[] }
      const erased = bookings.map((one) => (one.id === bookingId ? { ...one, guestName: '' } : one))
      await route.fulfill({ response, json: { ...rest, bookings: erased } })
    })
    await page.goto(`${app.url}/payments`)
    await page.getByRole('link', { name: 'Name erased' }).click()
    await expect(page).toHaveURL(new RegExp(`/bookings/${bookingId}$`))
  })

  test('the booking that has the room of a conflict is read again when the person says so', async () => {
    const { id: unitId } = await addUnit(api, 'Unread Conflict')
    const input = { unitId, guestName: 'Olga Ocupa', checkIn: day(400), checkOut: day(402) }
    const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', input)
    const { page, answerAgain } = await openFailing('/settings', /\/api\/v1\/bookings\/[^?]+$/)
    await page.route('**/api/v1/booking-conflicts?*', (route) => {
      const conflict = {
        ...{ id: crypto.randomUUID(), reason: 'no_room', external_id: 'OTA-1', booking: {} },
        ...{ unit: null, channel_target: null, created_at: new Date().toISOString() },
        conflicts: [{ booking_id: booking.id, check_in: day(400), check_out: day(402) }],
      }
      return route.fulfill({ json: { booking_conflicts: [conflict], next_cursor: null, has_more: false } })
    })
    await page.goto(`${app.url}/inbox?show=conflicts`)
    await page.getByRole('button', { name: 'Double booking' }).click()
    await retryIn(page.getByRole('alert')).waitFor()
    await answerAgain()
    await retryIn(page.getByRole('alert')).click()
    await page.getByRole('link', { name: 'Olga Ocupa' }).waitFor()
  })

  test('a download that fails does not take the place of the screen', async () => {
    const { page } = await app.openAs('owner', '/settings')
    const created_at = new Date().toISOString()
    const done = { id: crypto.randomUUID(), status: 'completed', size_bytes: 1, missing_files: 0, created_at }
    await page.route('**/api/v1/exports?*', (route) => route.fulfill({ json: { exports: [done] } }))
    const url = `${app.url}/exports/expired.tar`
    await page.route('**/api/v1/exports/*/download', (route) =>
      route.fulfill({ json: { download: { url } } }),
    )
    await page.goto(`${app.url}/settings/exports`)
    const failed = page.waitForEvent('download')
    await page.getByRole('button', { name: /^Download the export of/ }).click()
    assert.notEqual(await (await failed).failure(), null)
    await expect(page.getByRole('list', { name: 'Exports' })).toBeVisible()
  })

  test('an address that leads to no record says so, and leads back to the others', async () => {
    const { page } = await app.openAs('owner', '/settings')
    for (const list of ['/units', '/spaces', '/bookings', '/channels', '/import', '/settings/webhooks']) {
      await page.goto(`${app.url}${list}/${crypto.randomUUID()}`)
      await expect(page.getByRole('alert'), list).toContainText('It may have been deleted')
      await expect(retryIn(page), list).toHaveCount(0)
      const parent = list === '/spaces' ? '/units' : list
      await expect(page.locator(`#content a[href^="${parent}"]`).first(), list).toBeVisible()
    }
  })

  test('a filter for what no longer exists does not say that all is shown, and can be removed', async () => {
    const { page } = await app.openAs('owner', `/bookings?unit=${crypto.randomUUID()}`)
    await page.getByText('No booking matches these filters').waitFor()
    const unit = page.getByRole('combobox', { name: 'Unit' })
    await expect(unit.locator('option:checked')).toHaveText('Unit: –')
    await unit.selectOption('Unit: All')
    await expect(page).toHaveURL(/\/bookings$/)
  })
})
