import { suite, test } from 'node:test'

import { expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('a new booking without a price', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  test('shows every reason why the stay cannot be sold, in the language of the person', async () => {
    const { id } = await addUnit(api, 'Strict Studio')
    const [from, to] = [day(430), day(432)]
    await api('POST', '/bookings', { unitId: id, guestName: 'Was Faster', checkIn: from, checkOut: to })
    const night = { unit_id: id, date_from: from, date_to: from, min_stay_arrival: 3 }
    await api('POST', '/calendar', { values: [night] })
    const { page } = await app.openAs('owner', `/bookings/new?unit=${id}&from=${from}&to=${to}`, {
      locale: 'pt-PT',
    })
    const alert = page.getByRole('alert')
    await expect(alert).toContainText(/Chegada .+: no mínimo 3 noites/)
    // Both nights in one line.
    await expect(alert).toContainText(/Nenhum quarto livre: .+; /)
  })

  test('says so to a role that may not ask for one', async () => {
    const { page } = await app.openAs('viewer', '/bookings/new')
    await page
      .getByRole('button', { name: /a night$/ })
      .first()
      .click()
    await page
      .getByRole('region', { name: /^Price for/ })
      .getByText('Your role does not allow this')
      .waitFor()
  })

  test('shows nothing as free while it is read what is free on the chosen dates', async () => {
    const { page } = await app.openAs('viewer', `/bookings/new?from=${day(500)}&to=${day(503)}`)
    const free = page.getByRole('heading', { name: /^Free for/ })
    await free.waitFor()
    const answer = Promise.withResolvers<void>()
    await page.route('**/api/v1/availability?*', async (route) => {
      await answer.promise
      await route.continue()
    })
    await page.getByLabel('Departure').fill(day(510))
    await expect(free).toHaveCount(0)
    answer.resolve()
    await expect(free).toHaveText('Free for 10 nights')
  })
})
