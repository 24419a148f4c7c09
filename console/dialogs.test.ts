import { suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { expect, noBrowser } from './test/browser.ts'
import { day, dayMs, later } from './test/days.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('dialogs', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  const addBooking = async (
    unitName: string,
    guestName: string,
    arrival = day(300),
    departure = day(303),
  ) => {
    const { id: unitId } = await addUnit(api, unitName)
    const input = { unitId, guestName, status: 'confirmed', checkIn: arrival, checkOut: departure }
    return (await api<{ booking: { id: string } }>('POST', '/bookings', input)).booking
  }
  const openCalendar = async (unitName: string, from: string) => {
    const search = new URLSearchParams({ q: unitName, from })
    return (await app.openAs('owner', `/calendar?${search}`)).page
  }
  const openEditor = async (page: Page, date: string) => {
    const cell = page.locator(`[data-row="unit"] [data-day="${Date.parse(date) / dayMs}"][data-state="free"]`)
    await cell.first().click()
    return page.getByRole('form', { name: 'Change nights' })
  }
  const fail = async (page: Page, address: string | RegExp) => {
    await page.route(address, (route) => route.fulfill({ status: 500, json: {} }))
    return () => page.unroute(address)
  }
  const dialogOf = (page: Page) => page.getByRole('dialog')
  const retryIn = (page: Page) => dialogOf(page).getByRole('button', { name: 'Try again' })
  const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })

  test('what a booking is moved to or cancelled for is asked for again', async () => {
    const { id } = await addBooking('Retry Studio', 'Rita Repete')
    const { page } = await app.openAs('owner', `/bookings/${id}`)
    const answerAgain = await fail(page, /\/bookings\/[^/]+\/(preview|cancellation)/)
    await page.getByRole('button', { name: 'Move…' }).click()
    await dialogOf(page).getByLabel('Guests').fill('2')
    await retryIn(page).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await retryIn(page).waitFor()
    await answerAgain()
    await retryIn(page).click()
    await dialogOf(page).getByText('Nothing has been paid').waitFor()
    await expect(retryIn(page)).toHaveCount(0)
  })

  test('a booking is moved in the calendar only when it could be read', async () => {
    const { id } = await addBooking('Unread Move Studio', 'Lia Lida', later('11-05'), later('11-08'))
    const page = await openCalendar('Unread Move Studio', later('11-01'))
    const answerAgain = await fail(page, `**/api/v1/bookings/${id}`)
    await page.locator(`[data-bar="${id}"]`).click()
    await page.getByRole('button', { name: 'Move …' }).click()
    const move = dialogOf(page).getByRole('button', { name: 'Move the booking' })
    await retryIn(page).waitFor()
    await expect(move).toBeDisabled()
    await answerAgain()
    await retryIn(page).click()
    await expect(move).toBeEnabled()
  })

  test('what belongs to a unit is saved only when it could be read, with its version', async () => {
    const { id: unit_id } = await addUnit(api, 'Unread Parts Studio')
    await api('POST', '/rate-plans', { unit_id, name: 'Unread plan' })
    await api('POST', '/charges', {
      unit_id,
      name: 'Unread tip',
      ...{ kind: 'fee', basis: 'stay', amount_cents: 500 },
    })
    await api('POST', '/calendar-feeds', { unit_id, name: 'Unread feed', direction: 'export' })
    const { page } = await app.openAs('owner', `/units/${unit_id}`)
    const single = /\/api\/v1\/(rate-plans|charges|calendar-feeds)\/[^/?]+$/
    for (const name of ['Unread plan', 'Unread tip', 'Unread feed']) {
      const answerAgain = await fail(page, single)
      await page.getByRole('button', { name: `Edit: ${name}` }).click()
      const save = dialogOf(page).getByRole('button', { name: 'Save' })
      await retryIn(page).waitFor()
      await expect(save).toBeDisabled()
      await answerAgain()
      await retryIn(page).click()
      await dialogOf(page).getByLabel('Name', { exact: true }).fill(`${name}, read`)
      const saved = page.waitForRequest((request) => request.method() === 'PATCH')
      await save.click()
      expect((await saved).headers()['if-match']).toBeTruthy()
      await page.getByText(`${name}, read`).first().waitFor()
    }
  })

  test('what a copy or a season would change is asked for again', async () => {
    await addUnit(api, 'Copy Retry Studio')
    const value = { date_from: later('12-04'), date_to: later('12-06'), price_percent: 10 }
    await api('POST', '/seasons', { name: 'Retried season', values: [value] })
    const page = await openCalendar('Copy Retry Studio', later('12-01'))
    const answerAgain = await fail(page, /\/calendar\/copies|\/calendar\/copy|\/seasons\/[^/]+\/apply/)
    const editor = await openEditor(page, later('12-05'))
    await editor.getByRole('button', { name: /^Copy/ }).click()
    await dialogOf(page)
      .getByRole('radio', { name: /next year/ })
      .check()
    await retryIn(page).waitFor()
    await page.keyboard.press('Escape')
    await expect(editor).toBeVisible()
    await page.getByRole('button', { name: 'Seasons' }).click()
    const season = page.getByRole('listitem').filter({ hasText: 'Retried season' })
    await season.getByRole('button', { name: 'Apply' }).click()
    await retryIn(page).waitFor()
    await answerAgain()
    await retryIn(page).click()
    await season.getByText('3 nights change').waitFor()
  })

  test('a page is left only after a question while its dialog has something unsaved', async () => {
    const { id } = await addBooking('Left Dialog Studio', 'Dalia Deixada')
    const { page } = await app.openAs('owner', `/bookings/${id}`)
    await page.getByRole('link', { name: 'Bookings' }).first().click()
    await page.goBack()
    await page.getByRole('button', { name: 'Move…' }).click()
    const guests = dialogOf(page).getByLabel('Guests')
    await guests.fill('2')
    await page.goForward()
    await question(page).waitFor()
    await page.keyboard.press('Escape')
    await expect(question(page)).toHaveCount(0)
    await expect(guests).toHaveValue('2')
    await expect(guests).toBeFocused()
    await page.goForward()
    await question(page).getByRole('button', { name: 'Leave' }).click()
    await expect(page).toHaveURL(`${app.url}/bookings`)
    await expect(dialogOf(page)).toHaveCount(0)
  })

  test('the calendar is left only after a question while its panel has something unsaved', async () => {
    await addUnit(api, 'Left Panel Studio')
    const page = await openCalendar('Left Panel Studio', later('12-01'))
    const editor = await openEditor(page, later('12-05'))
    await editor.getByLabel('Min. nights').fill('4')
    await page.getByRole('link', { name: 'Bookings', exact: true }).click()
    await question(page).waitFor()
    await page.keyboard.press('Escape')
    await expect(question(page)).toHaveCount(0)
    await expect(editor.getByLabel('Min. nights')).toHaveValue('4')
    await editor.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Changed 1 night').waitFor()
    await page.getByRole('link', { name: 'Bookings', exact: true }).click()
    await expect(page).toHaveURL(`${app.url}/bookings`)
  })

  test('the panel of the calendar asks before a filter or Escape closes it', async () => {
    await addUnit(api, 'Kept Panel Studio')
    const page = await openCalendar('Kept Panel Studio', later('12-01'))
    const editor = await openEditor(page, later('12-05'))
    const nights = editor.getByLabel('Min. nights')
    const answer = (name: string) => question(page).getByRole('button', { name }).click()
    await nights.fill('4')
    await page.getByRole('button', { name: 'Compact rows' }).click()
    await expect(nights).toHaveValue('4')
    const state = page.getByRole('combobox', { name: 'Sync state' })
    await state.selectOption({ index: 1 })
    await answer('Keep editing')
    await expect(state).toHaveValue('')
    await nights.focus()
    await page.keyboard.press('Escape')
    await question(page).waitFor()
    await page.keyboard.press('Escape')
    await expect(nights).toBeFocused()
    await expect(nights).toHaveValue('4')
    await editor.getByRole('button', { name: 'Close' }).click()
    await answer('Leave')
    await expect(editor).toHaveCount(0)
    await expect(page.getByRole('grid')).toBeFocused()
    await page.keyboard.press('Enter')
    await editor.waitFor()
    await state.selectOption({ index: 1 })
    await expect(editor).toHaveCount(0)
  })

  test('the units are left only after a question while a price is typed', async () => {
    await addUnit(api, 'Typed Price Studio')
    const { page } = await app.openAs('owner', '/units?q=Typed+Price+Studio')
    const price = page.getByRole('button', { name: /^Typed Price Studio: .* Change the price/ })
    await price.press('Enter')
    const field = page.getByRole('textbox', { name: /^Price of Typed Price Studio/ })
    await field.fill('95')
    await page.getByRole('link', { name: 'Bookings', exact: true }).click()
    await question(page).getByRole('button', { name: 'Keep editing' }).click()
    await expect(field).toHaveValue('95')
    await field.press('Escape')
    await expect(price).toBeFocused()
    await page.getByRole('link', { name: 'Bookings', exact: true }).click()
    await expect(page).toHaveURL(`${app.url}/bookings`)
  })

  test('Escape closes the topmost dialog only, and the focus returns over two that are closed at once', async () => {
    const { id } = await addBooking('Topmost Studio', 'Tomas Topo')
    const { page } = await app.openAs('owner', `/bookings/${id}`)
    await page.getByRole('button', { name: 'Move…' }).click()
    await dialogOf(page).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('combobox', { name: 'Search and go anywhere' })
    await expect(palette).toBeFocused()
    // What runs after the first one runs after both.
    await page.evaluate(`{
      const { setTimeout } = window
      const held = []
      window.setTimeout = (call, ...rest) => (rest[0] ? setTimeout(call, ...rest) : held.push(call))
      window.runHeld = () => {
        window.setTimeout = setTimeout
        for (const call of held) call()
      }
    }`)
    await page.keyboard.press('Escape')
    await expect(palette).toHaveCount(0)
    await expect(dialogOf(page)).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(dialogOf(page)).toHaveCount(0)
    await page.evaluate('runHeld()')
    await expect(page.getByRole('button', { name: 'Move…' })).toBeFocused()
  })

  test('a dialog whose button cannot be used yet has the focus in its first field', async () => {
    const { id } = await addBooking('Focus Studio', 'Fabio Foco')
    const { page } = await app.openAs('owner', `/bookings/${id}`)
    const held = Promise.withResolvers<void>()
    await page.route('**/cancellation*', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await expect(dialogOf(page).getByRole('combobox')).toBeFocused()
    held.resolve()
    await expect(page.getByRole('button', { name: 'Cancel the booking' })).toBeEnabled()
  })
})
