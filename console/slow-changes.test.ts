import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import type { Locator } from '@playwright/test'
import { expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { holdChange, refusal } from './test/hold-change.ts'
import { addPmsRoom } from './test/pms.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('changes that take long', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  const openBooking = async (unitName: string, guestName: string) => {
    const { id: unitId } = await addUnit(api, unitName)
    const stay = { unitId, guestName, checkIn: day(500), checkOut: day(503), totalCents: 20_000 }
    const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', stay)
    return (await app.openAs('owner', `/bookings/${booking.id}`)).page
  }

  test('what a dialog sends cannot be changed meanwhile, and is there again when it failed', async () => {
    const page = await openBooking('Slow Dialog', 'Sara Lenta')
    const change = await holdChange(page, '**/api/v1/payment-intents')
    await page.getByRole('button', { name: 'Ask for a payment…' }).click()
    const amount = page.getByRole('dialog').getByLabel('Amount')
    await amount.fill('100')
    await amount.press('Enter')
    await change.sent
    await expect(amount).toBeDisabled()
    const button = page.getByRole('dialog').getByRole('button', { name: 'Ask for it' })
    const middleOf = async (of: Locator) => {
      const { x, width, y, height } = (await of.boundingBox())!
      return { x: x + width / 2, y: y + height / 2 }
    }
    const [sign, middle] = [await middleOf(button.locator('.mantine-Button-loader')), await middleOf(button)]
    assert.ok(Math.hypot(sign.x - middle.x, sign.y - middle.y) < 2, JSON.stringify({ sign, middle }))
    change.reject()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await expect(amount).toBeFocused()
    await expect(amount).toHaveValue('100')
  })

  test('a move can be confirmed while its price is read again', async () => {
    const page = await openBooking('Read Again Studio', 'Rita Relida')
    await page.getByRole('button', { name: 'Move…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Departure').fill(day(504))
    const move = dialog.getByRole('button', { name: 'Move', exact: true })
    await expect(move).toBeEnabled()
    await move.focus()
    const again = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await page.route('**/preview', async (route) => {
      again.resolve()
      await held.promise
      await route.continue()
    })
    const { id: unitId } = await addUnit(api, 'Another Studio')
    await api('POST', '/bookings', { unitId, guestName: 'Ana', checkIn: day(500), checkOut: day(502) })
    await again.promise
    await expect(move).toBeFocused()
    await page.keyboard.press('Enter')
    await page.getByText('The booking was moved').waitFor()
    held.resolve()
  })

  test('a form that closes when it is saved takes nothing more meanwhile', async () => {
    const page = await openBooking('Slow Guest', 'Gil Gasto')
    const change = await holdChange(page, '**/api/v1/bookings/*')
    await page.getByRole('button', { name: 'Edit' }).click()
    const email = page.getByLabel('E-mail')
    await email.fill('gil@example.com')
    await email.press('Enter')
    await change.sent
    await expect(page.getByLabel('Phone')).toBeDisabled()
    change.reject()
    await page.getByRole('alert').waitFor()
    await expect(email).toBeFocused()
    await expect(email).toHaveValue('gil@example.com')
  })

  /** A unit, and a room of a PMS with the same name. */
  const openWizard = async (unitName: string, isLinked: boolean) => {
    const { id: unit_id } = await addUnit(api, unitName)
    const property_ref = unitName.toLowerCase().replaceAll(' ', '-')
    const target = { channel_type: 'pms', name: 'Slow PMS', config: { property_ref } }
    const { channel_target } = await api<{ channel_target: { id: string } }>(
      'POST',
      '/channel-targets',
      target,
    )
    const sold = { max_guests: 2, quantity: 1, base_price_cents: 10_000, currency: 'eur' }
    const room = { id: 'W-1', name: unitName, type: 'studio', bedrooms: 1, bathrooms: 1, ...sold }
    await addPmsRoom(app.product, property_ref, room)
    const listing = { unit_id, channel_target_id: channel_target.id, external_id: 'W-1', status: 'paused' }
    if (isLinked) await api('POST', '/channel-listings', listing)
    return (await app.openAs('owner', `/channels/${channel_target.id}/link`)).page
  }

  test('units that could not be linked are named on the next screen', async () => {
    const page = await openWizard('Left Wizard', false)
    const change = await holdChange(page, '**/api/v1/channel-listings')
    await page.getByRole('button', { name: 'Check 1 unit' }).click()
    await change.sent
    await page.getByRole('link', { name: 'Bookings', exact: true }).click()
    await page.getByRole('heading', { name: 'Bookings', level: 1 }).waitFor()
    change.reject()
    await page.getByRole('status').getByText(refusal).waitFor()
  })

  test('a unit is unlinked once, and does not go live meanwhile', async () => {
    const page = await openWizard('Slow Unlink', true)
    await page.getByRole('button', { name: 'Go live with 1 unit' }).waitFor()
    let deletions = 0
    page.on('request', (request) => (deletions += Number(request.method() === 'DELETE')))
    const change = await holdChange(page, '**/api/v1/channel-listings/*')
    const unlink = page.getByRole('button', { name: 'Unlink again: Slow Unlink' })
    await unlink.focus()
    await page.keyboard.press('Enter')
    await change.sent
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Go live with 1 unit' })).toBeDisabled()
    await expect(unlink).toBeFocused()
    change.letThrough()
    await page.getByText('Choose at least one unit').waitFor()
    assert.equal(deletions, 1)
  })
})
