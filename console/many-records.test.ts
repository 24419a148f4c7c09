import { suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { expect, noBrowser } from './test/browser.ts'
import { dayMs, later } from './test/days.ts'
import { addUnit } from './test/units.ts'
import type { Unit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('more records than one page of a list has', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  /** Has a list of the API answer with one record a page. */
  const servePages = (page: Page, path: RegExp, name: string, records: readonly object[]) =>
    page.route(path, (route) => {
      const at = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
      const next_cursor = at + 1 < records.length ? String(at + 1) : null
      return route.fulfill({
        json: { [name]: records.slice(at, at + 1), next_cursor, has_more: next_cursor !== null },
      })
    })

  test('a channel and an import that are on a later page are found where an import starts', async () => {
    const { channel_targets } = await api<{ channel_targets: { config: object }[] }>(
      'GET',
      '/channel-targets?limit=1',
    )
    const targets = ['First PMS', 'Later PMS'].map((name) => ({
      ...{ ...channel_targets[0], id: crypto.randomUUID(), name, type: 'pms' },
      config: { ...channel_targets[0]?.config, provider: 'channex' },
    }))
    const imports = targets.map(({ id }) => ({
      ...{ id: crypto.randomUUID(), channel_target_id: id, status: 'planned', include: [], counts: [] },
      ...{ listings_paused: 0, created_at: new Date().toISOString() },
    }))
    const { page } = await app.openAs('owner', '/settings')
    await servePages(page, /\/api\/v1\/channel-targets\?/, 'channel_targets', targets)
    await servePages(page, /\/api\/v1\/imports\?/, 'imports', imports)
    await page.goto(`${app.url}/import?channel=${targets[1]?.id}`)
    const later = page.getByRole('radio', { name: /Later PMS/ })
    await expect(later).toBeChecked()
    await expect(page.getByRole('radio', { name: /An import waits/ })).toHaveCount(2)
    const earlier = page.getByRole('table', { name: 'Earlier imports' })
    await expect(earlier.getByRole('row', { name: /Later PMS/ })).toHaveCount(1)
    await expect(page.getByRole('link', { name: 'Continue the import' })).toHaveAttribute(
      'href',
      `/import/${imports[1]?.id}`,
    )
  })

  test('a price that is typed stays while its row is scrolled away and a unit appears above it', async () => {
    const { page } = await app.openAs('owner', '/units')
    const row = page.locator('[data-unit]').nth(1)
    const unit = (await api<{ unit: Unit }>('GET', `/units/${await row.getAttribute('data-unit')}`)).unit
    await row.locator('[data-price]').click()
    const field = page.getByRole('textbox', { name: new RegExp(`^Price of ${unit.name}`) })
    await field.fill('123')
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    const height = await page.evaluate<number>('document.body.scrollHeight')
    const added: Unit[] = []
    for (const name of ['AAA Above', 'AAB Above', 'AAC Above']) {
      const input = { space_id: unit.space_id, name, type: 'studio', max_guests: 2, base_price_cents: 9_000 }
      added.push((await api<{ unit: Unit }>('POST', '/units', { ...input, currency: 'eur' })).unit)
    }
    await expect
      .poll(() => page.evaluate<number>('document.body.scrollHeight'))
      .toBeGreaterThanOrEqual(height + 3 * 40)
    await expect(field).toHaveValue('123')
    for (const { id } of added) await api('DELETE', `/units/${id}`)
  })

  test('the rate plans of later pages are shown on request, and chosen in the calendar', async () => {
    const unit = await addUnit(api, 'Plans Studio')
    for (const name of ['Flexible', 'Non-refundable'])
      await api('POST', '/rate-plans', { unit_id: unit.id, name })
    const { rate_plans } = await api<{ rate_plans: { name: string }[] }>(
      'GET',
      `/rate-plans?unit_id=${unit.id}`,
    )
    const { page } = await app.openAs('owner', '/settings')
    await servePages(page, /\/api\/v1\/rate-plans\?/, 'rate_plans', rate_plans)
    await page.goto(`${app.url}/units/${unit.id}`)
    const plans = page.getByRole('region', { name: 'Rate plans' })
    for (const _ of rate_plans.slice(1)) await plans.getByRole('button', { name: 'Show more' }).click()
    await expect(plans.getByRole('listitem')).toHaveCount(rate_plans.length)
    await expect(plans.getByRole('button', { name: 'Show more' })).toHaveCount(0)
    await page.goto(`${app.url}/calendar?q=Plans+Studio&from=${later('12-01')}`)
    const day = Date.parse(later('12-05')) / dayMs
    await page.locator(`[data-row="unit"] [data-day="${day}"][data-state="free"]`).first().click()
    const choice = page.getByRole('form', { name: 'Change nights' }).getByLabel('Rate plan')
    await expect(choice.getByRole('option')).toHaveCount(rate_plans.length)
  })

  test('all bookings that match are selected, up to as many as one action takes', async () => {
    const { page } = await app.openAs('owner', '/bookings')
    const all = page.getByRole('checkbox', { name: 'Select all rows that are loaded' })
    const matching = page.getByRole('button', { name: /^Select all that match/ })
    await all.click()
    await matching.click()
    await page.getByRole('region', { name: '500 selected' }).waitFor()
    await expect(matching).toHaveCount(0)
    const { bookings } = await api<{ bookings: { guestName: string }[] }>('GET', '/bookings?limit=1')
    await page.goto(`${app.url}/bookings?q=${encodeURIComponent(bookings[0]?.guestName ?? '')}`)
    await all.click()
    await expect(page.getByRole('region', { name: /selected/ })).toHaveCount(1)
    await expect(matching).toHaveCount(0)
  })

  test('a list says that it shows the filter before while that of now is read', async () => {
    const { page } = await app.openAs('owner', '/bookings')
    const table = page.getByRole('table', { name: 'Bookings' })
    await table.getByRole('row').nth(1).waitFor()
    const answer = Promise.withResolvers<void>()
    await page.route(/bookings\?.*q=/, async (route) => {
      await answer.promise
      await route.continue()
    })
    await page.getByRole('searchbox').fill('no-such-name')
    await expect(table).toHaveAttribute('aria-busy', 'true')
    answer.resolve()
    await expect(table).toHaveCount(0)
  })

  test('a list that is printed has every loaded row, one below the other, and says when it goes on', async () => {
    const { bookings } = await api<{ bookings: { id: string }[] }>('GET', '/bookings?limit=1')
    const many = Array.from({ length: 60 }, (_, at) => ({
      ...bookings[0],
      id: `00000000-0000-4000-8000-0000000000${at + 10}`,
      guestName: at % 2 ? `Guest ${at}` : `Maximiliane Freifrau von und zu Hohenlohe-Langenburg ${at}`,
    }))
    const { page } = await app.openAs('owner', '/settings/limits')
    await page.route(/\/bookings\?(?!.*cursor)/, (route) =>
      route.fulfill({ json: { bookings: many, next_cursor: 'next', has_more: true } }),
    )
    await page.goto(`${app.url}/bookings`)
    const rows = page.locator('[data-index]')
    await rows.first().waitFor()
    const goesOn = page.getByText('its first 60 rows are loaded')
    await expect(goesOn).toBeHidden()
    await page.evaluate(`addEventListener('beforeprint', () => {
      window.printed = document.querySelectorAll('[data-index]').length
    })`)
    await page.pdf()
    expect(await page.evaluate('window.printed')).toBe(60)
    await expect.poll(() => rows.count()).toBeLessThan(60)
    await page.setViewportSize({ width: 794, height: 1123 })
    await page.emulateMedia({ media: 'print' })
    await page.evaluate('dispatchEvent(new Event("beforeprint"))')
    await expect(goesOn).toBeVisible()
    const overlapping = `[...document.querySelectorAll('[data-index] + [data-index]')].filter(
      (row) => row.getBoundingClientRect().top < row.previousSibling.getBoundingClientRect().bottom,
    ).length`
    expect(await page.evaluate(overlapping)).toBe(0)
  })

  test('a guest whose name was erased is named so where rows are selected, and where one could not be changed', async () => {
    const { page } = await app.openAs('owner', '/settings')
    await page.route('**/api/v1/bookings?*', async (route) => {
      const response = await route.fetch()
      const { bookings } = (await response.json()) as { bookings: { id: string }[] }
      const erased = bookings.slice(0, 1).map((one) => ({ ...one, guestName: '' }))
      await route.fulfill({ response, json: { bookings: erased, next_cursor: null, has_more: false } })
    })
    const problem = { code: 'booking-ended', status: 409, title: 'Ended', detail: 'The booking has ended.' }
    await page.route('**/api/v1/bookings/bulk', (route) => {
      const { booking_ids } = route.request().postDataJSON() as { booking_ids: string[] }
      const results = booking_ids.map((id) => ({ id, status: 409, problem }))
      return route.fulfill({ json: { succeeded: 0, failed: 1, results } })
    })
    await page.goto(`${app.url}/bookings`)
    await page.getByRole('checkbox', { name: 'Select Name erased' }).check()
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('alert').getByRole('link', { name: 'Name erased' }).waitFor()
  })

  test('an amount with three decimals stays on one line of a list', async () => {
    const { space } = await api<{ space: { id: string } }>('POST', '/spaces', {
      ...{ name: 'Salmiya House', timezone: 'Asia/Kuwait', currency: 'kwd', country: 'KW' },
    })
    const { unit } = await api<{ unit: { id: string } }>('POST', '/units', {
      ...{ space_id: space.id, name: 'Salmiya Studio', type: 'studio', max_guests: 2 },
      ...{ base_price_cents: 378_833, currency: 'kwd' },
    })
    const stay = { unitId: unit.id, status: 'confirmed', checkIn: later('05-01'), checkOut: later('05-04') }
    await api('POST', '/bookings', { ...stay, guestName: 'Dana Dinar' })
    const { page } = await app.openAs('owner', `/bookings?unit=${unit.id}`)
    const total = page.getByText(/^KWD\s1,136.499$/)
    const lines = await total.evaluate((cell) => {
      const range = cell.ownerDocument.createRange()
      range.selectNodeContents(cell.lastChild ?? cell)
      return range.getClientRects().length
    })
    expect(lines).toBe(1)
  })

  test('the palette shows the whole name of a unit, however long that of its space is', async () => {
    const { space } = await api<{ space: { id: string } }>('POST', '/spaces', {
      ...{ name: 'Zambujeira House with a name that is long '.repeat(2), timezone: 'Europe/Lisbon' },
      ...{ currency: 'eur', country: 'PT' },
    })
    const unit = { space_id: space.id, name: 'Long Note Studio', type: 'studio', max_guests: 2 }
    await api('POST', '/units', { ...unit, base_price_cents: 9_000, currency: 'eur' })
    const { page } = await app.openAs('owner', '/settings/organization', { width: 390 })
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search and go anywhere' }).fill('long note')
    const name = page.getByRole('option').getByText(unit.name, { exact: true })
    await name.waitFor()
    expect(await name.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
  })

  test('on a phone, a booking leads to its unit among others whose names contain its name', async () => {
    const { id, space_id } = await addUnit(api, 'Quarto 1')
    const other = { name: 'Alto Quarto 1', type: 'studio', max_guests: 2, base_price_cents: 9_000 }
    await api('POST', '/units', { ...other, space_id, currency: 'eur' })
    const stay = { checkIn: later('06-01'), checkOut: later('06-03') }
    const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', {
      ...{ unitId: id, guestName: 'Tina Telefone', ...stay },
    })
    const { page } = await app.openAs('owner', `/bookings/${booking.id}`, { width: 390 })
    await page.getByRole('link', { name: 'Show in the calendar' }).click()
    await expect(page.getByRole('combobox', { name: 'Unit' })).toHaveValue(id)
  })
})
