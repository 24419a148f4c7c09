import { before, suite, test } from 'node:test'

import { assertEveryLook, expect, noBrowser } from './test/browser.ts'
import { atProvider, pay } from './test/pay.ts'
import { addUnit } from './test/units.ts'
import { useConsole } from './test/use-console.ts'

suite('disputes', { skip: noBrowser }, () => {
  const app = useConsole()
  const api = app.apiAs('owner')
  const guestName = 'Dora Disputa'
  let dispute: { id: string }
  let bookingPath: string

  before(async () => {
    const unitId = (await addUnit(api, 'Disputed Studio')).id
    const payment = await pay(app, api, { unitId, guestName, card: 'pm_card_visa', inDays: 700 })
    bookingPath = `/bookings/${payment.booking_id}`
    dispute = await atProvider(app, 'disputes', {
      payment_intent: payment.provider_reference,
      due_by: Date.parse('2030-03-18T12:00:00Z') / 1_000,
    })
  })

  const alertTitle = 'The bank of a guest disputes a payment'

  test('the payment says until when to respond, and cannot be refunded', async () => {
    const { page } = await app.openAs('owner', '/payments')
    const row = page.getByRole('row').filter({ hasText: guestName })
    await row.getByText(/^Disputed: respond by .*18/).waitFor()
    await expect(row.getByRole('button', { name: 'Refund…' })).toHaveCount(0)
    await assertEveryLook(page, 'a disputed payment')

    await page.goto(app.url + bookingPath)
    const payments = page.getByRole('region', { name: 'Payments' })
    await payments.getByText(/^Disputed: respond by .*18/).waitFor()
    const balance = payments.getByRole('term').filter({ hasText: 'Still to pay' }).locator('xpath=..')
    await expect(balance).toContainText('€200.00')
    await expect(payments.getByRole('button', { name: 'Refund…' })).toHaveCount(0)
    await assertEveryLook(page, 'the booking of a disputed payment')
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await expect(page.getByRole('dialog')).toContainText(
      'Nothing goes back to the guest: of 100% of €100.00, all has gone back already or is disputed.',
    )
    await page.getByRole('button', { name: 'Keep it' }).click()
  })

  test('today and the inbox show it, and lead to the booking', async () => {
    const { page } = await app.openAs('owner')
    await page.locator('[data-part=alerts]').getByRole('link', { name: alertTitle }).click()
    await page.getByRole('button', { name: alertTitle }).waitFor()
    await assertEveryLook(page, 'the alert of a dispute')
    await page.getByRole('link', { name: 'Open the booking' }).click()
    await page.getByRole('heading', { name: guestName }).waitFor()
  })

  test('what the bank took and until when to respond is in the language of the person', async () => {
    const { page } = await app.openAs('owner', '/', { locale: 'de-DE' })
    const sentence =
      /^Beanstandet: antworten bis 18\. März 2030 · 100,00\s€ · Der Karteninhaber hat nicht selbst bezahlt$/
    const alert = page.locator('[data-part=alerts]')
    await alert.getByText(sentence).waitFor()
    await alert.getByRole('link', { name: 'Die Bank eines Gastes beanstandet eine Zahlung' }).click()
    // In the line, and in what it unfolds to.
    await expect(page.getByText(sentence)).toHaveCount(2)
  })

  test('a lost one is shown as lost, with what the bank took', async () => {
    await atProvider(app, 'disputes/move', { dispute: dispute.id, status: 'lost' })
    const { page } = await app.openAs('owner', '/payments')
    await page.getByRole('row').filter({ hasText: guestName }).getByText('Dispute lost').waitFor()
    await page.getByRole('button', { name: 'Refunds' }).click()
    const row = page.getByRole('row').filter({ hasText: guestName })
    await row.getByText('Taken by the bank').waitFor()
    await row.getByText('Taken back').waitFor()
    await page.goto(app.url + bookingPath)
    await page.getByText('The bank of the guest took back €100.00').waitFor()
    await page.goto(app.url)
    await page.locator('[data-part=alerts]').getByText('A dispute was lost: the money is gone').waitFor()
  })
})
