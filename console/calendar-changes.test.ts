import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite, test } from 'node:test'

import type { Locator } from '@playwright/test'
import { expect, loseResponses, noBrowser } from './test/browser.ts'
import { dayMs, later } from './test/days.ts'
import { holdChange } from './test/hold-change.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('changes in the calendar', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  for (const isFirst of [true, false])
    test(`units of ${isFirst ? 'the first' : 'a later'} page that could not be read are asked for when the person says so`, async () => {
      const { page, witness } = await app.openAs('owner', '/settings')
      // What the stream tells of would ask for the units again.
      await page.route('**/api/v1/events/stream*', (route) => route.abort())
      // As if there were more pages of units.
      await page.route('**/api/v1/calendar?*limit=100*', async (route) => {
        const url = route.request().url()
        if (isFirst || url.includes('cursor=')) return await route.fulfill({ status: 500, json: {} })
        await route.continue({ url: url.replace('limit=100', 'limit=5') })
      })
      await page.goto(`${app.url}/calendar`)
      const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' })
      await retry.waitFor()
      const asked = witness.requested.filter((url) => /calendar\?.*limit=100/.test(url))
      assert.equal(asked.length, isFirst ? 1 : 2)
      const rowCount = async () => Number(await page.getByRole('grid').getAttribute('aria-rowcount'))
      const before = await rowCount()
      await page.unroute('**/api/v1/calendar?*limit=100*')
      await retry.click()
      await expect(retry).toHaveCount(0)
      if (!isFirst) await expect.poll(rowCount).toBeGreaterThan(before)
    })

  test('the nights that are edited stay those of their unit when the list of units changes', async () => {
    const [first, second] = [await addUnit(api, 'Desvio Um'), await addUnit(api, 'Desvio Dois')]
    const search = new URLSearchParams({ q: 'Desvio', from: later('07-01') })
    const { page } = await app.openAs('owner', `/calendar?${search}`)
    const cells = page.locator(`[data-row="unit"] [data-day="${Date.parse(later('07-05')) / dayMs}"]`)
    await expect(cells).toHaveCount(2)
    await cells.and(page.locator('[data-state="free"]')).last().click()
    const editor = page.getByRole('form', { name: 'Change nights' })
    const edited = (await editor.getByRole('heading').innerText()) === first.name ? first : second
    await editor.getByRole('radio', { name: 'Set', exact: true }).check()
    await editor.getByRole('textbox', { name: /Amount/ }).fill('123')
    await page
      .getByRole('button', { name: /^Hide the units of/ })
      .first()
      .click()
    await expect(cells).toHaveCount(1)
    await expect(editor.getByRole('heading')).toHaveText(edited.name)
    await page.getByRole('button', { name: /^Show the units of/ }).click()

    const other = edited === first ? second : first
    const input = { space_id: other.space_id, name: 'Desvio Zero', max_guests: 2, base_price_cents: 9_000 }
    await api('POST', '/units', { ...input, type: 'studio', currency: 'eur' })
    await expect(cells).toHaveCount(3)
    await expect(editor.getByRole('heading')).toHaveText(edited.name)
    await editor.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Changed 1 night').waitFor()
    await expect(cells.filter({ hasText: '123' })).toHaveCount(1)
  })

  test('a season that is applied twice in a row is applied once', async () => {
    const unit = await addUnit(api, 'Season Studio')
    const value = { date_from: later('08-01'), date_to: later('08-03'), price_percent: 10 }
    await api('POST', '/seasons', { name: 'Twice', values: [value] })
    const { page } = await app.openAs(
      'owner',
      `/calendar?${new URLSearchParams({ q: unit.name, from: later('08-01') })}`,
    )
    await page.getByRole('button', { name: 'Seasons' }).click()
    const season = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Twice' }) })
    await season.getByRole('button', { name: 'Apply' }).click()
    await season.getByText('3 nights change').waitFor()
    let sent = 0
    await page.route('**/seasons/*/apply', async (route) => {
      sent++
      await sleep(500)
      await route.continue()
    })
    await season.getByRole('button', { name: 'Apply' }).last().dblclick()
    await page.getByText('Changed 3 nights').waitFor()
    assert.equal(sent, 1)
  })

  test('a season and a copy are applied once when the response to the first attempt is lost', async () => {
    const unit = await addUnit(api, 'Lost Season Studio')
    const value = { date_from: later('08-05'), date_to: later('08-05'), price_percent: 10 }
    await api('POST', '/seasons', { name: 'Lost', values: [value] })
    const search = new URLSearchParams({ q: unit.name, from: later('08-01') })
    const { page } = await app.openAs('owner', `/calendar?${search}`)
    const dialog = page.getByRole('dialog')
    const sendTwice = async (address: string, send: Locator) => {
      await expect(send).toBeEnabled()
      const answerAgain = await loseResponses(page, address)
      await send.click()
      await dialog.getByText('could not be reached').first().waitFor()
      // What is read again meanwhile may have failed before it.
      await expect(send).toBeEnabled()
      await answerAgain()
      await send.click()
      await page.getByText('Changed 1 night').waitFor()
      await expect(dialog).toHaveCount(0)
    }
    await page.getByRole('button', { name: 'Seasons' }).click()
    const season = dialog.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Lost' }) })
    await season.getByRole('button', { name: 'Apply' }).click()
    await season.getByText('1 night changes').waitFor()
    await sendTwice('**/seasons/*/apply', season.getByRole('button', { name: 'Apply' }).last())
    const night = `[data-row="unit"] [data-day="${Date.parse(later('08-05')) / dayMs}"]`
    await page.locator(`${night}[data-state="free"]`).click()
    await page.getByRole('button', { name: /^Copy/ }).click()
    await dialog.getByRole('radio', { name: /next year/ }).check()
    // None is left to change once the preview has been read again.
    await sendTwice('**/calendar/copy', dialog.getByRole('button', { name: /^Copy [01] night/ }))
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByText('The change was undone').waitFor()
    const { calendar_changes: changes } = await api<{
      calendar_changes: { nights_changed: number; reverts_id: string | null }[]
    }>('GET', `/calendar-changes?unit_id=${unit.id}`)
    assert.deepEqual(
      changes.map(({ nights_changed, reverts_id }) => [nights_changed, reverts_id !== null]),
      [
        [1, true],
        [1, false],
        [1, false],
      ],
    )
  })

  test('a season that is renamed keeps what a colleague has changed of its nights', async () => {
    const value = { date_from: later('08-11'), date_to: later('08-13'), price_percent: 10 }
    const { season } = await api<{ season: { id: string } }>('POST', '/seasons', {
      ...{ name: 'Stale', values: [value] },
    })
    const { page } = await app.openAs('owner', '/settings')
    // What the stream tells of would show the season as it is.
    await page.route('**/api/v1/events/stream*', (route) => route.abort())
    await page.goto(`${app.url}/calendar`)
    await page.getByRole('button', { name: 'Seasons' }).click()
    const item = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Stale' }) })
    await item.getByRole('button', { name: 'Rename' }).click()
    const values = [{ ...value, price_percent: 25 }]
    await api('PUT', `/seasons/${season.id}`, { name: 'Stale', values })
    await page.getByRole('dialog').getByRole('textbox').fill('Renamed')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Renamed' }).waitFor()
    const now = await api<{ season: { values: { price_percent: number }[] } }>('GET', `/seasons/${season.id}`)
    assert.equal(now.season.values[0]?.price_percent, 25)
  })

  test('a season is renamed and deleted once, however slowly', async () => {
    const value = { date_from: later('08-15'), date_to: later('08-16'), price_percent: 10 }
    await api('POST', '/seasons', { name: 'Slow', values: [value] })
    const { page } = await app.openAs('owner', '/calendar')
    await page.getByRole('button', { name: 'Seasons' }).click()
    const dialog = page.getByRole('dialog')
    const item = dialog.getByRole('listitem').filter({ hasText: 'Aug 15' })
    await item.getByRole('button', { name: 'Rename' }).click()
    const renaming = await holdChange(page, '**/api/v1/seasons/*')
    await dialog.getByRole('textbox').fill('Slower')
    await page.keyboard.press('Enter')
    await renaming.sent
    await expect(item.getByRole('button', { name: 'Rename' })).toBeDisabled()
    await page.keyboard.press('Enter')
    renaming.letThrough()
    await page.getByRole('heading', { name: 'Slower' }).waitFor()
    await page.unroute('**/api/v1/seasons/*')
    await item.getByRole('button', { name: 'Delete' }).click()
    const deletion = await holdChange(page, '**/api/v1/seasons/*')
    const sure = item.getByRole('button', { name: 'Delete it for everybody' })
    await sure.click()
    await deletion.sent
    await expect(sure).toBeDisabled()
    deletion.letThrough()
    await expect(item).toHaveCount(0)
    await expect(page.getByText('There is no season')).toHaveCount(0)
  })

  test('a booking that gets another unit in the calendar keeps its time of arrival', async () => {
    const [from, to] = [await addUnit(api, 'Noite Um'), await addUnit(api, 'Noite Dois')]
    const stay = { checkIn: `${later('09-05')}T22:30:00.000Z`, checkOut: `${later('09-08')}T08:00:00.000Z` }
    const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', {
      ...{ unitId: from.id, guestName: 'Tarde Tavares', status: 'confirmed', ...stay },
    })
    const search = new URLSearchParams({ q: 'Noite', from: later('09-01') })
    const { page } = await app.openAs('owner', `/calendar?${search}`)
    await page.locator(`[data-bar="${booking.id}"]`).click()
    await page.getByRole('button', { name: 'Move …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Unit').selectOption({ value: to.id })
    await dialog.getByRole('button', { name: 'Move the booking' }).click()
    await page.getByText(/was moved to/).waitFor()
    const moved = await api<{ booking: { unitId: string; checkIn: string } }>(
      'GET',
      `/bookings/${booking.id}`,
    )
    assert.deepEqual([moved.booking.unitId, moved.booking.checkIn], [to.id, stay.checkIn])
  })

  test('an amount is not set for units of several currencies, a percentage is', async () => {
    await addUnit(api, 'Moeda Um')
    const { space } = await api<{ space: { id: string } }>('POST', '/spaces', {
      ...{ name: 'Zambujeira House', timezone: 'Asia/Tokyo', currency: 'jpy', country: 'JP' },
    })
    const input = { space_id: space.id, name: 'Moeda Dois', type: 'studio', max_guests: 2 }
    await api('POST', '/units', { ...input, currency: 'jpy', base_price_cents: 12_000 })
    const search = new URLSearchParams({ q: 'Moeda', from: later('10-01') })
    const { page } = await app.openAs('owner', `/calendar?${search}`)
    const cells = page.locator(`[data-row="unit"] [data-day="${Date.parse(later('10-05')) / dayMs}"]`)
    await expect(cells.and(page.locator('[data-state="free"]'))).toHaveCount(2)
    await cells.first().hover()
    await page.mouse.down()
    await cells.last().hover()
    await page.mouse.up()
    const editor = page.getByRole('form', { name: 'Change nights' })
    await editor.getByText('1 night of 2 units').waitFor()
    await editor.getByRole('radio', { name: 'Set', exact: true }).check()
    await editor.getByRole('textbox', { name: /Amount/ }).fill('100')
    await editor.getByRole('button', { name: 'Save', exact: true }).click()
    await editor.getByRole('alert').getByText('several currencies').waitFor()
    await editor.getByRole('radio', { name: '± %' }).check()
    await editor.getByRole('textbox', { name: 'Percent' }).fill('10')
    await editor.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Changed 2 nights').waitFor()
  })
})
