import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { holdChange } from './test/hold-change.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

interface Booking {
  id: string
  guestName: string
}

suite('guest data', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  const addBooking = async (guestName: string, guestEmail: string) => {
    const unitId = (await addUnit(api, 'Erasure Studio')).id
    const input = { unitId, guestName, guestEmail, checkIn: day(500), checkOut: day(502) }
    return (await api<{ booking: Booking }>('POST', '/bookings', input)).booking
  }
  const confirm = async (page: Page) => {
    await page.getByRole('button', { name: 'Erase…' }).click()
    await page.getByRole('dialog').getByLabel('Type erase to confirm').fill('erase')
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click()
  }

  test('an owner saves the data of a guest as a file', async () => {
    const { page } = await app.openAs('owner', '/settings')
    const booking = await addBooking('Olga Portela', 'olga@guest.example')
    await page.getByRole('link', { name: 'Guest data' }).click()
    const field = page.getByRole('textbox', { name: 'E-mail address' })
    for (const wrong of ['', 'olga']) {
      await field.fill(wrong)
      await page.getByRole('button', { name: 'Export' }).click()
      await expect(field).toHaveAttribute('aria-invalid', 'true')
      await expect(field).toBeFocused()
    }
    await field.fill(' Olga@guest.example ')
    const downloading = page.waitForEvent('download')
    await page.keyboard.press('Enter')
    const download = await downloading
    assert.match(download.suggestedFilename(), /^guest-\d{4}-\d\d-\d\d\.json$/)
    const file = JSON.parse(await readFile(await download.path(), 'utf8')) as { bookings: Booking[] }
    assert.deepEqual(
      file.bookings.map(({ id, guestName }) => [id, guestName]),
      [[booking.id, 'Olga Portela']],
    )
    await expect(field).not.toHaveAttribute('aria-invalid', 'true')
  })

  test('an owner erases a guest after confirming it, and sees when that is done', async () => {
    const { page, witness } = await app.openAs('owner', '/settings/guest-data')
    const booking = await addBooking('Pia Quaresma', 'pia@guest.example')
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('pia@guest.example')
    await page.getByRole('button', { name: 'Erase…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Erase this guest?' })
    await dialog.getByText('pia@guest.example').waitFor()
    await expect(dialog.getByRole('button', { name: 'Erase' })).toBeDisabled()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.ok(!witness.requested.some((url) => url.endsWith('/guest-erasures')))

    // The list is read before the guest is erased.
    await page.route('**/api/v1/guest-erasures?*', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replace('"completed"', '"running"') })
      await page.unroute('**/api/v1/guest-erasures?*')
    })
    await confirm(page)
    const row = page.getByRole('table', { name: 'Erasures' }).getByRole('row').nth(1)
    await row.getByText(/Waiting|Running/).waitFor()
    await row.getByText('Completed').waitFor()
    await expect(row.getByRole('cell').nth(3)).toHaveText('1')
    await expect(page.getByRole('textbox', { name: 'E-mail address' })).toHaveValue('')
    await assertEveryLook(page, 'guest data')

    await page.goto(`${app.url}/bookings/${booking.id}`)
    await page.getByText('Erased guest').first().waitFor()
    await expect(page.locator('#content')).not.toContainText(/Pia|pia@/)
  })

  test('an erasure that is rejected says why, and the dialog stays', async () => {
    const { page } = await app.openAs('owner', '/settings/guest-data')
    await page.getByLabel('Find the guest by').selectOption('Id of a booking')
    await page.getByRole('textbox', { name: 'Id of a booking' }).fill(crypto.randomUUID())
    await confirm(page)
    await page.getByRole('dialog').getByRole('alert').waitFor()
  })

  test('what is typed next stays when an erasure is begun', async () => {
    const { page } = await app.openAs('owner', '/settings/guest-data')
    await addBooking('Rita Seguinte', 'rita@guest.example')
    const field = page.getByRole('textbox', { name: 'E-mail address' })
    await field.fill('rita@guest.example')
    const change = await holdChange(page, '**/api/v1/guest-erasures')
    await confirm(page)
    await change.sent
    await page.keyboard.press('Escape')
    await field.fill('next@guest.example')
    change.letThrough()
    await page.getByRole('status').getByText('is being erased').waitFor()
    await expect(field).toHaveValue('next@guest.example')
  })

  test('only owners see the page', async () => {
    const { page } = await app.openAs('manager', '/settings/guest-data')
    await page.getByRole('link', { name: 'Limits' }).waitFor()
    await expect(page.getByRole('link', { name: 'Guest data' })).toHaveCount(0)
    for (const name of ['Export', 'Erase…']) await expect(page.getByRole('button', { name })).toBeDisabled()
    await page.getByRole('alert').getByText('guests:read').waitFor()
  })
})
