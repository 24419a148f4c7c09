import { suite, test } from 'node:test'

import { expect, noBrowser } from './test/browser.ts'
import { later } from './test/days.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('changes that are rejected', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  test('what is wrong with a changed webhook is shown at its field', async () => {
    const input = { url: 'https://hooks.example.com/rejected', event_types: ['*'] }
    const created = await api<{ webhook_endpoint: { id: string } }>('POST', '/webhook-endpoints', input)
    const { page } = await app.openAs('owner', `/settings/webhooks/${created.webhook_endpoint.id}`)
    const url = page.getByLabel('Address')
    const save = page.getByRole('button', { name: 'Save changes' })
    await url.fill('nowhere')
    await save.click()
    await expect(url).toHaveAccessibleDescription(/must be an address/)
    await expect(url).toBeFocused()
    await url.fill('https://hooks.example.com/accepted')
    await page.getByLabel('All events').uncheck()
    await page.getByLabel('booking.created').uncheck()
    await save.click()
    await expect(page.getByRole('alert').getByText('at least 1')).toBeInViewport()
  })

  test('what is wrong in a dialog is in view on a small screen', async () => {
    const { id } = await addUnit(api, 'Small Screen')
    const { page } = await app.openAs('owner', `/units/${id}`, { width: 390 })
    await page.setViewportSize({ width: 390, height: 500 })
    await page.getByRole('button', { name: 'Add a charge' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount').fill('5')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const name = dialog.getByLabel('Name')
    await expect(name).toBeFocused()
    await expect(name).toBeInViewport()
  })

  test('a change by a colleague is reported also when the record cannot be read again', async () => {
    const { id } = await addUnit(api, 'Unread Change')
    const { page } = await app.openAs('owner', `/units/${id}`)
    const save = page.getByRole('button', { name: 'Save changes' })
    await page.getByLabel('Name', { exact: true }).fill('Ours')
    const address = `**/api/v1/units/${id}`
    await page.route(address, async (route) => {
      if (route.request().method() === 'GET') return await route.fulfill({ status: 500, json: {} })
      await api('PATCH', `/units/${id}`, { bedrooms: 7 })
      await route.fallback()
    })
    const alert = page.getByRole('alert')
    await save.click()
    await alert.getByText('has changed').waitFor()
    await page.unroute(address)
    await save.click()
    await alert.getByText('Someone else').waitFor()
    await expect(alert).toHaveCount(1)
    await save.click()
    await page.getByRole('heading', { name: 'Ours', level: 1 }).waitFor()
  })

  test('a dialog says when a colleague deletes what it edits', async () => {
    const unit = await addUnit(api, 'Deleted Charge')
    const input = { unit_id: unit.id, name: 'Linen', kind: 'fee', basis: 'stay', amount_cents: 900 }
    const { charge } = await api<{ charge: { id: string } }>('POST', '/charges', input)
    const { page } = await app.openAs('owner', `/units/${unit.id}`)
    await page.getByRole('button', { name: 'Edit: Linen' }).click()
    const dialog = page.getByRole('dialog')
    const save = dialog.getByRole('button', { name: 'Save' })
    await expect(save).toBeEnabled()
    await dialog.getByLabel('Name').fill('Fresh linen')
    await api('DELETE', `/charges/${charge.id}`)
    await dialog.getByRole('alert').getByText('has been deleted').waitFor()
    await expect(save).toBeDisabled()
    await expect(dialog.getByLabel('Name')).toHaveValue('Fresh linen')
  })

  test('offline, the cancellation of a booking says why it cannot tell what goes back', async () => {
    const { id: unitId } = await addUnit(api, 'Offline Cancellation')
    const stay = { checkIn: later('09-01'), checkOut: later('09-03') }
    const input = { unitId, guestName: 'Olaf Offline', ...stay }
    const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', input)
    const { page } = await app.openAs('owner', `/bookings/${booking.id}`)
    await page.getByRole('button', { name: 'Cancel…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('status').waitFor()
    await page.context().setOffline(true)
    await dialog.getByLabel('Reason').selectOption({ index: 1 })
    await dialog.getByRole('alert').waitFor()
    await page.context().setOffline(false)
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByRole('status').waitFor()
  })

  test('a unit that a colleague has changed can be archived at the second attempt', async () => {
    const { id } = await addUnit(api, 'Archived Twice')
    const { page } = await app.openAs('owner', '/settings')
    // What the stream tells of would have the unit read again.
    await page.route('**/api/v1/events/stream*', (route) => route.abort())
    await page.goto(`${app.url}/units/${id}`)
    await page.getByRole('button', { name: 'Archive' }).click()
    await api('PATCH', `/units/${id}`, { bedrooms: 3 })
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Archive' }).click()
    await dialog.getByRole('alert').getByText('has changed').waitFor()
    await dialog.getByRole('button', { name: 'Archive' }).click()
    await expect(dialog).toHaveCount(0)
    await page.getByRole('button', { name: 'Restore' }).waitFor()
  })

  test('what is wrong with a new channel is shown also in the part that was closed again', async () => {
    const { page } = await app.openAs('owner', '/channels/new')
    await page.getByLabel('Name', { exact: true }).fill('Closed Again')
    const timing = page.getByText('Timing and limits')
    await timing.click()
    const limit = page.getByLabel('Longest call (seconds)')
    await limit.fill('long')
    await timing.click()
    await expect(limit).toBeHidden()
    await page.getByRole('button', { name: 'Test the connection' }).click()
    await expect(limit).toBeFocused()
    await expect(limit).toHaveAccessibleDescription(/integer/)
  })
})
