import { suite, test } from 'node:test'

import { assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { addOrganization } from './test/product.ts'
import { useConsole } from './test/use-console.ts'

suite('an organization without anything', { skip: noBrowser }, () => {
  const app = useConsole()
  const owner = 'Nora Newcomer'

  test('each screen that is empty leads to what comes next', async () => {
    addOrganization(app.product, 'Empty House', owner)
    const { page } = await app.openAs(owner)
    const next = [
      ['/calendar', 'Add a unit', '/units/new'],
      ['/units', 'Add a unit', '/units/new'],
      ['/bookings/new', 'Add a unit', '/units/new'],
      ['/analytics', 'To the units', '/units'],
      ['/bookings', 'New booking', '/bookings/new'],
      ['/payments', 'To the bookings', '/bookings'],
      ['/channels', 'Connect a PMS', '/channels/new'],
    ] as const
    for (const [path, name, target] of next) {
      await page.goto(app.url + path)
      await page.getByRole('status').locator('a, button', { hasText: name }).click()
      await expect(page, path).toHaveURL(new RegExp(`^${app.url}${target}(\\?|$)`))
    }
    await page.goto(`${app.url}/units/new`)
    const zone = await page.evaluate<string>('Intl.DateTimeFormat().resolvedOptions().timeZone')
    await expect(page.getByLabel('Time zone')).toHaveValue(zone)
    await page.goto(`${app.url}/calendar`)
    await page.getByRole('link', { name: 'Add a unit' }).waitFor()
    await assertEveryLook(page, 'calendar without units')
  })
})
