import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, suite, test } from 'node:test'

import type { Browser, Page } from '@playwright/test'
import { assertAccessible, expect, noBrowser, openBrowser, openPage, signIn } from './test/browser.ts'
import type { Look } from './test/browser.ts'
import { callApi } from './test/api.ts'
import { startProduct } from './test/product.ts'
import type { Product } from './test/product.ts'

const dayMs = 86_400_000
const day = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)

interface Payment {
  id: string
  provider_reference: string | null
  client_secret: string | null
  status: string
  failure_code: string | null
}

suite('payments', { skip: noBrowser }, () => {
  let product: Product
  let browser: Browser
  let nextDay = 500

  before(async () => {
    browser = await openBrowser()
    product = await startProduct()
    const page = await open()
    await pay(page, 'Paula Paga', 'pm_card_visa')
    await pay(page, 'Nuno Recusado', 'pm_card_chargeDeclined')
  })
  after(async () => {
    await browser?.close()
    await product?.[Symbol.asyncDispose]()
  })

  const open = async (query = '', look?: Look) => {
    const { page } = await openPage(browser, product.apiUrl, look)
    await signIn(page, product.apiUrl, 'owner')
    await page.goto(`${product.apiUrl}/payments${query}`)
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    return page
  }

  /** A booking for which the guest pays 100.00 with a card, or tries to. */
  const pay = async (page: Page, guestName: string, card: string) => {
    const { units } = await callApi<{ units: { id: string }[] }>(page, 'GET', '/units?limit=1')
    nextDay += 3
    const stay = { checkIn: day(nextDay), checkOut: day(nextDay + 2), totalCents: 20_000 }
    const input = { unitId: units[0]?.id, guestName, ...stay }
    const { booking } = await callApi<{ booking: { id: string } }>(page, 'POST', '/bookings', input)
    const asked = { booking_id: booking.id, amount: 10_000, currency: 'eur' }
    const { payment_intent } = await callApi<{ payment_intent: Payment }>(
      page,
      'POST',
      '/payment-intents',
      asked,
    )
    const read = async () =>
      (await callApi<{ payment_intent: Payment }>(page, 'GET', `/payment-intents/${payment_intent.id}`))
        .payment_intent
    const opened = await until(read, ({ client_secret }) => client_secret !== null)
    await fetch(`${product.paymentsUrl}/v1/payment_intents/${opened.provider_reference}/confirm`, {
      method: 'POST',
      headers: { authorization: 'Bearer pk_test_1', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        client_secret: opened.client_secret ?? '',
        payment_method: card,
      }).toString(),
    })
    await until(read, ({ status, failure_code }) => status === 'succeeded' || failure_code !== null)
  }

  test('a part of a payment goes back, and the sums follow', async () => {
    const page = await open()
    await page.getByText('The last attempt of 1 payment failed').waitFor()
    const row = page.getByRole('row').filter({ hasText: 'Paula Paga' })
    await row.getByRole('button', { name: 'Refund…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount').fill('200')
    await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Amount').fill('25.50')
    await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
    await page.getByText('The refund is on its way').waitFor()
    await row.getByText('€25.50').waitFor()
    await page.getByRole('term').filter({ hasText: 'Net' }).locator('xpath=..').getByText('€74.50').waitFor()
    await page.getByRole('button', { name: 'Refunds' }).click()
    await page.getByRole('row').filter({ hasText: 'Paula Paga' }).getByText('€25.50').waitFor()
    await expect(page).toHaveURL(/view=refunds/)
  })

  test('filters are in the address, and the ledger is downloaded', async () => {
    const page = await open('?status=succeeded')
    await page.getByRole('row').filter({ hasText: 'Paula Paga' }).waitFor()
    await expect(page.getByRole('row')).toHaveCount(2)
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV' }).click()
    const lines = (await readFile(await (await waiting).path(), 'utf8')).trim().split('\r\n')
    assert.equal(lines.length, 3)
  })

  test('is accessible in every look', async () => {
    for (const width of [320, 390, 1440] as const)
      for (const scheme of ['light', 'dark'] as const) {
        const page = await open('', { width, scheme })
        await page.getByText('Paula Paga').waitFor()
        await assertAccessible(page, `${width} ${scheme}`)
        await page.context().close()
      }
  })
})

const until = async <T>(read: () => Promise<T>, isDone: (found: T) => boolean): Promise<T> => {
  for (let left = 100; ; left -= 1) {
    const found = await read()
    if (isDone(found)) return found
    assert.ok(left > 0, JSON.stringify(found))
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
