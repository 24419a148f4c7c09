import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'

import { expect, noBrowser } from './test/browser.ts'
import { day } from './test/days.ts'
import { atProvider, pay, until } from './test/pay.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

interface Asked {
  payment_intents: {
    amount: number
    amount_received: number
    provider_reference: string | null
    status: string
  }[]
}

suite('payments that are asked for', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')
  let unitId: string
  let inDays = 700

  before(async () => {
    unitId = (await addUnit(api, 'Asked Studio')).id
  })

  const openNewBooking = async (guestName: string) => {
    inDays += 3
    const input = { unitId, guestName, checkIn: day(inDays), checkOut: day(inDays + 2), totalCents: 20_000 }
    const { booking } = await api<{ booking: { id: string } }>('POST', '/bookings', input)
    const { page } = await app.openAs('owner', `/bookings/${booking.id}`)
    const ask = async (amount: string) => {
      await page.getByRole('button', { name: 'Ask for a payment…' }).click()
      await page.getByRole('dialog').getByLabel('Amount').fill(amount)
      await page.getByRole('button', { name: 'Ask for it' }).click()
    }
    const asked = () => api<Asked>('GET', `/payment-intents?booking_id=${booking.id}`)
    return { page, ask, asked }
  }

  test('two halves are no single payment: the second one is not shown as asked for', async () => {
    const { page, ask, asked } = await openNewBooking('Hugo Metade')
    await ask('100')
    await page.getByText('The payment was asked for').waitFor()
    await ask('100')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('alert')).toContainText('€100.00 were asked for before')
    await dialog.getByLabel('Amount').fill('99.99')
    await page.getByRole('button', { name: 'Ask for it' }).click()
    await expect(dialog).toHaveCount(0)
    const { payment_intents } = await asked()
    assert.deepEqual(
      payment_intents.map(({ amount }) => amount).toSorted((one, two) => one - two),
      [9_999, 10_000],
    )
  })

  test('an amount that was asked for by mistake is withdrawn, and the right one asked for', async () => {
    const { page, ask, asked } = await openNewBooking('Rita Retira')
    await ask('200')
    const payments = page.getByRole('region', { name: 'Payments' })
    await expect(payments.getByRole('button', { name: 'Ask for a payment…' })).toBeDisabled()
    await payments.getByRole('button', { name: 'Withdraw…' }).click()
    await page.getByRole('button', { name: 'Withdraw the request' }).click()
    await payments.getByText('Cancelled').waitFor()
    await expect(payments.getByRole('button', { name: 'Withdraw…' })).toHaveCount(0)
    await ask('20')
    await payments.getByText('€20.00').waitFor()
    const { payment_intents } = await asked()
    assert.deepEqual(payment_intents.map(({ status }) => status).toSorted(), [
      'canceled',
      'requires_payment_method',
    ])
  })

  test('what is held on a card is taken in part, and the rest is released', async () => {
    const { booking_id } = await pay(app, api, {
      ...{ unitId, guestName: 'Dora Depósito', inDays: (inDays += 3) },
      ...{ card: 'pm_card_visa', captureMethod: 'manual' },
    })
    const { page } = await app.openAs('owner', `/bookings/${booking_id}`)
    const payments = page.getByRole('region', { name: 'Payments' })
    await payments.getByText('Held, not taken yet').waitFor()
    await payments.getByRole('button', { name: 'Take it…' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByLabel('Amount')).toHaveValue('100.00')
    await dialog.getByLabel('Amount').fill('100.01')
    await dialog.getByText('At most €100.00').waitFor()
    await dialog.getByLabel('Amount').fill('60')
    await dialog.getByRole('button', { name: 'Take it' }).click()
    await expect(dialog).toHaveCount(0)
    await expect(payments.getByRole('button', { name: 'Refund…' })).toBeVisible()
    await expect(payments.getByRole('button', { name: 'Take it…' })).toHaveCount(0)
    await expect(payments.locator('dt:has-text("Paid") + dd')).toContainText(['€60.00', '€60.00'])
    const { payment_intents } = await api<Asked>('GET', `/payment-intents?booking_id=${booking_id}`)
    assert.deepEqual(
      payment_intents.map(({ status, amount_received }) => [status, amount_received]),
      [['succeeded', 6_000]],
    )
  })

  test('of what is held on a card, at first what is still to pay after the price was lowered is taken', async () => {
    const { booking_id } = await pay(app, api, {
      ...{ unitId, guestName: 'Bruno Baixa', inDays: (inDays += 3) },
      ...{ card: 'pm_card_visa', captureMethod: 'manual' },
    })
    await api('PATCH', `/bookings/${booking_id}`, { totalCents: 7_500 })
    const { page } = await app.openAs('owner', `/bookings/${booking_id}`)
    await page.getByRole('button', { name: 'Take it…' }).click()
    await expect(page.getByRole('dialog').getByLabel('Amount')).toHaveValue('75.00')
    await page.getByRole('dialog').getByRole('button', { name: 'Take it' }).click()
    await page.getByRole('button', { name: 'Refund…' }).waitFor()
    const { payment_intents } = await api<Asked>('GET', `/payment-intents?booking_id=${booking_id}`)
    assert.deepEqual(
      payment_intents.map(({ amount_received }) => amount_received),
      [7_500],
    )
  })

  test('what is held on a card is released', async () => {
    const { booking_id } = await pay(app, api, {
      ...{ unitId, guestName: 'Lara Livre', inDays: (inDays += 3) },
      ...{ card: 'pm_card_visa', captureMethod: 'manual' },
    })
    const { page } = await app.openAs('owner', `/bookings/${booking_id}`)
    await page.getByRole('button', { name: 'Release…' }).click()
    await page.getByRole('dialog').getByText('Release €100.00?').waitFor()
    await page.getByRole('button', { name: 'Release it' }).click()
    await page.getByRole('region', { name: 'Payments' }).getByText('Cancelled').waitFor()
    const { payment_intents } = await api<Asked>('GET', `/payment-intents?booking_id=${booking_id}`)
    assert.deepEqual(
      payment_intents.map(({ status }) => status),
      ['canceled'],
    )
  })

  test('what a colleague refunds meanwhile is not offered again', async () => {
    const { id, booking_id } = await pay(app, api, {
      ...{ unitId, guestName: 'Rita Restante', inDays: (inDays += 3), card: 'pm_card_visa' },
    })
    const { page } = await app.openAs('owner', `/bookings/${booking_id}`)
    await page.getByRole('button', { name: 'Refund…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('At most €100.00 can be refunded').waitFor()
    await api('POST', `/payment-intents/${id}/refunds`, { amount: 7_000 })
    await dialog.getByText('At most €30.00 can be refunded').waitFor()
    await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
    await expect(dialog.getByRole('alert')).toContainText('At most €30.00')
    await dialog.getByLabel('Amount').fill('30')
    await dialog.getByRole('button', { name: 'Refund', exact: true }).click()
    await page.getByText('The refund is on its way').waitFor()
  })

  test('the highest amount is written as money', async () => {
    const { page, ask } = await openNewBooking('Mário Demais')
    await ask('201')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('alert')).toContainText('At most €200.00')
    await dialog.getByLabel('Amount').fill('0')
    await page.getByRole('button', { name: 'Ask for it' }).click()
    await expect(dialog.getByRole('alert')).toContainText('Enter an amount above zero')
  })

  test('a request that the provider rejects is not shown as asked for', async () => {
    const { page, ask } = await openNewBooking('Pia Pouco')
    await ask('0.20')
    const reason = 'does not accept the payment: the amount is too small'
    await expect(page.getByRole('dialog').getByRole('alert')).toContainText(reason)
    await expect(page.getByText('The payment was asked for')).toHaveCount(0)
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('region', { name: 'Payments' }).getByText(reason).waitFor()
  })

  test('a request that is withdrawn after an attempt failed is shown as cancelled', async () => {
    const { booking_id } = await pay(app, api, {
      ...{ unitId, guestName: 'Dani Recusado', inDays: (inDays += 3) },
      card: 'pm_card_chargeDeclined',
    })
    const { page } = await app.openAs('owner', `/bookings/${booking_id}`)
    const payments = page.getByRole('region', { name: 'Payments' })
    await payments.getByText('The last attempt failed').waitFor()
    await payments.getByRole('button', { name: 'Withdraw…' }).click()
    await page.getByRole('button', { name: 'Withdraw the request' }).click()
    await payments.getByText('Cancelled').waitFor()
    await expect(payments.getByText('The last attempt failed')).toHaveCount(0)
  })

  test('a price below what was paid says how much is too much', async () => {
    const { booking_id } = await pay(app, api, {
      ...{ unitId, guestName: 'Olga Oposta', inDays: (inDays += 3) },
      card: 'pm_card_visa',
    })
    await api('PATCH', `/bookings/${booking_id}`, { totalCents: 4_000 })
    const { page } = await app.openAs('owner', `/bookings/${booking_id}`)
    const term = page.getByRole('term').filter({ hasText: 'Paid too much' })
    await expect(term.locator('xpath=..')).toContainText('€60.00')
    await expect(page.getByText('Still to pay')).toHaveCount(0)
  })

  test('why a payment failed is written in the language of the person', async () => {
    const payment = await pay(app, api, {
      ...{ unitId, guestName: 'Lina Leer', inDays: (inDays += 3) },
      card: 'pm_card_chargeDeclinedInsufficientFunds',
    })
    const reasons = [
      ['de-DE', 'Das Konto ist nicht gedeckt'],
      ['pt-PT', 'a conta não tem saldo suficiente'],
      ['en-GB', 'there is not enough money on the account'],
    ] as const
    for (const [locale, reason] of reasons) {
      const { page } = await app.openAs('owner', `/bookings/${payment.booking_id}`, { locale })
      // In the payments and in the timeline.
      await expect(page.getByText(reason)).toHaveCount(2)
    }
    const { page } = await app.openAs('owner', '/settings', { locale: 'de-DE' })
    await page.route(`**/payment-intents?*`, async (route) => {
      const answer = await route.fetch()
      const text = await answer.text()
      await route.fulfill({ response: answer, body: text.replaceAll('insufficient_funds', 'brand_new_code') })
    })
    await page.goto(`${app.url}/bookings/${payment.booking_id}`)
    await page.getByText('Der Zahlungsanbieter nennt als Grund „brand new code“').waitFor()
  })

  test('a payment that comes meanwhile is known in a list of unpaid bookings, and where one is cancelled', async () => {
    const { page, ask, asked } = await openNewBooking('Zora Zahlt')
    await ask('200')
    const { payment_intents } = await until(asked, ({ payment_intents: [first] }) =>
      Boolean(first?.provider_reference),
    )
    const { page: list } = await app.openAs('owner', '/bookings?unpaid=true&q=Zora')
    const unpaid = list.getByRole('link', { name: 'Zora Zahlt' })
    await unpaid.waitFor()
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await page.getByText('Nothing has been paid').waitFor()
    await atProvider(app, 'pay', { payment_intent: payment_intents[0]?.provider_reference })
    await page.getByText('€200.00 of €200.00 go back to the guest').waitFor()
    await expect(unpaid).toHaveCount(0)
  })
})
