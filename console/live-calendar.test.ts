import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { expect, noBrowser } from './test/browser.ts'
import { dayMs, later } from './test/days.ts'
import { replaceStream, untilOver, untilPainted } from './test/live.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

interface Booking {
  id: string
  unitId: string
  departure: string
}

interface Listing {
  id: string
  unit: { name: string }
}

suite('the calendar while records change', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')

  const firstListing = async () =>
    (await api<{ channel_listings: [Listing] }>('GET', '/channel-listings?limit=1')).channel_listings[0]

  test('a new price stays while nights are read as they were before it', async () => {
    const unit = await addUnit(api, 'Old Answer')
    const { page } = await app.openAs('owner', '/settings/limits')
    const stream = await replaceStream(page)
    await page.goto(`${app.url}/calendar?${new URLSearchParams({ q: unit.name, from: later('06-01') })}`)
    const night = page.locator(`[data-row="unit"] [data-day="${Date.parse(later('06-05')) / dayMs}"]`)
    await night.and(page.locator('[data-state="free"]')).click()
    const editor = page.getByRole('form', { name: 'Change nights' })
    await editor.getByRole('radio', { name: 'Set', exact: true }).check()
    await editor.getByRole('textbox', { name: /Amount/ }).fill('95')
    await page.getByRole('status').getByText('1 night changes').waitFor()

    const [reading, read, saved] = [1, 2, 3].map(() => Promise.withResolvers<void>())
    const isOfNights = (url: string) => url.includes('/api/v1/calendar?') && url.includes('unit_id=')
    await page.route('**/api/v1/calendar?*', async (route) => {
      if (!isOfNights(route.request().url())) return await route.continue()
      const response = await route.fetch()
      reading!.resolve()
      await read!.promise
      await route.fulfill({ response })
    })
    await page.route('**/api/v1/calendar', async (route) => {
      const { dry_run } = route.request().postDataJSON() as { dry_run?: boolean }
      if (!dry_run) await saved!.promise
      await route.continue()
    })
    stream.send('changes', { calendar: null })
    await reading!.promise
    const over = untilOver(page, (request) => isOfNights(request.url()))
    await editor.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(night).toContainText('95')
    read!.resolve()
    await over
    await untilPainted(page)
    await expect(night).toContainText('95')
    saved!.resolve()
    await page.getByText('Changed 1 night').waitFor()
    await stream.end()
  })
})
