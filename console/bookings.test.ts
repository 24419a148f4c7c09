import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { assertAccessible, assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { day, lisbonDay } from './test/days.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('bookings', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')
  let nextDay = 400
  let unitId: string

  before(async () => {
    unitId = (await addUnit(api, 'Booked Studio')).id
  })

  const open = async (path: string, role = 'owner') => (await app.openAs(role, path)).page
  /** A booking of nights of its own. */
  const addBooking = async (guestName: string, fields: object = {}) => {
    nextDay += 10
    const stay = { checkIn: day(nextDay), checkOut: day(nextDay + 2) }
    const input = { unitId, guestName, ...stay, ...fields }
    const { booking } = await api<{ booking: Booking }>('POST', '/bookings', input)
    return booking
  }
  const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

  test('filters are in the address, and what they leave is downloaded', async () => {
    const page = await open('/bookings')
    const booking = await addBooking('Zita Quintela')
    await addBooking('Zita Ramos', { status: 'confirmed' })
    await page.getByRole('searchbox').fill('Zita')
    await row(page, 'Zita Ramos').waitFor()
    await page.getByLabel('Arrival from').fill(booking.arrival)
    await page.getByLabel('to', { exact: true }).fill(booking.arrival)
    await row(page, 'Zita Ramos').waitFor({ state: 'detached' })
    await expect(page).toHaveURL(/q=Zita&from=\d{4}-/)
    await page.reload()
    await row(page, 'Zita Quintela').waitFor()
    await expect(page.getByRole('row')).toHaveCount(2)

    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const lines = (await readFile(await (await waiting).path(), 'utf8')).trim().split('\r\n')
    assert.equal(lines.length, 2)
    assert.match(lines[1] ?? '', /Zita Quintela/)
  })

  test('what a screen does not know in its address is left out', async () => {
    const page = await open('/bookings?sort=name&status=unknown&from=today')
    await row(page, 'nights').first().waitFor()
    await expect(page).toHaveURL(/\/bookings$/)
  })

  test('a next page that cannot be read is asked for once, and again when the person says so', async () => {
    const { page, witness } = await app.openAs('owner', '/settings')
    await page.route('**/api/v1/bookings?*cursor=*', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto(`${app.url}/bookings`)
    await row(page, 'nights').first().waitFor()
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    const asked = () => witness.requested.filter((url) => /bookings\?.*cursor=/.test(url)).length
    assert.equal(asked(), 1)
    await retry.click()
    await expect.poll(asked).toBe(2)
    await page.unroute('**/api/v1/bookings?*cursor=*')
    await retry.click()
    await page.locator('[aria-rowindex="52"]').waitFor()
  })

  test('a stay of another year is listed with its year', async () => {
    const { arrival } = await addBooking('Yara Lonjura', { checkIn: day(900), checkOut: day(902) })
    const page = await open('/bookings?q=Yara')
    await row(page, 'Yara Lonjura')
      .getByText(`2 nights · ${arrival.slice(0, 4)}`)
      .waitFor()
  })

  test('by keyboard, two bookings are checked in at once, and the one that is refused says why', async () => {
    await addBooking('Bruna Ok')
    const ended = await addBooking('Bruna Ended')
    await api('PATCH', `/bookings/${ended.id}`, { status: 'cancelled' })
    const page = await open('/bookings?q=Bruna')
    await row(page, 'Bruna Ended').waitFor()
    await page.getByRole('link', { name: 'Bruna Ended' }).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.getByRole('region', { name: '2 selected' }).waitFor()
    await page.getByRole('button', { name: 'Check in' }).focus()
    await page.keyboard.press('Enter')
    const question = page.getByRole('dialog', { name: 'Check in 1 guest before the day of the arrival?' })
    await question.getByRole('button', { name: 'Check in' }).press('Enter')
    const alert = page.getByRole('alert').filter({ hasText: '1 could not be changed' })
    await alert.getByText(/Bruna Ended: .*cancelled/).waitFor()
    await row(page, 'Bruna Ok').getByText('In house').waitFor()
    await expect(row(page, 'Bruna Ended').getByText('Cancelled')).toHaveCount(1)
  })

  test('a move is refused where somebody stays, then done with the price of the calendar', async () => {
    const [first, second] = [
      await addBooking('Vera Um', { status: 'confirmed' }),
      await addBooking('Vera Dois'),
    ]
    const page = await open(`/bookings/${first.id}`)
    await page.getByRole('button', { name: 'Check in' }).waitFor()
    await expect(page.getByRole('button', { name: 'No-show' })).toHaveCount(0)
    await page.getByRole('button', { name: 'Move…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Arrival').fill(second.arrival)
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Arrival').fill(day(600))
    await dialog.getByLabel('Departure').fill(day(599))
    await dialog.getByText('Choose a departure after the arrival').waitFor()
    await expect(dialog.getByRole('button', { name: 'Move', exact: true })).toBeDisabled()
    await dialog.getByLabel('Departure').fill(day(605))
    await dialog.getByText('is free for 5 nights').waitFor()
    await dialog.getByRole('radio', { name: /Take the price of the calendar/ }).check()
    await dialog.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByText('The booking was moved').waitFor()
    const { booking } = await api<{ booking: Booking }>('GET', `/bookings/${first.id}`)
    assert.equal(booking.arrival, day(600))
    assert.ok(booking.totalCents > first.totalCents)
    await page.getByText(/^Price: .* → /).waitFor()
  })

  test('a guest who does not arrive is marked once the day has come', async () => {
    const { id } = await addBooking('Nuno Ausente', {
      status: 'confirmed',
      checkIn: lisbonDay(0),
      checkOut: lisbonDay(2),
    })
    const page = await open(`/bookings/${id}`)
    await page.getByRole('button', { name: 'No-show' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'No-show' }).click()
    await page.getByText('Marked as no-show').waitFor()
    const { booking } = await api<{ booking: Booking & { status: string } }>('GET', `/bookings/${id}`)
    assert.equal(booking.status, 'no_show')
  })

  test('a guest is checked in early, and out early, only after a question', async () => {
    const { id } = await addBooking('Paula Pontual')
    const statusNow = async () =>
      (await api<{ booking: Booking & { status: string } }>('GET', `/bookings/${id}`)).booking.status
    const page = await open(`/bookings/${id}`)
    const question = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Check in' }).click()
    await question.getByText('A check-in cannot be undone.').waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    assert.equal(await statusNow(), 'confirmed')
    await page.getByRole('button', { name: 'Check in' }).click()
    await question.getByRole('button', { name: 'Check in' }).click()
    await question.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Check out' }).click()
    await question.getByText('The nights that remain are free again at once.').waitFor()
    assert.equal(await statusNow(), 'checked_in')
    await question.getByRole('button', { name: 'Check out' }).click()
    await page.getByText('Checked out', { exact: true }).first().waitFor()
  })

  test('the refund is shown before a booking is cancelled, and the focus returns', async () => {
    const { id, totalCents, currency } = await addBooking('Rita Reembolso')
    await api('POST', '/payment-intents', { booking_id: id, amount: totalCents, currency })
    const page = await open(`/bookings/${id}`)
    await page.getByText('Waiting for the guest').waitFor()
    await page.getByRole('button', { name: 'Cancel…' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Nothing has been paid').waitFor()
    await page.getByText(/Payments of .* that were asked for are cancelled/).waitFor()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: 'Cancel…' })).toBeFocused()
    await page.keyboard.press('Enter')
    await page.getByLabel('Reason').selectOption('host')
    await page.getByRole('button', { name: 'Cancel the booking' }).click()
    await page.getByText('The booking was cancelled').waitFor()
    await page.getByRole('heading', { name: 'Rita Reembolso' }).waitFor()
    await page.getByText('We cannot host them').waitFor()
  })

  test('a change by a colleague is not overwritten', async () => {
    const { id } = await addBooking('Carlos Conflito')
    const page = await open('/bookings')
    // Else the page may know of the change before Save is pressed.
    await page.route('**/api/v1/events/stream*', (route) => route.abort())
    await page.goto(new URL(`/bookings/${id}`, page.url()).href)
    const notes = page.getByRole('textbox', { name: 'Our notes' })
    await notes.fill('Needs a cot')
    await api('PATCH', `/bookings/${id}`, { guests: 1, guestPhone: '+351910000000' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody else changed this booking meanwhile').waitFor()
    await page.getByRole('link', { name: '+351910000000' }).waitFor()
    await expect(notes).toHaveValue('Needs a cot')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
    await page.reload()
    await page.getByText('Needs a cot').waitFor()
  })

  test('a viewer sees no contacts and can change nothing', async () => {
    const { id } = await addBooking('Olga Olhar', { guestPhone: '+351911' })
    const list = await open('/bookings?q=Olga', 'viewer')
    await row(list, 'Olga Olhar').waitFor()
    await expect(list.getByRole('checkbox', { name: /^Select/ })).toHaveCount(0)
    const page = await open(`/bookings/${id}`, 'viewer')
    await page.getByText('Your role does not show contacts').first().waitFor()
    for (const name of ['Check in', 'Move…', 'Cancel…', 'Edit'])
      await expect(page.getByRole('button', { name })).toBeDisabled()
  })

  test('lists are not wider than a small laptop', async () => {
    const page = await open('/bookings')
    await page.setViewportSize({ width: 1024, height: 768 })
    for (const path of ['/bookings', '/channels', '/audit']) {
      await page.goto(app.url + path)
      await page.getByRole('row').nth(1).waitFor()
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth'), path).toBe(1024)
    }
  })

  test('is accessible in every look, and says what is wrong when the list fails', async () => {
    const { id } = await addBooking('Ana Acesso')
    const list = await open('/bookings')
    await list.getByRole('row').nth(3).waitFor()
    await assertEveryLook(list, 'list')
    const booking = await open(`/bookings/${id}`)
    await booking.getByText('Booked', { exact: true }).first().waitFor()
    await assertEveryLook(booking, 'booking')
    const page = await open('/bookings/0190a000-0000-7000-8000-00000000dead')
    await page.getByText('This booking could not be loaded').first().waitFor()
    await assertAccessible(page, 'no such booking')
  })
})

interface Booking {
  id: string
  arrival: string
  totalCents: number
  currency: string
}
