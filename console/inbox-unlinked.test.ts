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

  const readListing = async (external_id: string) => {
    const { channel_listings } = await api<{ channel_listings: [{ channel_target_id: string }] }>(
      'GET',
      '/channel-listings?limit=1',
    )
    return { ...channel_listings[0], external_id }
  }

  test('that the PMS changes while its dialog is open is not dismissed as it was', async () => {
    const listing = await readListing('ROOM-ATTIC')
    const sold = { listing, guest: 'Nora Nova', number: 'OTA-NOVA', checkIn: later('05-10') }
    await sellAtPms(app.product, { ...sold, checkOut: later('05-12') })
    const { page } = await app.openAs('owner', '/inbox?show=conflicts')
    await page.getByRole('button', { name: 'Booking for a room that is not linked' }).click()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Why no action is needed').fill('They sleep elsewhere.')
    await sellAtPms(app.product, { ...sold, checkOut: later('05-15') })
    await page.getByText('5 nights').waitFor()
    await dialog.getByRole('button', { name: 'Dismiss' }).click()
    await dialog.getByText('The PMS has changed this booking meanwhile.').waitFor()
    const path = '/booking-conflicts?status=open'
    const open = await api<{ booking_conflicts: { external_id: string }[] }>('GET', path)
    assert.ok(open.booking_conflicts.some(({ external_id }) => external_id.startsWith('OTA-NOVA')))
    await dialog.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('Conflict dismissed').waitFor()
  })
  test('names its number and its room at the PMS', async () => {
    const listing = await readListing('ROOM-LOFT')
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
})
