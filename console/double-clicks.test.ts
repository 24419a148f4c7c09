import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import type { Locator, Page, Request } from '@playwright/test'
import { calendarOf, openCalendarServer } from '../server/test/calendars.ts'
import { expect, noBrowser } from './test/browser.ts'
import { day, dayMs, later } from './test/days.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('double clicks', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  /** Holds requests of this kind until they are let go; returns how many there were. */
  const hold = async (page: Page, address: string, isOfKind: (request: Request) => boolean) => {
    const held = Promise.withResolvers<void>()
    let count = 0
    await page.route(address, async (route) => {
      if (!isOfKind(route.request())) return await route.continue()
      count += 1
      await held.promise
      await route.continue()
    })
    return { letGo: held.resolve, count: () => count }
  }
  const isMethod = (method: string) => (request: Request) => request.method() === method

  /** The second click of a slow double click: what the first one did is shown already. */
  const clickAgain = async (page: Page, button: Locator) => {
    await button.hover()
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
  }

  const openEditor = async (unitName: string, month: string) => {
    await addUnit(api, unitName)
    const search = new URLSearchParams({ q: unitName, from: later(`${month}-01`) })
    const { page } = await app.openAs('owner', `/calendar?${search}`)
    const night = `[data-row="unit"] [data-day="${Date.parse(later(`${month}-05`)) / dayMs}"]`
    await page.locator(`${night}[data-state="free"]`).click()
    return { page, editor: page.getByRole('form', { name: 'Change nights' }) }
  }
  const isDryRun = (request: Request) =>
    (request.postDataJSON() as { dry_run?: boolean } | null)?.dry_run === true

  test('a percentage is applied once, however slowly its outcome is worked out', async () => {
    const { page, editor } = await openEditor('Clique Percentual', '03')
    const previews = await hold(page, '**/api/v1/calendar', isDryRun)
    const changes: string[] = []
    page.on('request', (request) => {
      const isChange = request.method() === 'POST' && request.url().endsWith('/api/v1/calendar')
      if (isChange && !isDryRun(request)) changes.push(request.url())
    })
    await editor.getByRole('radio', { name: '± %' }).check()
    await editor.getByRole('textbox', { name: 'Percent' }).fill('10')
    await editor.getByRole('button', { name: 'Save', exact: true }).dblclick()
    previews.letGo()
    await page.getByText('Changed 1 night').waitFor()
    assert.equal(changes.length, 1)
  })

  test('the second click of saving does not answer the question that the first one led to', async () => {
    const { page, editor } = await openEditor('Clique Zero', '03')
    await editor.getByRole('radio', { name: 'Set', exact: true }).check()
    await editor.getByRole('textbox', { name: /Amount/ }).fill('0')
    const changes = await hold(page, '**/api/v1/calendar', (request) => !isDryRun(request))
    await editor.getByRole('button', { name: 'Save', exact: true }).click()
    const anyway = editor.getByRole('button', { name: 'Save anyway' })
    await anyway.waitFor()
    await clickAgain(page, anyway)
    assert.equal(changes.count(), 0)
    await anyway.click()
    changes.letGo()
    await page.getByText('Changed 1 night').waitFor()
    assert.equal(changes.count(), 1)
  })

  test('the second click of deleting a season does not delete it', async () => {
    const value = { date_from: later('08-01'), date_to: later('08-03'), price_percent: 10 }
    await api('POST', '/seasons', { name: 'Clicked', values: [value] })
    const { page } = await app.openAs('owner', '/calendar')
    await page.getByRole('button', { name: 'Seasons' }).click()
    const season = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Clicked' }) })
    const deletions = await hold(page, '**/api/v1/seasons/*', isMethod('DELETE'))
    await season.getByRole('button', { name: 'Delete', exact: true }).click()
    const sure = season.getByRole('button', { name: 'Delete it for everybody' })
    await sure.waitFor()
    await clickAgain(page, sure)
    assert.equal(deletions.count(), 0)
    await sure.click()
    deletions.letGo()
    await expect(season).toHaveCount(0)
    assert.equal(deletions.count(), 1)
  })

  test('a price is restored once, without an error', async () => {
    await addUnit(api, 'Undone Studio')
    const { page } = await app.openAs('owner', '/units?q=Undone')
    await page.locator('[data-price]').click()
    await page.keyboard.type('95')
    await page.keyboard.press('Enter')
    const undo = page.getByRole('button', { name: 'Undo', exact: true })
    await undo.waitFor()
    const changes = await hold(page, '**/api/v1/units/*', isMethod('PATCH'))
    await undo.dblclick()
    changes.letGo()
    await page.getByText(/Undone Studio.* again/).waitFor()
    assert.equal(changes.count(), 1)
  })

  test('an undo that failed can be tried again', async () => {
    await addUnit(api, 'Undone Twice')
    const { page } = await app.openAs('owner', '/units?q=Undone%20Twice')
    await page.locator('[data-price]').click()
    await page.keyboard.type('95')
    await page.keyboard.press('Enter')
    const undo = page.getByRole('button', { name: 'Undo', exact: true })
    await undo.waitFor()
    await page.route('**/api/v1/units/*', (route) => route.abort())
    await undo.click()
    await page.getByText('could not be reached').waitFor()
    await page.unroute('**/api/v1/units/*')
    await undo.click()
    await page.getByText(/Undone Twice.* again/).waitFor()
    await expect(undo).toHaveCount(0)
  })

  test('a listing is paused, not paused and resumed', async () => {
    const [{ id }] = (await api<{ channel_listings: [{ id: string }] }>('GET', '/channel-listings?limit=1'))
      .channel_listings
    const { page } = await app.openAs('owner', `/listings/${id}`)
    const pauses = await hold(page, '**/api/v1/channel-listings/*/pause', isMethod('POST'))
    await page.getByRole('button', { name: 'Pause', exact: true }).dblclick()
    pauses.letGo()
    const resume = page.getByRole('button', { name: 'Resume', exact: true })
    await resume.waitFor()
    assert.equal(pauses.count(), 1)
    const resumes = await hold(page, '**/api/v1/channel-listings/*/resume', isMethod('POST'))
    await clickAgain(page, resume)
    assert.equal(resumes.count(), 0)
    await resume.click()
    resumes.letGo()
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  })

  test('a webhook is disabled once, and tested once', async () => {
    const input = { url: 'http://127.0.0.1:9/', event_types: ['booking.created'] }
    const { webhook_endpoint: endpoint } = await api<{ webhook_endpoint: { id: string } }>(
      'POST',
      '/webhook-endpoints',
      input,
    )
    const { page } = await app.openAs('owner', `/settings/webhooks/${endpoint.id}`)
    const tests = await hold(page, '**/api/v1/webhook-endpoints/*/test', isMethod('POST'))
    await page.getByRole('button', { name: 'Send a test event' }).dblclick()
    tests.letGo()
    await page.getByRole('row', { name: /webhook\.test/ }).waitFor()
    assert.equal(tests.count(), 1)
    const again = await hold(page, '**/api/v1/webhook-deliveries/*/replay', isMethod('POST'))
    const delivery = page.getByRole('row', { name: /webhook\.test/ })
    const sendAgain = delivery.getByRole('button', { name: /Send again/ })
    await sendAgain.dblclick()
    await expect(sendAgain).toHaveAttribute('aria-disabled', 'true')
    again.letGo()
    const changes = await hold(page, '**/api/v1/webhook-endpoints/*', isMethod('PATCH'))
    await page.getByRole('button', { name: 'Switch off' }).dblclick()
    changes.letGo()
    const enable = page.getByRole('button', { name: 'Switch on' })
    await enable.waitFor()
    for (const name of ['Send a test event', 'Send a period again'])
      await expect(page.getByRole('button', { name })).toHaveAttribute('title', /switched off/)
    assert.equal(changes.count(), 1)
    await clickAgain(page, enable)
    assert.equal(changes.count(), 1)
    assert.equal(again.count(), 1)
  })

  test('a calendar is read once, also when that is over before the second click', async (context) => {
    const elsewhere = await openCalendarServer()
    context.after(() => elsewhere.close())
    const { id } = await addUnit(api, 'Clicked Calendar')
    const url = elsewhere.serve('/clicked.ics', calendarOf())
    await api('POST', '/calendar-feeds', { unit_id: id, direction: 'import', name: 'Clicked site', url })
    const { page } = await app.openAs('owner', `/units/${id}`)
    const readings = await hold(page, '**/api/v1/calendar-feeds/*/fetch', isMethod('POST'))
    readings.letGo()
    const readNow = page.getByRole('button', { name: 'Read now: Clicked site' })
    const wasRead = page.getByText('Clicked site was read')
    await readNow.click()
    await wasRead.waitFor()
    await clickAgain(page, readNow)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await readNow.click()
    await wasRead.waitFor()
    assert.equal(readings.count(), 2)
  })

  test('an archived unit is restored without an error', async () => {
    const { id } = await addUnit(api, 'Restored Studio')
    await api('PATCH', `/units/${id}`, { status: 'archived' })
    const { page } = await app.openAs('owner', `/units/${id}`)
    const changes = await hold(page, '**/api/v1/units/*', isMethod('PATCH'))
    await page.getByRole('button', { name: 'Restore' }).dblclick()
    changes.letGo()
    await page.getByRole('button', { name: 'Archive' }).waitFor()
    assert.equal(changes.count(), 1)
  })

  test('an export is begun once, without an error', async () => {
    const { page } = await app.openAs('owner', '/settings/exports')
    const begun = await hold(page, '**/api/v1/exports', isMethod('POST'))
    await page.getByRole('button', { name: 'Export now' }).dblclick()
    begun.letGo()
    await page.getByRole('list', { name: 'Exports' }).getByRole('listitem').first().waitFor()
    assert.equal(begun.count(), 1)
    await expect(page.getByRole('alert')).toHaveCount(0)
  })

  test('a hold is released without an error', async () => {
    const unit = await addUnit(api, 'Released Studio')
    const search = new URLSearchParams({ unit: unit.id, from: day(320), to: day(322) })
    const { page } = await app.openAs('owner', `/bookings/new?${search}`)
    await page.getByLabel('Name', { exact: true }).fill('Clara Clique')
    await page.getByRole('button', { name: /^Hold for/ }).click()
    const changes = await hold(page, '**/api/v1/bookings/*', isMethod('PATCH'))
    await page.getByRole('button', { name: 'Release the hold' }).dblclick()
    changes.letGo()
    await page.getByText('The nights are free again').waitFor()
    assert.equal(changes.count(), 1)
  })
})
