import { before, suite, test } from 'node:test'

import { assertAccessible, expect, noBrowser } from './test/browser.ts'
import { addOneMember, addProgram } from './test/product.ts'
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

  test('a role that was changed meanwhile counts when the person comes back to the page', async () => {
    const { page } = await app.openAs('owner', '/units/new')
    const create = page.getByRole('button', { name: 'Create the unit' })
    await expect(create).toBeEnabled()
    await page.route('**/api/v1/auth/session', async (route) => {
      const response = await route.fetch()
      const session = (await response.json()) as { permissions: string[] }
      const permissions = session.permissions.filter((permission) => permission !== 'units:write')
      await route.fulfill({ response, json: { ...session, permissions } })
    })
    await page.clock.setFixedTime(Date.now() + 120_000)
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))')
    await expect(create).toBeDisabled()
  })

  test('a page that is open follows a change of the role, and shows nothing more to a removed member', async () => {
    const member = addOneMember(app.product, 'Lena Lowered')
    const { page } = await app.openAs('Lena Lowered', '/units/new')
    const create = page.getByRole('button', { name: 'Create the unit' })
    await expect(create).toBeEnabled()
    await page.getByText('Live', { exact: true }).waitFor()
    member.setRole('viewer')
    await expect(create).toBeDisabled()
    member.remove()
    await page.getByText('You are no longer a member of this organization.').waitFor()
    await expect(create).toHaveCount(0)
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
