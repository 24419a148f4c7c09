import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import type { Locator, Page, Request } from '@playwright/test'
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
})
