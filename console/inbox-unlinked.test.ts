import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { expect, noBrowser } from './test/browser.ts'
import { later } from './test/days.ts'
import { sellAtPms } from './test/pms.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('a booking for what is not linked', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  test('names its number and its room at the PMS', async () => {
    const { channel_listings } = await api<{ channel_listings: [{ channel_target_id: string }] }>(
      'GET',
      '/channel-listings?limit=1',
    )
    const listing = { ...channel_listings[0], external_id: 'ROOM-LOFT' }
    const [checkIn, checkOut] = [later('04-10'), later('04-13')]
    await sellAtPms(app.product, { listing, guest: 'Ivo Incerto', checkIn, checkOut })
    const { page } = await app.openAs('owner', '/inbox?show=conflicts')
    await page.getByRole('button', { name: 'Booking for a room that is not linked' }).click()
    await page.getByText(/^Booking OTA-[\da-f]{8} · room ROOM-LOFT$/).waitFor()
  })

  test('is accepted in a unit that is free, but not offered for so few nights', async () => {
    const { id: unit_id } = await addUnit(api, 'Long Stays')
    const [date_from, date_to] = [later('04-01'), later('04-30')]
    await api('POST', '/calendar', { values: [{ unit_id, date_from, date_to, min_stay_arrival: 14 }] })
    const { page } = await app.openAs('owner', '/inbox?show=conflicts')
    await page.getByRole('button', { name: 'Booking for a room that is not linked' }).click()
    await page.getByRole('button', { name: 'Accept in another unit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio').first().waitFor()
    await expect(dialog.getByRole('radio', { name: /^Long Stays/ })).toHaveCount(0)
    await dialog
      .getByRole('combobox', { name: /^Another unit/ })
      .selectOption({ label: 'Long Stays · Zambujeira House' })
    await dialog.getByRole('button', { name: 'Accept here' }).click()
    await page.getByText('Accepted. The booking has its room.').waitFor()
    const { bookings } = await api<{ bookings: { guestName: string }[] }>(
      'GET',
      `/bookings?unit_id=${unit_id}`,
    )
    assert.deepEqual(
      bookings.map(({ guestName }) => guestName),
      ['Ivo Incerto'],
    )
  })

  test('keeps the reason that is typed when a colleague closes the conflict meanwhile, and says so', async () => {
    const { channel_listings } = await api<{ channel_listings: [{ channel_target_id: string }] }>(
      'GET',
      '/channel-listings?limit=1',
    )
    const listing = { ...channel_listings[0], external_id: 'ROOM-ATTIC' }
    await sellAtPms(app.product, {
      listing,
      guest: 'Clara Cedo',
      checkIn: later('04-20'),
      checkOut: later('04-23'),
    })
    const { page } = await app.openAs('owner', '/inbox?show=conflicts')
    const item = page.getByRole('button', { name: 'Booking for a room that is not linked' })
    await item.click()
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
    const dialog = page.getByRole('dialog')
    const reason = dialog.getByLabel('Why no action is needed')
    await reason.fill('The guest has called.')
    const open = '/booking-conflicts?status=open'
    const { booking_conflicts } = await api<{ booking_conflicts: [{ id: string }] }>('GET', open)
    assert.equal(booking_conflicts.length, 1)
    const address = `/booking-conflicts/${booking_conflicts[0].id}/dismissal`
    await api('POST', address, { reason: 'Entered by hand.' })
    await page.getByText('Nothing here').waitFor({ state: 'attached' })
    await dialog.getByRole('button', { name: 'Dismiss', exact: true }).click()
    await dialog
      .getByRole('alert')
      .getByText(/dismissed already/)
      .waitFor()
    await expect(reason).toHaveValue('The guest has called.')
  })
})
