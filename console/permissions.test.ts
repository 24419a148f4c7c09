import { before, suite, test } from 'node:test'

import { assertAccessible, expect, noBrowser } from './test/browser.ts'
import { addProgram } from './test/product.ts'
import { useConsole } from './test/use-console.ts'

suite('screens and permissions', { skip: noBrowser }, () => {
  const app = useConsole()
  const name = 'Petra Program'

  before(() => addProgram(app.product, name))

  test('a token without permissions sees which permission today and the inbox need', async () => {
    const { page } = await app.openAs(name)
    await page.getByRole('alert').filter({ hasText: 'bookings:read' }).waitFor()
    await assertAccessible(page, 'today')
    await page.goto(`${app.url}/inbox`)
    for (const part of ['Failing syncs', 'Alerts'])
      await page
        .getByRole('region', { name: part })
        .getByRole('alert')
        .filter({ hasText: 'sync:read' })
        .waitFor()
    await assertAccessible(page, 'inbox')
  })

  test('a letter does not lead to a screen that needs a missing permission', async () => {
    const { page } = await app.openAs(name, '/start')
    await page.getByRole('alert').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('b')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await expect(page).toHaveURL(`${app.url}/start`)
  })

  test('a letter leads to each screen that begins with it, one after the other', async () => {
    const { page } = await app.openAs('owner', '/units')
    await page.locator('[data-unit]').first().waitFor()
    for (const screen of ['calendar', 'channels', 'calendar']) {
      await page.keyboard.press('g')
      await page.keyboard.press('c')
      await expect(page).toHaveURL(new RegExp(`/${screen}$`))
    }
  })
})
