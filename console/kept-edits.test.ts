import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

interface Booking {
  id: string
  unitId: string
  arrival: string
  departure: string
  checkIn: string
  guestName: string
  guestEmail: string | null
  guestPhone: string | null
  notes: string | null
  totalCents: number
}

suite('edits while something else changes', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  const addBooking = async (unitId: string, guestName: string, more: object = {}) => {
    const stay = { checkIn: day(300), checkOut: day(303) }
    const body = { unitId, guestName, guests: 2, status: 'confirmed', ...stay, ...more }
    return (await api<{ booking: Booking }>('POST', '/bookings', body)).booking
  }
  const bookingNow = async ({ id }: Booking) =>
    (await api<{ booking: Booking }>('GET', `/bookings/${id}`)).booking

  test('what a colleague changes of a guest is kept when another contact is saved', async () => {
    const unit = await addUnit(api, 'Guest Studio')
    const booking = await addBooking(unit.id, 'Guida Gasto')
    const { page } = await app.openAs('owner', `/bookings/${booking.id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('E-mail').fill('guida@example.com')
    await api('PATCH', `/bookings/${booking.id}`, { guestPhone: '+351910000111', guests: 1 })
    await expect(page.locator('dt:has-text("Guests") + dd')).toHaveText('1')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'guida@example.com' }).waitFor()
    assert.equal((await bookingNow(booking)).guestPhone, '+351910000111')
  })

  test('notes that a colleague wrote meanwhile are not replaced unseen', async () => {
    const unit = await addUnit(api, 'Notes Studio')
    const booking = await addBooking(unit.id, 'Nadia Notas')
    const { page } = await app.openAs('owner', `/bookings/${booking.id}`)
    const notes = page.getByRole('textbox', { name: 'Our notes' })
    await notes.fill('Needs a cot')
    await api('PATCH', `/bookings/${booking.id}`, { notes: 'Allergic to nuts', guests: 1 })
    await expect(page.locator('dt:has-text("Guests") + dd')).toHaveText('1')
    await page.getByRole('alert').getByText('Allergic to nuts').waitFor()
    await expect(notes).toHaveValue('Needs a cot')
    await notes.fill('Allergic to nuts, needs a cot')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
    assert.equal((await bookingNow(booking)).notes, 'Allergic to nuts, needs a cot')
  })

  test('a booking that a colleague moves while it is being moved is not moved back', async () => {
    const unit = await addUnit(api, 'Twice Moved Studio')
    const booking = await addBooking(unit.id, 'Marta Muda')
    const { page } = await app.openAs('owner', `/bookings/${booking.id}`)
    await page.getByRole('button', { name: 'Move…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Guests').fill('1')
    await api('PATCH', `/bookings/${booking.id}`, { checkIn: day(310), checkOut: day(313), notes: 'Moved' })
    await expect(page.getByRole('textbox', { name: 'Our notes', includeHidden: true })).toHaveValue('Moved')
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText('The booking was moved').waitFor()
    const { arrival, departure } = await bookingNow(booking)
    assert.deepEqual([arrival, departure], [day(310), day(313)])
  })

  test('a booking is moved at the price that was chosen, however slowly the price comes', async () => {
    const unit = await addUnit(api, 'Slow Price Studio')
    const booking = await addBooking(unit.id, 'Paulo Preço')
    const { page } = await app.openAs('owner', `/bookings/${booking.id}`)
    await page.getByRole('button', { name: 'Move…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Departure').fill(day(304))
    await dialog.getByRole('radio', { name: /Take the price of the calendar/ }).check()
    const held = Promise.withResolvers<void>()
    await page.route('**/preview', async (route) => {
      await held.promise
      await route.continue()
    })
    await dialog.getByLabel('Departure').fill(day(306))
    const move = dialog.getByRole('button', { name: 'Move', exact: true })
    await move.click({ timeout: 2_000 }).catch(() => {})
    held.resolve()
    if ((await dialog.count()) > 0) await move.click({ timeout: 10_000 }).catch(() => {})
    await page.getByText('The booking was moved').waitFor()
    assert.equal((await bookingNow(booking)).totalCents, 6 * 9_000)
  })

  test('a guest who is typed stays when the dates of a new booking change', async () => {
    const unit = await addUnit(api, 'Longer Studio')
    const search = new URLSearchParams({ unit: unit.id, from: day(310), to: day(313) })
    const { page } = await app.openAs('owner', `/bookings/new?${search}`)
    const name = page.getByLabel('Name', { exact: true })
    await name.fill('Lurdes Longa')
    await page.getByLabel('E-mail').fill('lurdes@example.com')
    await page.getByLabel('Departure').fill(day(315))
    await page
      .getByRole('term')
      .filter({ hasText: '5 nights' })
      .or(page.getByText('5 nights'))
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Take the booking' }).waitFor()
    await expect(name).toHaveValue('Lurdes Longa')
    await expect(page.getByLabel('E-mail')).toHaveValue('lurdes@example.com')
  })

  test('what is typed while a form is saved stays', async () => {
    const unit = await addUnit(api, 'Typing Studio')
    const { page } = await app.openAs('owner', `/units/${unit.id}`)
    const held = Promise.withResolvers<void>()
    await page.route(`**/api/v1/units/${unit.id}`, async (route) => {
      if (route.request().method() === 'PATCH') await held.promise
      await route.continue()
    })
    await page.getByLabel('Name', { exact: true }).fill('Typing Loft')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByLabel('Base price a night').fill('99')
    held.resolve()
    await page.getByRole('heading', { name: 'Typing Loft', level: 1 }).waitFor()
    await page.getByText('Saved', { exact: true }).waitFor()
    await expect(page.getByLabel('Base price a night')).toHaveValue('99')
    await page.getByRole('button', { name: 'Save changes' }).waitFor()
    await api('PATCH', `/units/${unit.id}`, { base_price_cents: 9_700 })
    await page.getByText(/Someone else set this to 97/).waitFor()
  })

  test('a view that another tab has saved meanwhile is kept', async () => {
    const { page } = await app.openAs('owner', '/bookings?status=confirmed')
    const views = page.getByRole('button', { name: 'Views' })
    const save = async (name: string) => {
      await page.getByLabel('Name of the view').fill(name)
      await page.keyboard.press('Enter')
    }
    await views.click()
    await save('Mine')
    await page.getByRole('button', { name: 'Mine', exact: true }).waitFor()
    await page.evaluate(`{
      const key = Object.keys(localStorage).find((name) => name.startsWith('views bookings'))
      const kept = JSON.parse(localStorage.getItem(key))
      localStorage.setItem(key, JSON.stringify([...kept, { name: 'Theirs', filter: {} }]))
    }`)
    await save('Mine too')
    await page.getByRole('button', { name: 'Mine too', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Theirs', exact: true }).waitFor()
  })

  test('a failure after its dialog was closed is shown', async () => {
    const unit = await addUnit(api, 'Closed Studio')
    const booking = await addBooking(unit.id, 'Fecha Fecho')
    const { page } = await app.openAs('owner', `/bookings/${booking.id}`)
    const held = Promise.withResolvers<void>()
    await page.route(`**/api/v1/bookings/${booking.id}`, async (route) => {
      if (route.request().method() !== 'PATCH') return await route.continue()
      await held.promise
      const problem = { status: 409, title: 'Conflict', detail: 'The booking cannot be cancelled.' }
      await route.fulfill({ status: 409, json: problem })
    })
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await page.getByRole('button', { name: 'Cancel the booking' }).click()
    await page.keyboard.press('Escape')
    held.resolve()
    await page.getByText('The booking cannot be cancelled.').waitFor()
  })

  test('the refund is known before a booking can be cancelled', async () => {
    const unit = await addUnit(api, 'Refund Studio')
    const booking = await addBooking(unit.id, 'Rosa Reembolso')
    const { page } = await app.openAs('owner', `/bookings/${booking.id}`)
    const held = Promise.withResolvers<void>()
    await page.route('**/cancellation*', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Cancel…' }).click()
    const cancel = page.getByRole('button', { name: 'Cancel the booking' })
    await expect(cancel).toBeDisabled()
    held.resolve()
    await page.getByText('Nothing has been paid').waitFor()
    await expect(cancel).toBeEnabled()
  })

  test('every photo that could not be uploaded is named', async () => {
    const unit = await addUnit(api, 'Photo Studio')
    const { page } = await app.openAs('owner', `/units/${unit.id}`)
    const file = (name: string) => ({ name, mimeType: 'image/jpeg', buffer: Buffer.from('no photo') })
    await page.locator('input[type=file]').setInputFiles([file('one.jpg'), file('two.jpg')])
    await page.getByText('two.jpg').waitFor()
    await expect(page.getByText('one.jpg')).toBeVisible()
  })

  test('the palette opens what was typed, not what was found before', async () => {
    await addUnit(api, 'First Palette Studio')
    const { id } = await addUnit(api, 'Second Palette Studio')
    const { page } = await app.openAs('owner', '/settings/limits')
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search and go anywhere' })
    await field.fill('first palette')
    await page.getByRole('option', { name: /First Palette Studio/ }).waitFor()
    await field.fill('second palette')
    await field.press('Enter')
    await page.waitForURL(`**/units/${id}`)
  })

  test('a search that fails does not say that nothing was found', async () => {
    const { page } = await app.openAs('owner', '/settings/limits')
    await page.route('**/api/v1/search?*', (route) => route.fulfill({ status: 500, json: {} }))
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search and go anywhere' }).fill('helena')
    await page
      .getByRole('dialog')
      .getByText(/something went wrong|unexpected/i)
      .waitFor()
  })

  test('a price that falls by more than half is asked about', async () => {
    const { id } = await addUnit(api, 'Steep Loft')
    const { page } = await app.openAs('owner', '/units?q=Steep')
    await page.locator('[data-price]').click()
    await page.keyboard.type('9')
    await page.keyboard.press('Enter')
    const question = page.getByRole('dialog')
    await question.getByText('Lower the price by more than half?').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('textbox', { name: /Steep Loft/ })).toHaveValue('9')
    await page.getByRole('textbox', { name: /Steep Loft/ }).press('Enter')
    await question.getByRole('button', { name: 'Change the price' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    const { unit } = await api<{ unit: { base_price_cents: number } }>('GET', `/units/${id}`)
    assert.equal(unit.base_price_cents, 900)
  })
})
