import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'

import type { Browser, Page } from '@playwright/test'
import { assertAccessible, expect, noBrowser, openBrowser, openPage, signIn } from './test/browser.ts'
import type { Look } from './test/browser.ts'
import { startProduct } from './test/product.ts'
import type { Product } from './test/product.ts'

const looks: Look[] = [
  { width: 1440, scheme: 'light' },
  { width: 390, scheme: 'dark' },
  { width: 320, scheme: 'light' },
]

suite('stop-sell', { skip: noBrowser }, () => {
  let product: Product
  let browser: Browser

  before(async () => {
    browser = await openBrowser()
    product = await startProduct()
  })
  after(async () => {
    await browser?.close()
    await product?.[Symbol.asyncDispose]()
  })

  const openAs = async (role: string, path: string, look?: Look) => {
    const { page, witness } = await openPage(browser, product.apiUrl, look)
    await signIn(page, product.apiUrl + path, role)
    return { page, witness }
  }

  test('everything is stopped after a typed word, reaches the PMS, and is resumed', async () => {
    const { page, witness } = await openAs('manager', '/stop-sell')
    await page.getByText('Nothing is stopped').waitFor()
    await page.getByText('Everything', { exact: true }).click()
    await page.getByText(/\d+ units stop selling/).waitFor()
    await page.getByLabel('Reason').fill('Fire alarm')
    await page.getByRole('button', { name: 'Stop sales' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: 'Stop sales now' })).toBeDisabled()
    await dialog.getByRole('textbox').fill('stop')
    await dialog.getByRole('button', { name: 'Stop sales now' }).click()

    const stop = page.getByRole('region', { name: 'Stopped now' }).getByRole('listitem')
    await stop.getByText('Fire alarm').waitFor()
    await stop.getByText(/Closed at all \d+ listings/).waitFor()
    await stop.getByRole('button', { name: 'Resume sales: Everything' }).click()
    await dialog.getByText(/\d+ units sell again/).waitFor()
    await dialog.getByRole('button', { name: 'Resume sales' }).click()
    await page.getByText('Nothing is stopped').waitFor()
    const earlier = page.getByRole('table', { name: 'Earlier stops' })
    await earlier.getByText(/Open again at all \d+ listings/).waitFor()
    assert.deepEqual(witness.complaints, [])
  })

  test('spaces are stopped by keyboard; what the PMS refuses is said until it has received it', async () => {
    await refuseUnit(product, 'RT-1001')
    const { page } = await openAs('manager', '/stop-sell')
    await page.getByRole('radio', { name: /^Spaces/ }).press('Space')
    await expect(page).toHaveURL(/what=space/)
    const [first, second] = [page.getByRole('checkbox').nth(0), page.getByRole('checkbox').nth(1)]
    await first.press('Space')
    await second.press('Space')
    await page.getByText('2 chosen').waitFor()
    await page.getByText(/\d+ units stop selling/).waitFor()
    await page.getByRole('button', { name: 'Stop sales' }).press('Enter')
    await expect(page.getByRole('dialog').getByRole('textbox')).toBeFocused()
    await page.keyboard.type('stop')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    const stops = page.getByRole('region', { name: 'Stopped now' }).getByRole('listitem')
    await expect(stops).toHaveCount(2)

    const refused = stops.filter({ hasText: 'see why' })
    await expect(refused).toHaveCount(1)
    await refused.getByText(/Closed at \d+ of \d+ listings/).waitFor()
    await fetch(`${product.pmsUrl}/_control/faults`, { method: 'DELETE' })
    await refused.getByRole('link', { name: /see why/ }).click()
    await page
      .getByRole('button', { name: /^Retry/ })
      .first()
      .click()
    await page.goto(`${product.apiUrl}/stop-sell`)
    await expect(stops.getByText(/Closed at (its|all)/)).toHaveCount(2)
    await expect(stops.getByText('see why')).toHaveCount(0)
  })

  test('a channel page leads here with its channel chosen, and who may not stop sales is told so', async () => {
    const { page } = await openAs('viewer', '/channels')
    await page.getByRole('link', { name: 'Atlântica PMS' }).click()
    await page.getByRole('link', { name: 'Stop sales' }).click()
    await expect(page.getByRole('radio', { name: 'Atlântica PMS' })).toBeChecked()
    const stop = page.getByRole('button', { name: 'Stop sales' })
    await expect(stop).toHaveAttribute('title', 'Your role may not stop or resume sales')
    await expect(stop).toBeDisabled()
  })

  for (const look of looks)
    test(`accessible at ${look.width} in ${look.scheme}`, async () => {
      const { page } = await openAs('owner', '/stop-sell?what=unit', look)
      await page.getByRole('checkbox').first().waitFor()
      await page.getByRole('region', { name: 'Stopped now' }).waitFor()
      await assertFits(page, look, 'choice')
      await page.getByText('Everything', { exact: true }).click()
      await page.getByRole('button', { name: 'Stop sales …' }).click()
      await page.getByRole('dialog').waitFor()
      await assertFits(page, look, 'dialog')
    })
})

const assertFits = async (page: Page, look: Look, place: string) => {
  await assertAccessible(page, place)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), look.width, place)
}

const refuseUnit = async ({ pmsUrl }: Product, external_id: string) => {
  const answer = await fetch(`${pmsUrl}/_control/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      mode: 'refuse_values',
      external_id,
      code: 'invalid',
      message: 'The room is gone',
    }),
  })
  assert.ok(answer.ok, await answer.text())
}
