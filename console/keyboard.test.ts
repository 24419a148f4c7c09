import { suite, test } from 'node:test'

import type { Locator, Page } from '@playwright/test'
import { expect, noBrowser } from './test/browser.ts'
import { later, laterYear } from './test/days.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('the keyboard alone', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')
  const season = { date_from: later('12-04'), date_to: later('12-06') }

  /** The lowest point of what has the focus, or null when it is not in the content of the page. */
  const focusBottom = (page: Page) =>
    page.evaluate<number | null>(
      `document.activeElement.closest('#content') && document.activeElement.getBoundingClientRect().bottom`,
    )

  test('nothing that gets the focus on a phone is under the navigation', async () => {
    const { page } = await app.openAs('owner', '/settings/notifications', { width: 390 })
    await page.getByRole('checkbox').first().waitFor()
    const navigation = page.getByRole('navigation', { name: 'Screens' })
    const top = (await navigation.boundingBox())?.y ?? 0
    const last = page.getByRole('checkbox').last()
    const isLast = () => last.evaluate((box) => box === box.ownerDocument.activeElement)
    for (let stops = 0; stops < 100 && !(await isLast()); stops++) {
      await page.keyboard.press('Tab')
      expect((await focusBottom(page)) ?? 0).toBeLessThan(top)
    }
    await expect(last).toBeFocused()
  })

  test('a list that is loaded when it is opened returns the focus to its button', async () => {
    const { page } = await app.openAs('owner', '/bookings')
    for (const button of [
      page.getByRole('button', { name: 'Views' }),
      page.getByRole('banner').locator('[aria-haspopup="menu"]'),
    ]) {
      await button.press('Enter')
      await expect(button).toHaveAttribute('aria-expanded', 'true')
      await expect(button).not.toBeFocused()
      await page.keyboard.press('Escape')
      await expect(button).toHaveAttribute('aria-expanded', 'false')
      await expect(button).toBeFocused()
      await button.press('Enter')
      await expect(button).toHaveAttribute('aria-expanded', 'true')
      // As if the list did not have the focus yet.
      await button.press('Escape')
      await expect(button).toHaveAttribute('aria-expanded', 'false')
    }
  })

  test('a screen that a link leads to has the focus', async () => {
    const { page } = await app.openAs('owner', '/bookings')
    await page.getByRole('button', { name: 'New booking' }).press('Enter')
    await page.getByLabel('Arrival').waitFor()
    await expect(page.getByRole('main')).toBeFocused()
  })

  test('the current screen, part of it and kinds of stays are clear where the system chooses the colours', async () => {
    const { page } = await app.openAs('owner', '/inbox?show=conflicts')
    await page.emulateMedia({ forcedColors: 'active' })
    const marked = `{
      // Without how opaque it is: one that is transparent looks the same there.
      const groundOf = (link) => getComputedStyle(link).backgroundColor.match(/\\d+/g).slice(0, 3).join()
      const links = [...document.querySelectorAll('nav a')]
      const plain = groundOf(links.find((link) => !link.hasAttribute('aria-current')))
      links.filter((link) => groundOf(link) !== plain).map(({ textContent }) => textContent.replace(/\\d+/, ''))
    }`
    await expect.poll(() => page.evaluate(marked)).toEqual(['Inbox', 'Booking conflicts'])
    await page.goto(`${app.url}/calendar`)
    const looks = `[...document.querySelectorAll('main li > [aria-hidden]')].map((sample) =>
      [getComputedStyle(sample).borderWidth, getComputedStyle(sample).borderStyle, sample.textContent].join())`
    await expect.poll(async () => new Set(await page.evaluate<string[]>(looks)).size).toBe(11)
  })

  test('a button that goes away gives the focus to what is near', async () => {
    const { page } = await app.openAs('owner', '/bookings?q=no-such-name')
    await page.getByRole('status').getByRole('button', { name: 'Clear filters' }).press('Enter')
    await page.getByRole('row').nth(1).waitFor()
    await expect(page.getByRole('main').locator(':focus')).toHaveCount(1)
  })

  test('the row after a deleted one has the focus', async () => {
    const { id: unit_id } = await addUnit(api, 'Keyboard Studio')
    for (const name of ['Bed linen', 'Cleaning', 'Parking'])
      await api('POST', '/charges', { unit_id, name, kind: 'fee', basis: 'stay', amount_cents: 500 })
    const { page } = await app.openAs('owner', `/units/${unit_id}`)
    await page.getByRole('button', { name: 'Delete: Cleaning' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByRole('listitem').filter({ hasText: 'Parking' }).locator(':focus')).toHaveCount(1)
  })

  test('a season is renamed and deleted without leaving the dialog', async () => {
    for (const name of ['Keyboard season', 'Keyboard season two'])
      await api('POST', '/seasons', { name, values: [{ ...season, price_percent: 10 }] })
    const { page } = await app.openAs('owner', '/bookings')
    await page.getByRole('link', { name: 'Calendar', exact: true }).press('Enter')
    await page.getByRole('button', { name: 'Seasons' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Seasons' })
    const item = (name: string) =>
      dialog.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await item('Keyboard season').getByRole('button', { name: 'Rename' }).press('Enter')
    await expect(name).toBeFocused()
    await name.fill('Another season')
    await page.goBack()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
    await page.keyboard.press('Escape')
    await expect(name).toHaveValue('Another season')
    await name.press('Escape')
    await expect(name).toHaveCount(0)
    await expect(item('Keyboard season').locator(':focus')).toHaveCount(1)
    await item('Keyboard season').getByRole('button', { name: 'Rename' }).press('Enter')
    await name.fill('Keyboard season one')
    await name.press('Enter')
    const renamed = item('Keyboard season one')
    await expect(renamed.locator(':focus')).toHaveCount(1)
    await renamed.getByRole('button', { name: 'Delete' }).press('Enter')
    await page.keyboard.press('Enter')
    await expect(renamed).toHaveCount(0)
    await expect(dialog.locator(':focus')).toHaveCount(1)
  })

  /** Types into the parts of a date, as a person does. */
  const typeDate = async (field: Locator, digits: string) => {
    await field.focus()
    await field.page().keyboard.type(digits)
  }

  test('a date that does not exist is not used, and a message says so until there is another', async () => {
    const { page } = await app.openAs('owner', '/bookings?to=2028-12-31')
    const field = page.getByLabel('Arrival from')
    const fault = page.getByRole('main').getByRole('alert')
    await typeDate(field, '02312027')
    await expect(fault).toHaveCount(0)
    await page.getByLabel('to', { exact: true }).focus()
    await expect(fault).toHaveCount(1)
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    expect(page.url()).not.toContain('from=')
    await typeDate(field, '12201960')
    await expect(fault).toHaveCount(0)
    await page.getByLabel('to', { exact: true }).focus()
    await expect(fault).toContainText('1970')
    await expect(field).toHaveValue('1960-12-20')
    await typeDate(field, '12202027')
    await page.getByLabel('to', { exact: true }).focus()
    await expect(field).toHaveValue('2027-12-20')
    await expect(fault).toHaveCount(0)
    await expect(page).toHaveURL(/from=2027-12-20/)
  })

  test('a year has four digits, and the calendar says where it ends', async () => {
    const { page } = await app.openAs('owner', '/calendar')
    const field = page.getByLabel('Jump to a date')
    await typeDate(field, '122420288')
    await expect(field).toHaveValue('0288-12-24')
    await expect(page).toHaveURL(/from=2028-12-24/)
    await typeDate(field, '12242199')
    await page.getByRole('grid').focus()
    await expect(page.getByRole('main').getByRole('alert')).toHaveCount(1)
  })

  test('a dialog does nothing while one of its dates does not exist', async () => {
    const unit = await addUnit(api, 'Dates Studio')
    const stay = { unitId: unit.id, status: 'confirmed', guestName: 'Dora Data' }
    const made = { ...stay, checkIn: later('03-20'), checkOut: later('03-23') }
    const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', made)
    const { page } = await app.openAs('owner', `/bookings/${booking.id}`)
    const changes: (string | null)[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') changes.push(request.postData())
    })
    await page.getByRole('button', { name: 'Move' }).press('Enter')
    const dialog = page.getByRole('dialog')
    const arrival = dialog.getByLabel('Arrival')
    const move = dialog.getByRole('button', { name: 'Move' })
    await dialog.getByLabel('Guests').fill('2')
    await typeDate(arrival, `0231${laterYear}`)
    await expect(move).toBeEnabled()
    await arrival.press('Enter')
    await dialog.getByLabel('Departure').focus()
    await expect(dialog.getByRole('alert')).toHaveCount(1)
    await typeDate(arrival, `0322${laterYear}`)
    await expect(move).toBeEnabled()
    await arrival.press('Enter')
    await expect(dialog).toHaveCount(0)
    expect(changes).toEqual([expect.stringContaining(later('03-22'))])
  })

  test('the nights of a phone are one stop of Tab, with arrow keys between them', async () => {
    const { id, space_id } = await addUnit(api, 'Month Studio')
    const stay = {
      unitId: id,
      status: 'confirmed',
      checkIn: later('12-30'),
      checkOut: `${laterYear + 1}-01-02`,
    }
    await api('POST', '/bookings', { ...stay, guestName: 'Mia Monat' })
    const path = `/calendar?space=${space_id}&from=${later('12-31')}`
    const { page } = await app.openAs('owner', path, { width: 390 })
    const night = (date: string) => page.locator(`[data-day="${Date.parse(date) / 86_400_000}"]`)
    await page.getByRole('button', { name: 'Next month' }).focus()
    await page.keyboard.press('Tab')
    await expect(night(later('12-31'))).toBeFocused()
    await page.keyboard.press('b')
    await page.getByRole('complementary', { name: 'Booking' }).waitFor()
    await page.keyboard.press('Escape')
    await expect(night(later('12-31'))).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await expect(night(`${laterYear + 1}-01-07`)).toBeFocused()
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('gridcell', { selected: true })).toHaveCount(2)
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name: 'Price' })).toBeFocused()
  })

  test('every booking of a night opens in the calendar', async () => {
    const { space_id } = await addUnit(api, 'Other Studio')
    const double = { space_id, name: 'Keyboard Double', type: 'studio', max_guests: 2, quantity: 2 }
    const { unit } = await api<{ unit: { id: string } }>('POST', '/units', {
      ...{ ...double, base_price_cents: 9_000, currency: 'eur' },
    })
    const stay = { unitId: unit.id, status: 'confirmed', checkIn: later('11-20'), checkOut: later('12-20') }
    for (const guestName of ['Clara Chave', 'Tomé Tecla'])
      await api('POST', '/bookings', { ...stay, guestName })
    const { page } = await app.openAs('owner', `/calendar?q=Keyboard+Double&from=${later('12-01')}`)
    await page
      .getByRole('gridcell', { name: /0 free/ })
      .first()
      .waitFor()
    const grid = page.getByRole('grid')
    await grid.press('ArrowRight')
    const panel = page.getByRole('complementary', { name: 'Booking' })
    const opened = new Set<string | null>()
    for (const _ of [1, 2]) {
      await grid.press('b')
      opened.add(await panel.getByRole('heading').textContent())
      await page.keyboard.press('Escape')
      await expect(grid).toBeFocused()
    }
    expect([...opened].toSorted()).toEqual(['Clara Chave', 'Tomé Tecla'])
  })
})
