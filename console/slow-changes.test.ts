import { suite, test } from 'node:test'

import { expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { holdChange } from './test/hold-change.ts'
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
    change.reject()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await expect(amount).toBeFocused()
    await expect(amount).toHaveValue('100')
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
})
