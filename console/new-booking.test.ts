import { after, before, suite, test } from 'node:test'

import type { Browser } from '@playwright/test'
import { assertAccessible, expect, noBrowser, openBrowser, openPage, signIn } from './test/browser.ts'
import type { Look } from './test/browser.ts'
import { callApi } from './test/api.ts'
import { startProduct } from './test/product.ts'
import type { Product } from './test/product.ts'

const dayMs = 86_400_000
const day = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)

suite('a new booking', { skip: noBrowser }, () => {
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

  const open = async (query: string, look?: Look) => {
    const { page } = await openPage(browser, product.apiUrl, look)
    await signIn(page, product.apiUrl, 'owner')
    await page.goto(`${product.apiUrl}/bookings/new${query}`)
    await page.getByRole('heading', { name: 'New booking' }).waitFor()
    return page
  }

  test('from the search over a hold to the booking, by keyboard alone', async () => {
    const page = await open(`?from=${day(400)}&to=${day(403)}&guests=2`)
    await page.getByRole('heading', { name: 'Free for 3 nights' }).waitFor()
    const unit = page.getByRole('listitem').getByRole('button').first()
    const price = /€[\d,.]+/.exec(await unit.innerText())?.[0] ?? 'no price'
    await unit.focus()
    await page.keyboard.press('Enter')
    const total = page.getByRole('term').filter({ hasText: 'Total' }).locator('xpath=..')
    await total.waitFor()
    await expect(total).toContainText(price)
    await page.getByText('Cleaning').waitFor()

    await page.getByRole('button', { name: 'Take the booking' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Enter the name of the guest').waitFor()
    await page.keyboard.type('Teresa Teclado')
    await page.getByRole('button', { name: 'Hold for 30 minutes' }).focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('timer')
      .filter({ hasText: /another (30:00|29:\d\d)/ })
      .waitFor()
    await page.getByRole('button', { name: 'Take the booking' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Teresa Teclado' }).waitFor()
    await page.getByText('Confirmed', { exact: true }).first().waitFor()
    await expect(page).toHaveURL(/\/bookings\/[0-9a-f-]{36}$/)
  })

  test('a link from the calendar opens the unit, and says why it is not free while others are', async () => {
    const page = await open('')
    const { units } = await callApi<{ units: { id: string }[] }>(page, 'GET', '/units?limit=1')
    const unitId = units[0]?.id ?? ''
    const stay = { checkIn: day(420), checkOut: day(423) }
    await callApi(page, 'POST', '/bookings', { unitId, guestName: 'Was Faster', ...stay })
    await page.goto(`${product.apiUrl}/bookings/new?unit=${unitId}&from=${day(421)}&to=${day(424)}`)
    await page.getByRole('alert').waitFor()
    await expect(page.getByRole('button', { name: 'Take the booking' })).toHaveCount(0)
    await page.getByRole('listitem').getByRole('button').first().click()
    await page.getByRole('button', { name: 'Take the booking' }).waitFor()
  })

  test('is accessible in every look', async () => {
    for (const width of [320, 390, 1440] as const)
      for (const scheme of ['light', 'dark'] as const) {
        const page = await open(`?from=${day(440)}&to=${day(443)}`, { width, scheme })
        await page.getByRole('listitem').getByRole('button').first().click()
        await page.getByRole('button', { name: 'Take the booking' }).waitFor()
        await assertAccessible(page, `${width} ${scheme}`)
        await page.context().close()
      }
  })
})
