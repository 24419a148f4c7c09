import { before, suite, test } from 'node:test'

import type { Page } from '@playwright/test'
import { assertTextFits, expect, noBrowser } from './test/browser.ts'
import { later, lisbonDay } from './test/days.ts'
import { addOrganization } from './test/product.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

const longWord = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(3)
const cents = 987_654_321

suite('long texts', { skip: noBrowser }, () => {
  const app = useConsole()
  const owner = 'Lena Lang'
  const ids = { unit: '', booking: '', target: '' }

  before(async () => {
    addOrganization(app.product, longWord, owner)
    const api = app.apiAs(owner)
    const space = { name: longWord, timezone: 'Europe/Lisbon', currency: 'eur', country: 'PT' }
    const { id: space_id } = (await api<{ space: { id: string } }>('POST', '/spaces', space)).space
    const unit = { space_id, name: longWord, base_price_cents: cents, currency: 'eur' }
    ids.unit = (await api<{ unit: { id: string } }>('POST', '/units', unit)).unit.id
    const booking = {
      ...{ unitId: ids.unit, checkIn: lisbonDay(0), checkOut: lisbonDay(3), status: 'confirmed' },
      ...{ guestName: longWord, guestEmail: `${'a'.repeat(60)}@${'b'.repeat(60)}.example` },
      ...{ totalCents: cents, notes: longWord },
    }
    const target = { channel_type: 'pms', name: longWord, config: { property_ref: 'long-house' } }
    const path = '/channel-targets'
    ids.target = (await api<{ channel_target: { id: string } }>('POST', path, target)).channel_target.id
    ids.booking = (await api<{ booking: { id: string } }>('POST', '/bookings', booking)).booking.id
    const season = { date_from: later('12-04'), date_to: later('12-06'), price_cents: cents }
    await api('POST', '/seasons', { name: longWord, values: [season] })
  })

  const assertFits = async (page: Page, place: string) => {
    for (const width of [320, 390, 1440]) {
      await page.setViewportSize({ width, height: 844 })
      await assertTextFits(page, `${place} at ${width}`)
    }
  }

  test('names without spaces and large amounts stay in their place in German', async () => {
    const { page } = await app.openAs(owner, '/', { locale: 'de-DE' })
    const places = [
      ['/', 'a'],
      ['/units', 'h3 a'],
      [`/units/${ids.unit}`, 'h1'],
      ['/bookings', '[role=row] a'],
      [`/bookings/${ids.booking}`, 'h1'],
      ['/analytics?period=next-90', 'dl dd'],
      [`/channels/${ids.target}/link`, 'h1'],
    ] as const
    for (const [path, shown] of places) {
      await page.goto(app.url + path)
      await page.locator(`#content ${shown}`).first().waitFor()
      await assertFits(page, path)
    }
  })

  test('dialogs and filters hold them too', async () => {
    const { page } = await app.openAs(owner, `/units/${ids.unit}`, { locale: 'de-DE' })
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Archivieren' }).click()
    await dialog.waitFor()
    await assertFits(page, 'question')
    await page.goto(`${app.url}/calendar`)
    await page.getByRole('button', { name: 'Saisons' }).click()
    await dialog.getByText(longWord).first().waitFor()
    await assertFits(page, 'seasons')
    await page.setViewportSize({ width: 320, height: 844 })
    await page.goto(`${app.url}/bookings`)
    await page.getByRole('button', { name: 'Filter' }).click()
    await assertFits(page, 'filters')
    await page.setViewportSize({ width: 320, height: 844 })
    await page.goto(`${app.url}/channels/${ids.target}`)
    await page.getByRole('button', { name: /^Anhalten/ }).click()
    await dialog.getByRole('button', { name: 'Anhalten' }).click()
    await expect(page.getByRole('button', { name: 'Rückgängig' })).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('button', { name: 'Ausblenden' })).toBeInViewport({ ratio: 1 })
  })

  test('a name without a space makes no screen wider than the window', async () => {
    const api = app.apiAs('owner')
    const { id, space_id } = await addUnit(api, 'n'.repeat(200))
    await api('PATCH', `/spaces/${space_id}`, { name: 's'.repeat(200) })
    const stay = { unitId: id, status: 'confirmed', checkIn: later('05-01'), checkOut: later('05-03') }
    const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', {
      ...{ ...stay, guestName: 'g'.repeat(200) },
    })
    const { page } = await app.openAs('owner', '/settings', { width: 390 })
    for (const [path, name] of [
      [`/units/${id}`, 's'],
      [`/bookings/${booking.id}`, 's'],
      [`/bookings/new?from=${later('06-01')}&unit=${id}&place=${'s'.repeat(200)}`, 'n'],
    ] as const) {
      await page.goto(app.url + path)
      await page.getByRole('main').getByText(name.repeat(200)).filter({ visible: true }).first().waitFor()
      const lines = await page.evaluate<number>('document.querySelector("#content").scrollWidth')
      expect(lines, path).toBeLessThanOrEqual(390)
    }
  })
})
