import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, suite, test } from 'node:test'

import { assertEveryLook, expect, loseResponses, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { atProvider, pay as payStay, until } from './test/pay.ts'
import type { Reply } from './test/pay.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

interface Refund {
  provider_reference: string | null
  status: string
}

suite('payments', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')
  let nextDay = 500
  let unitId: string

  before(async () => {
    unitId = (await addUnit(api, 'Paid Studio')).id
    await pay('Paula Paga', 'pm_card_visa')
    await pay('Nuno Recusado', 'pm_card_chargeDeclined')
  })

  const open = async (query = '') => {
    const { page } = await app.openAs('owner', `/payments${query}`)
    await page.getByRole('heading', { name: 'Payments' }).waitFor()
    return page
  }

  const pay = (guestName: string, card: string) =>
    payStay(app, api, { unitId, guestName, card, inDays: (nextDay += 3) })

  test('a payment is dated where the property is', async () => {
    const { payment_intents } = await api<{ payment_intents: { booking_id: string; created_at: string }[] }>(
      'GET',
      '/payment-intents?limit=1&sort=-created_at',
    )
    const [payment] = payment_intents
    assert.ok(payment)
    const inLisbon = new Intl.DateTimeFormat('en-US', {
      ...({ dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/Lisbon' } as const),
    }).format(Date.parse(payment.created_at))
    const { page } = await app.openAs('owner', '/payments', { timezoneId: 'Pacific/Auckland' })
    await expect(page.getByRole('cell', { name: inLisbon }).first()).toBeVisible()
    await page.goto(`${app.url}/bookings/${payment.booking_id}`)
    await page
      .getByText(new RegExp(inLisbon.replace(/(:\d\d).*$/, '$1:')))
      .first()
      .waitFor()
  })

  test('while the payments of a booking cannot be read, no sum is shown and none is asked for', async () => {
    const input = { unitId, guestName: 'Sara Sabida', checkIn: day(1_000), checkOut: day(1_002) }
    const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', input)
    const { page } = await app.openAs('owner', '/settings')
    await page.route('**/api/v1/payment-intents?*', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto(`${app.url}/bookings/${booking.id}`)
    const payments = page.getByRole('region', { name: 'Payments' })
    const retry = payments.getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    await expect(payments.getByText('Still to pay')).toHaveCount(0)
    await expect(payments.getByRole('button', { name: 'Ask for a payment…' })).toBeDisabled()
    await page.unroute('**/api/v1/payment-intents?*')
    await retry.click()
    await payments.getByText('Still to pay').waitFor()
  })

  test('a part of a payment goes back, and the sums follow', async () => {
    const page = await open()
    await page.getByText('The last attempt of 1 payment failed').waitFor()
    await page.getByRole('link', { name: 'Show payments that wait for the guest' }).click()
    await expect(page).toHaveURL(/status=requires_payment_method/)
    await page.goBack()
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

  test('filters are in the address, and what they leave is downloaded', async () => {
    const page = await open('?status=succeeded')
    await expect(page.getByRole('row')).toHaveCount(2)
    const downloadLines = async () => {
      const waiting = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Download CSV' }).click()
      return (await readFile(await (await waiting).path(), 'utf8')).trim().split('\r\n')
    }
    const [header = '', ...payments] = await downloadLines()
    assert.match(header, /,amount_cents,amount_received_cents,/)
    assert.equal(payments.length, 1)
    await page.getByRole('button', { name: 'Refunds' }).click()
    assert.match((await downloadLines()).join(), /^id,.*,payment_intent_id,.*,succeeded,/)

    const { page: staff, witness } = await app.openAs('staff', '/payments')
    const download = staff.getByRole('button', { name: 'Download CSV' })
    await expect(download).toHaveAttribute('aria-disabled', 'true')
    await staff.getByText('This list could not be loaded').waitFor()
    await download.press('Enter')
    assert.equal(witness.requested.filter((url) => url.includes('/payment-intents?')).length, 1)
  })

  test('the sums follow what happens elsewhere', async () => {
    const page = await open()
    const waiting = page.getByRole('term').filter({ hasText: 'Asked for' }).locator('xpath=..')
    await expect(waiting).toContainText('€100.00')
    nextDay += 3
    const stay = { checkIn: day(nextDay), checkOut: day(nextDay + 2), totalCents: 20_000 }
    const input = { unitId, guestName: 'Sílvia Soma', ...stay }
    const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', input)
    const asked = { booking_id: booking.id, amount: 700, currency: 'eur' }
    const { payment_intent } = await api<Reply>('POST', '/payment-intents', asked)
    await expect(waiting).toContainText('€107.00')
    await api('POST', `/payment-intents/${payment_intent.id}/cancel`)
    await expect(waiting).toContainText('€100.00')
  })

  test('a payment of which all went back is not shown as paid', async () => {
    const page = await open()
    const row = page.getByRole('row').filter({ hasText: 'Paula Paga' })
    await row.getByText('Paid', { exact: true }).waitFor()
    await row.getByRole('button', { name: 'Refund…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount').fill('74.50')
    await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
    await row.getByText('Refunded', { exact: true }).waitFor()
    await expect(row.getByText('Paid', { exact: true })).toHaveCount(0)
  })

  test('a refund that fails later is in the inbox, which leads to its booking', async () => {
    const refunds = () => api<{ refunds: Refund[] }>('GET', '/refunds?sort=-created_at')
    const { refunds: sent } = await until(refunds, ({ refunds: [latest] }) => latest?.status === 'succeeded')
    await atProvider(app, 'refunds/settle', { refund: sent[0]!.provider_reference, status: 'failed' })
    const { page } = await app.openAs('owner', '/inbox?show=alerts')
    await page.getByRole('button', { name: 'A guest did not receive a refund' }).click()
    await assertEveryLook(page, 'a refund that failed')
    const { page: german } = await app.openAs('owner', '/inbox?show=alerts', { locale: 'de-DE' })
    await german
      .getByText(/^Erstattung fehlgeschlagen · [\d,]+\s€ · Die Karte ist abgelaufen oder gekündigt$/)
      .waitFor()
    await page.getByRole('link', { name: 'Open the booking' }).click()
    await page.getByRole('heading', { name: 'Paula Paga' }).waitFor()
  })

  test('by keyboard, filters are kept under a name, for this screen only', async () => {
    const page = await open('?status=succeeded')
    const views = page.getByRole('button', { name: 'Views' })
    await views.focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Name of the view').fill('Paid')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Paid', exact: true }).waitFor()

    await page.goto(`${app.url}/payments`)
    await page.getByRole('row').filter({ hasText: 'Nuno Recusado' }).waitFor()
    await views.click()
    await page.getByRole('button', { name: 'Paid', exact: true }).click()
    await expect(page).toHaveURL(/\?status=succeeded$/)
    await page.getByRole('row').filter({ hasText: 'Nuno Recusado' }).waitFor({ state: 'detached' })

    for (const path of ['/units', '/inbox', '/channels', '/settings/inbox']) {
      await page.goto(app.url + path)
      await views.click()
      await page.getByText('No saved views yet').waitFor()
    }
  })

  test('a refund whose response was lost is not made twice when its dialog is opened again', async () => {
    await pay('Renata Repete', 'pm_card_visa')
    const page = await open()
    // Nothing tells the page that the refund was made.
    await page.route('**/api/v1/events/stream*', (route) => route.abort())
    await page.reload()
    const row = page.getByRole('row').filter({ hasText: 'Renata Repete' })
    const dialog = page.getByRole('dialog')
    const refund = async () => {
      await row.getByRole('button', { name: 'Refund…' }).click()
      await dialog.getByLabel('Amount').fill('25.75')
      await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
    }
    const answerAgain = await loseResponses(page, '**/refunds')
    await refund()
    await dialog.getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    await answerAgain()
    await refund()
    await page.getByText('The refund is on its way').waitFor()
    const { refunds } = await api<{ refunds: { amount: number }[] }>(
      'GET',
      '/refunds?sort=-created_at&limit=2',
    )
    assert.notEqual(refunds[1]?.amount, refunds[0]?.amount)
  })

  test('is accessible in every look', async () => {
    const page = await open()
    await page.getByText('Paula Paga').waitFor()
    await assertEveryLook(page, 'payments')
  })
})
