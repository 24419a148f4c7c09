import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { holdChange } from './test/hold-change.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('holds of a new booking', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  /** Holds a new unit, from and to a day so many days from now, by a clock that is so many minutes ahead. */
  const hold = async (
    unitName: string,
    guestName: string,
    [from, to]: [from: number, to: number],
    minutesAhead = 0,
  ) => {
    const { id: unitId } = await addUnit(api, unitName)
    const search = new URLSearchParams({ unit: unitId, from: day(from), to: day(to) })
    const { page } = await app.openAs('owner', `/bookings/new?${search}`)
    if (minutesAhead !== 0) await page.clock.setFixedTime(Date.now() + minutesAhead * 60_000)
    await page.getByLabel('Name', { exact: true }).fill(guestName)
    await page.getByRole('button', { name: 'Hold for 30 minutes' }).click()
    await page.getByRole('timer').waitFor()
    return { page, unitId }
  }

  test('a hold is still shown when the dates change, and can be released', async () => {
    const { page } = await hold('Held Studio', 'Helga Hold', [430, 433])
    await page.getByLabel('Departure').fill(day(435))
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByRole('button', { name: 'Take the booking' }).click()
    await page.getByRole('heading', { name: 'Helga Hold' }).waitFor()
  })

  test('a hold on other dates is released once the booking is taken', async () => {
    const { page, unitId } = await hold('Moved Hold Studio', 'Hugo Held', [410, 412])
    await page.getByLabel('Arrival').fill(day(420))
    await page.getByRole('button', { name: 'Take the booking' }).click()
    await page.getByRole('heading', { name: 'Hugo Held' }).waitFor()
    const stay = { unitId, guestName: 'Nora Next', checkIn: day(410), checkOut: day(412) }
    await api('POST', '/bookings', stay)
  })

  test('a hold is over once it is booked, also when other dates are chosen meanwhile', async () => {
    const { page } = await hold('Taken Hold Studio', 'Tania Tomada', [450, 452])
    const change = await holdChange(page, '**/api/v1/bookings')
    await page.getByRole('button', { name: 'Take the booking' }).click()
    await change.sent
    await page.getByLabel('Arrival').fill(day(460))
    await page.getByRole('timer').waitFor()
    change.letThrough()
    await page.getByText('The booking was taken').waitFor()
    await expect(page.getByRole('timer')).toHaveCount(0)
  })

  test('a hold lasts as long as it does, also where the clock of the browser is wrong', async () => {
    for (const minutesAhead of [50, -50]) {
      const name = `Clock ${minutesAhead} Studio`
      const { page } = await hold(name, 'Clara Clock', [470, 472], minutesAhead)
      await expect(page.getByRole('timer')).toContainText(/\b(30:00|29:\d\d)\b/)
      await page.getByRole('button', { name: 'Take the booking' }).click()
      await page.getByRole('heading', { name: 'Clara Clock' }).waitFor()
    }
  })

  test('what the guest has paid meanwhile is a booking, which releasing the hold does not cancel', async () => {
    const { page, unitId } = await hold('Paid Hold Studio', 'Paulo Pagou', [440, 442])
    const { bookings } = await api<{ bookings: { id: string }[] }>('GET', `/bookings?unit_id=${unitId}`)
    const path = `/bookings/${bookings[0]!.id}`
    await api('PATCH', path, { status: 'confirmed' })
    await page.getByRole('button', { name: 'Release' }).click()
    await expect(page.getByRole('alert')).toContainText('This hold is a booking by now')
    const { booking } = await api<{ booking: { status: string } }>('GET', path)
    assert.equal(booking.status, 'confirmed')
  })
})
