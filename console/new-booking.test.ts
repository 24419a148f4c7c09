import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { addPlan, addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('a new booking', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  const open = async (query: string) => {
    const { page } = await app.openAs('owner', `/bookings/new${query}`)
    await page.getByRole('heading', { name: 'New booking' }).waitFor()
    return page
  }

  test('from the search over a hold to the booking, by keyboard alone', async () => {
    await addPlan(api, 'Miradouro One', { date_from: day(400), date_to: day(403), price_cents: 1_234 })
    const page = await open(`?from=${day(400)}&to=${day(403)}&guests=2`)
    await page.getByRole('heading', { name: 'Free for 3 nights' }).waitFor()
    const unit = page.getByRole('listitem').getByRole('button', { name: 'Miradouro One' })
    const price = /€[\d,.]+/.exec(await unit.innerText())?.[0] ?? 'no price'
    await unit.focus()
    await page.keyboard.press('Enter')
    const total = page.getByRole('term').filter({ hasText: 'Total' }).locator('xpath=..')
    await total.waitFor()
    await expect(total).toContainText(price)
    await page.getByText('Cleaning').waitFor()

    await page.getByRole('button', { name: 'Take the booking' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Enter the name of the guest').waitFor()
    await page.keyboard.type('Teresa Teclado')
    await page.getByRole('button', { name: 'Hold for 30 minutes' }).focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('timer')
      .filter({ hasText: /another (30:00|29:\d\d)/ })
      .waitFor()
    await page.getByRole('button', { name: 'Take the booking' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Teresa Teclado' }).waitFor()
    await page.getByText('Confirmed', { exact: true }).first().waitFor()
    await expect(page).toHaveURL(/\/bookings\/[0-9a-f-]{36}$/)
  })

  test('one quote is asked for, however many are made meanwhile, another when the person goes back', async () => {
    const { id: unitId } = await addUnit(api, 'Quiet Studio')
    const stay = { unit_id: unitId, check_in: day(430), check_out: day(433), guests: 2 }
    const query = `?unit=${unitId}&from=${day(430)}&to=${day(433)}`
    const { page, witness } = await app.openAs('owner', `/bookings/new${query}`)
    await page.getByRole('button', { name: 'Take the booking' }).waitFor()
    await api('POST', '/quotes', stay)
    // The stream tells of the quote before it tells of the new name.
    await api('PATCH', `/units/${unitId}`, { name: 'Renamed Studio' })
    await page.getByRole('heading', { name: 'Price for Renamed Studio' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Sofia Serena')
    await page.getByRole('button', { name: 'Take the booking' }).click()
    await page.getByRole('heading', { name: 'Sofia Serena' }).waitFor()
    assert.deepEqual(witness.complaints, [])
    const quotes = witness.requested.filter((url) => url.endsWith('/api/v1/quotes'))
    assert.equal(quotes.length, 1)
    await page.goBack()
    await page.locator('form').getByRole('alert').waitFor()
  })

  test('a hold and a booking whose responses were lost are found when they are sent again', async () => {
    const { id: unitId } = await addUnit(api, 'Lost Studio')
    const page = await open(`?unit=${unitId}&from=${day(430)}&to=${day(433)}`)
    await page.getByLabel('Name', { exact: true }).fill('Rita Repete')
    const pressTwice = async (button: string, addresses: string) => {
      await page.route(addresses, async (route) => {
        await route.fetch()
        await route.abort()
      })
      await page.getByRole('button', { name: button }).click()
      await page.locator('form').getByRole('alert').waitFor()
      await page.unroute(addresses)
      await page.getByRole('button', { name: button }).click()
    }
    await pressTwice('Hold for 30 minutes', '**/api/v1/quotes')
    await page.getByRole('timer').waitFor()
    await pressTwice('Take the booking', '**/api/v1/bookings')
    await page.getByRole('heading', { name: 'Rita Repete' }).waitFor()
  })

  test('a link from the calendar opens the unit, and says why it is not free while others are', async () => {
    const { id: unitId } = await addUnit(api, 'Taken Studio')
    const stay = { checkIn: day(420), checkOut: day(423) }
    await api('POST', '/bookings', { unitId, guestName: 'Was Faster', ...stay })
    const page = await open(`?unit=${unitId}&from=${day(421)}&to=${day(424)}`)
    await page.getByRole('alert').waitFor()
    await expect(page.getByRole('button', { name: 'Take the booking' })).toHaveCount(0)
    await page.getByRole('listitem').getByRole('button').first().click()
    await page.getByRole('button', { name: 'Take the booking' }).waitFor()
  })

  test('a price that came after too many requests is asked for again by itself', async () => {
    const page = await open(`?from=${day(490)}&to=${day(493)}`)
    let answered = 0
    await page.route('**/api/v1/quotes', async (route) => {
      // More often than the client tries by itself.
      if (answered++ >= 3) return await route.continue()
      const problem = { status: 429, error: 'Too Many Requests', message: 'Wait.', retryAfter: 1 }
      await route.fulfill({ status: 429, json: problem })
    })
    await page.getByRole('listitem').getByRole('button').first().click()
    await page.getByRole('alert').filter({ hasText: 'Try again in 1 second' }).waitFor()
    await page.getByRole('button', { name: 'Take the booking' }).waitFor()
  })

  test('a button that waits for the response keeps the focus, and sends once', async () => {
    const page = await open(`?from=${day(495)}&to=${day(498)}`)
    let sent = 0
    const isOver = Promise.withResolvers<void>()
    await page.route('**/api/v1/bookings', async (route) => {
      if (route.request().method() !== 'POST') return await route.continue()
      sent++
      await isOver.promise
      const problem = { status: 409, title: 'Conflict', detail: 'The unit is booked.' }
      await route.fulfill({ status: 409, json: problem })
    })
    await page.getByRole('listitem').getByRole('button').first().click()
    await page.getByLabel('Name', { exact: true }).fill('Sofia Serena')
    const take = page.getByRole('button', { name: 'Take the booking' })
    await take.focus()
    await page.keyboard.press('Enter')
    await expect(take).toBeDisabled()
    await page.keyboard.press('Enter')
    await page.getByLabel('Name', { exact: true }).press('Enter')
    await take.focus()
    isOver.resolve()
    await page.getByRole('alert').filter({ hasText: 'booked' }).waitFor()
    await expect(take).toBeFocused()
    assert.equal(sent, 1)
  })

  test('a hold is offered for as long as the organization has set', async () => {
    const page = await open(`?from=${day(480)}&to=${day(483)}`)
    await page.route('**/api/v1/quotes', async (route) => {
      const response = await route.fetch()
      const { quote } = (await response.json()) as { quote: { created_at: string } }
      const expires_at = new Date(Date.parse(quote.created_at) + 7_200_000).toISOString()
      await route.fulfill({ response, json: { quote: { ...quote, expires_at } } })
    })
    await page.getByRole('listitem').getByRole('button').first().click()
    await page.getByRole('button', { name: 'Hold for 120 minutes' }).waitFor()
  })

  test('what is wrong with a field is shown without its name in the API', async () => {
    const page = await open(`?from=${day(470)}&to=${day(473)}`)
    await page.getByRole('listitem').getByRole('button').first().click()
    await page.getByLabel('Name', { exact: true }).fill('Sofia Serena')
    await page.getByLabel('E-mail').fill('sofia')
    await page.getByRole('button', { name: 'Take the booking' }).click()
    await page.getByText('This has an invalid format.', { exact: true }).waitFor()
  })

  test('each line of a price is explained in the language of the page', async () => {
    const { id: unit_id } = await addUnit(api, 'Explained Studio')
    const charge = (more: object) => api('POST', '/charges', { unit_id, status: 'active', ...more })
    await charge({ kind: 'fee', name: 'Linen', basis: 'stay', amount_cents: 123_450 })
    await charge({
      kind: 'fee',
      name: 'Breakfast',
      basis: 'guest_night',
      amount_cents: 900,
      guests_included: 1,
    })
    await charge({ kind: 'tax', name: 'VAT', basis: 'percent', percent: 6.5, included: true })
    await charge({ kind: 'discount', name: 'Friends', basis: 'percent', percent: 10 })
    const query = `?unit=${unit_id}&from=${day(460)}&to=${day(463)}`
    const { page } = await app.openAs('owner', `/bookings/new${query}`, { locale: 'de-DE' })
    const price = page.locator('form dl').first()
    for (const line of [
      /^3 Nächte3 Nächte × 90,00\s€270,00\s€$/,
      /^Friends10 % von 270,00\s€/,
      /^Lineneinmal × 1.234,50\s€/,
      /^Breakfast1 weiterer Gast × 3 Nächte × 9,00\s€/,
      /^VAT6,5 %, enthalten in 243,00\s€/,
    ])
      await expect(price.locator('> div').filter({ hasText: line })).toHaveCount(1)
  })

  test('the stay can be typed, digit by digit', async () => {
    const page = await open(`?from=${day(450)}&to=${day(453)}`)
    const year = String(new Date().getUTCFullYear() + 1)
    await page.getByLabel('Arrival').focus()
    await page.keyboard.type(`1105${year}`)
    await page.getByLabel('Guests').focus()
    await page.keyboard.press('Backspace')
    await page.keyboard.type('4')
    await page.getByLabel('Place').pressSequentially('rto')
    await page.keyboard.press('Home')
    await page.keyboard.type('Po')
    await expect(page).toHaveURL(new RegExp(`from=${year}-11-05&to=${year}-11-08&guests=4&place=Porto$`))
  })

  test('the first arrival is today where the properties are, not where the person is', async () => {
    const { id: unitId, space_id: spaceId } = await addUnit(api, 'Antipodes Studio')
    // Its clock is 25 hours behind that of the browser.
    await api('PATCH', `/spaces/${spaceId}`, { timezone: 'Pacific/Pago_Pago' })
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Pago_Pago' }).format(new Date())
    const { page } = await app.openAs('owner', `/bookings/new?unit=${unitId}&from=${today}`, {
      timezoneId: 'Pacific/Kiritimati',
    })
    await page.getByRole('button', { name: 'Take the booking' }).waitFor()
    await expect(page.getByLabel('Arrival')).toHaveAttribute('min', today)
    await api('PATCH', `/spaces/${spaceId}`, { timezone: 'Europe/Lisbon' })
  })

  test('is accessible in every look', async () => {
    const page = await open(`?from=${day(440)}&to=${day(443)}`)
    await page.getByRole('listitem').getByRole('button').first().click()
    await page.getByRole('button', { name: 'Take the booking' }).waitFor()
    await assertEveryLook(page, 'new booking')
  })
})
