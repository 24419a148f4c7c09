import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import type { Locator, Page } from '@playwright/test'
import { assertAccessible, assertEveryLook, expect, noBrowser } from './test/browser.ts'
import type { PageOptions } from './test/browser.ts'
import { countCollators, spaceBefore } from './test/calendar-scripts.ts'
import { day, dayMs, later } from './test/days.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

const maxNodes = 1200

suite('calendar', { skip: noBrowser }, () => {
  const app = useConsole()

  const openCalendar = async (query = '', options?: PageOptions, role = 'owner') => {
    const opened = await app.openAs(role, `/calendar${query}`, options)
    await opened.page.locator('[data-day]:not([data-state="loading"])').first().waitFor()
    return opened
  }

  test('a dragged rectangle gets ten percent more, the PMS has it, and the undo restores it', async () => {
    const { page } = await openCalendar(`?from=${day(400)}`)
    const first = await freeCell(page, 0, day(406))
    const last = await freeCell(page, 1, day(408))
    const before = digits(await first.innerText())
    await drag(page, first, last)
    await page.getByText('3 nights of 2 units').waitFor()

    await page.getByRole('radio', { name: '± %' }).check()
    await page.getByRole('textbox', { name: 'Percent' }).fill('10')
    const after = String(Math.round(Number(before) * 110) / 100)
    await page.getByRole('status').getByText('6 nights change').waitFor()
    await page.getByRole('cell', { name: after }).first().waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Changed 6 nights').waitFor()
    await first.and(page.getByText(after)).waitFor()
    await first.and(page.locator('[data-mark="atPms"]')).waitFor()

    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The change was undone').waitFor()
    await first.and(page.getByText(before)).waitFor()
  })

  test('the first nights are asked for while the scripts are loading, and once', async () => {
    const { page, witness } = await openCalendar()
    const isOfFirstNights = (url: string) =>
      url.includes('/api/v1/calendar?') && url.includes('limit=50') && !url.includes('unit_id=')
    const asked = page.waitForRequest((request) => isOfFirstNights(request.url()))
    await page.route('**/assets/start-*.js', async (route) => {
      await asked
      await route.continue()
    })
    const earlier = witness.requested.length
    await page.reload()
    await page.locator('[data-day]:not([data-state="loading"])').first().waitFor()
    const requested = witness.requested.slice(earlier)
    assert.equal(requested.filter(isOfFirstNights).length, 1)
    assert.equal(requested.filter((url) => url.endsWith('/api/v1/auth/session')).length, 1)
  })

  test('no format is built while the calendar is scrolled', async () => {
    const { page } = await openCalendar()
    await page.evaluate(countCollators)
    for (let step = 1; step <= 5; step += 1) {
      await page.evaluate(`document.querySelector('[role="grid"]').scrollBy(700, 300)`)
      const edge = Math.floor(Date.now() / dayMs) + step * 12
      await page.locator(`[data-day="${edge}"]:not([data-state="loading"])`).first().waitFor()
    }
    assert.equal(await page.evaluate('window.collators'), 0)
  })

  test('nights are selected and blocked by keyboard alone', async () => {
    const { page } = await openCalendar(`?from=${later('10-01')}`)
    await freeCell(page, 0, later('10-05')).then((cell) => cell.click())
    await page.keyboard.press('Escape')
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Enter')
    await page.getByText('2 nights', { exact: false }).first().waitFor()
    await tabTo(page, 'Block')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Painting')
    await page.keyboard.press('Enter')
    await page.getByText('Changed 2 nights').waitFor()
    await page.locator('[data-block]').and(page.getByTitle('Blocked: Painting')).waitFor()
    await expect(page.getByRole('grid')).toBeFocused()
  })

  test('a price of zero asks first', async () => {
    const { page } = await openCalendar(`?from=${later('11-01')}`)
    await freeCell(page, 0, later('11-02')).then((cell) => cell.click())
    await page.getByRole('radio', { name: 'Set', exact: true }).check()
    await page.getByRole('textbox', { name: /Amount/ }).fill('0')
    await page.getByRole('textbox', { name: 'Min. nights' }).pressSequentially('14')
    await expect(page.getByRole('textbox', { name: 'Min. nights' })).toHaveValue('14')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').getByText('Some nights would cost nothing.', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Save anyway' }).waitFor()
  })

  test('a booking that is dragged says why it is refused, and asks before it is moved', async () => {
    const { page } = await openCalendar()
    const bar = page.locator('[data-row="unit"] [data-bar]').first()
    const label = (await bar.getAttribute('aria-label')) ?? ''
    const box = await bar.boundingBox()
    assert.ok(box)
    await page.mouse.move(box.x + 20, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x - 160, box.y + 10, { steps: 4 })
    await page.getByText('The arrival would be in the past.').waitFor()
    await page.keyboard.press('Escape')
    await page.mouse.up()
    await expect(page.getByRole('dialog')).toHaveCount(0)

    const id = await bar.getAttribute('data-bar')
    await bar.click()
    const panel = page.getByRole('complementary', { name: 'Booking' })
    await panel.getByRole('link', { name: 'Open the booking' }).click()
    await page.waitForURL(`**/bookings/${id}`)
    await page.goBack()
    await bar.click()
    await panel.getByRole('button', { name: 'Move …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Arrival').fill(later('02-01'))
    await dialog.getByLabel('Departure').fill(later('02-04'))
    await dialog.getByRole('button', { name: 'Move the booking' }).click()
    await page.getByText(/was moved to/).waitFor()
    await page.locator(`[data-bar="${id}"]`).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The booking is back where it was').waitFor()
    await page.getByRole('gridcell', { name: label }).waitFor()
  })

  test('a price of four figures is beside the bar that ends on its night', async () => {
    const api = app.apiAs('owner')
    const unit = await addUnit(api, 'Rua Larga')
    const price = {
      unit_id: unit.id,
      date_from: later('05-01'),
      date_to: later('05-31'),
      price_cents: 116_120,
    }
    await api('POST', '/calendar', { values: [price] })
    const stay = { checkIn: later('05-08'), checkOut: later('05-11') }
    await api('POST', '/bookings', { unitId: unit.id, guestName: 'Inês', status: 'confirmed', ...stay })
    const leaving = `[data-day="${Date.parse(stay.checkOut) / dayMs}"]`
    for (const [width, density] of [[1440], [1440, 'compact'], [390], [320]] as const) {
      const search = new URLSearchParams({ from: later('05-07'), q: unit.name, ...(density && { density }) })
      const { page } = await openCalendar(`?${search}`, { width })
      await page.locator('[data-bar]').waitFor()
      await expect(page.locator(leaving)).toHaveText(/1,161$/)
      await expect
        .poll(() => page.evaluate<number>(spaceBefore(leaving)), `${width} ${density}`)
        .toBeGreaterThanOrEqual(0)
    }
  })

  test('nights become a season that is applied to units, and are copied to the next year', async () => {
    const { page } = await openCalendar(`?from=${day(440)}`)
    const cell = await freeCell(page, 0, day(445))
    const price = Number(digits(await cell.innerText()))
    await cell.click()
    await page.getByRole('radio', { name: '± amount' }).check()
    await page.getByRole('textbox', { name: /Amount/ }).fill('20')
    await page.getByRole('button', { name: 'Save as a season' }).click()
    await page.getByRole('textbox', { name: 'Name of the season' }).fill('Carnival')
    await page.getByRole('dialog').getByRole('button', { name: 'Save as a season' }).click()
    await page.getByText('The season Carnival was saved').waitFor()
    await page.getByRole('button', { name: 'Seasons' }).click()
    const season = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Carnival' }) })
    await season.getByRole('button', { name: 'Apply' }).click()
    await season.getByText('Selected units (1)').waitFor()
    await season.getByText('1 night changes').waitFor()
    await assertAccessible(page, 'seasons')
    await season.getByRole('button', { name: 'Apply' }).last().click()
    await cell.and(page.getByText(String(price + 20))).waitFor()

    await page.getByRole('button', { name: 'Copy nights' }).click()
    await page.getByRole('radio', { name: 'To the same weekdays next year' }).check()
    await page.getByRole('button', { name: 'Copy 1 night' }).click()
    await page.getByText('Changed 1 night').waitFor()
    await page.getByLabel('Jump to a date').fill(day(800))
    const next = await freeCell(page, 0, day(445 + 364))
    await next.and(page.getByText(String(price + 20))).waitFor()
  })

  test('a role that may only read cannot save, and sees why', async () => {
    const { page } = await openCalendar('', undefined, 'viewer')
    await page.locator('[data-row="unit"] [data-state="free"]').first().click()
    await page.getByText('Your role may look at the calendar but not change it.').waitFor()
    await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
  })

  test('on a phone, two taps and a reason block nights', async () => {
    const { page } = await openCalendar(`?from=${later('12-01')}`, { width: 390 })
    const night = (date: string) => page.locator(`[data-day="${Date.parse(date) / dayMs}"]`)
    await night(later('12-06')).click()
    await night(later('12-07')).click()
    await page.getByRole('button', { name: 'Block' }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('Boiler')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Changed 2 nights').waitFor()
    await night(later('12-07')).and(page.locator('[data-state="blocked"]')).waitFor()
  })

  for (const widths of [[1440], [390, 320]] as const)
    test(`accessible and within ${maxNodes} nodes at ${widths.join(' and ')}`, async () => {
      const { page, witness } = await openCalendar('', { width: widths[0] })
      const assertLooks = async (place: string) => {
        await assertEveryLook(page, place, widths)
        await expect
          .poll(() => page.evaluate<number>('document.querySelectorAll("*").length'))
          .toBeLessThanOrEqual(maxNodes)
      }
      await assertLooks('calendar')
      await page.locator('[data-day][data-state="free"]:not([data-outside])').last().click()
      if (widths[0] < 760) await page.getByRole('button', { name: 'Price' }).click()
      await page.getByRole('form', { name: 'Change nights' }).waitFor()
      await assertLooks('editor')
      assert.deepEqual(witness.complaints, [])
    })
})

const freeCell = async (page: Page, unitIndex: number, date: string) => {
  const day = Date.parse(date) / dayMs
  const cell = page.locator(`[data-row="unit"] [data-unit-index="${unitIndex}"][data-day="${day}"]`)
  await cell.and(page.locator('[data-state="free"]')).waitFor()
  return cell
}

const drag = async (page: Page, from: Locator, to: Locator) => {
  await from.hover()
  await page.mouse.down()
  await to.hover()
  await page.mouse.up()
}

/** Presses Tab until a field of this group has the focus. */
const tabTo = async (page: Page, group: string) => {
  const isThere = `document.activeElement.closest('fieldset')?.querySelector('legend')?.textContent.startsWith('${group}')`
  while (!(await page.evaluate(isThere))) await page.keyboard.press('Tab')
}

const digits = (text: string) => text.replaceAll(/[^\d.]/g, '')
