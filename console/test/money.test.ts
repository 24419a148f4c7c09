import assert from 'node:assert/strict'
import { test } from 'node:test'

import { formatMessage } from '../src/i18n/messages.ts'
import { moneyMessages } from '../src/i18n/money-messages.ts'
import { sumsOf } from '../src/pages/bookings/payment-amounts.ts'
import { readPrice, writeMoney, writeNightPrice, writePlain } from '../src/i18n/money.ts'

const reads = (typed: string, currency: string, locale: string, expected: number | RegExp) => {
  const read = readPrice(typed, currency, locale)
  if (typeof expected === 'number') assert.deepEqual(read, { priceCents: expected }, `${typed} ${currency}`)
  else
    assert.match(
      'fault' in read
        ? formatMessage(moneyMessages.en[read.fault.key], locale, read.fault.values)
        : `read as ${read.priceCents}`,
      expected,
      `${typed} ${currency}`,
    )
}

test('an amount is read into minor units exactly', () => {
  reads('129', 'usd', 'en-US', 12900)
  reads('129.5', 'usd', 'en-US', 12950)
  reads('0.29', 'usd', 'en-US', 29)
  reads('1.1', 'usd', 'en-US', 110)
  reads('0', 'usd', 'en-US', 0)
  reads(' 1,234.50 ', 'usd', 'en-US', 123450)
  reads('1234567.89', 'usd', 'en-US', 123456789)
})

test('both decimal signs are understood, grouping as the reader writes it', () => {
  reads('129,50', 'eur', 'de-DE', 12950)
  reads('129.50', 'eur', 'de-DE', 12950)
  reads('1.234,50', 'eur', 'de-DE', 123450)
  reads('1.234', 'eur', 'de-DE', 123400)
  reads('0.145', 'eur', 'de-DE', /EUR has 2 decimals at most/)
  reads('1 234,50', 'eur', 'fr-FR', 123450)
  reads('129,50', 'usd', 'en-US', 12950)
})

test('the decimals are those of the currency', () => {
  reads('18000', 'jpy', 'en-US', 18000)
  reads('18,000', 'jpy', 'en-US', 18000)
  reads('18000.5', 'jpy', 'en-US', /JPY has no decimals/)
  reads('1.234', 'kwd', 'en-US', 1234)
  reads('45000', 'huf', 'hu-HU', 4_500_000)
  assert.equal(writeMoney(4_500_000, 'huf', 'en-US'), 'HUF\u00a045,000.00')
  assert.equal(writeMoney(4_500_050, 'huf', 'en-US'), 'HUF\u00a045,000.50')
  reads('129.555', 'usd', 'en-US', /USD has 2 decimals at most/)
})

test('what is not a price is refused in words', () => {
  reads('', 'usd', 'en-US', /Enter a price/)
  reads('-1', 'usd', 'en-US', /below zero/)
  reads('12a', 'usd', 'en-US', /like 129\.00/)
  reads('1e3', 'usd', 'en-US', /like/)
  reads('12,34,5', 'usd', 'en-US', /like/)
  reads('21474836.48', 'usd', 'en-US', /highest price is \$21,474,836\.47/)
  reads('21474836.47', 'usd', 'en-US', 2147483647)
})

test('what is written can be read back', () => {
  for (const currency of ['usd', 'eur', 'jpy', 'kwd', 'huf'])
    for (const locale of ['en-US', 'de-DE', 'fr-FR', 'de-CH'])
      for (const cents of [0, 1, 99, 12900, 123456789])
        reads(writePlain(cents, currency, locale), currency, locale, cents)
  assert.equal(writeMoney(12950, 'usd', 'en-US'), '$129.50')
  assert.equal(writeMoney(18000, 'jpy', 'en-US'), '¥18,000')
})

test('the price of a night is short enough for its cell', () => {
  const written = (cents: number, currency: string, locale: string) =>
    writeNightPrice(cents, currency, locale)
  assert.equal(written(12_900, 'eur', 'en-US'), '129')
  assert.equal(written(12_950, 'eur', 'de-DE'), '129,50')
  assert.equal(written(116_120, 'eur', 'en-US'), '1,161')
  assert.equal(written(1_250_050, 'eur', 'de-DE'), '12.501')
  assert.equal(written(125_000_000, 'usd', 'en-US'), '1.25M')
})

test('payments in another currency than that of the booking do not count', () => {
  const paid = { amount: 5_000, amount_received: 5_000, amount_refunded: 1_000, status: 'succeeded' } as const
  const open = { amount: 700, amount_received: 0, amount_refunded: 0, status: 'requires_action' } as const
  const payments = ['eur', 'usd'].flatMap((currency) => [
    { ...paid, currency },
    { ...open, currency },
  ])
  assert.deepEqual(sumsOf(payments, 'usd'), { paid: 4_000, open: 700 })
})
