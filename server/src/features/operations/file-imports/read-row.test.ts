import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRow, parseDate, parseDecimal } from './read-row.ts'

test('reads numbers with a point or a comma, thousands and a currency', () => {
  for (const [text, value] of [
    ['120', 120],
    ['120.5', 120.5],
    ['120,50 €', 120.5],
    ['EUR 1.234,50', 1_234.5],
    ['1,234.50', 1_234.5],
    ["1'234'567.5", 1_234_567.5],
    ['1.234', 1_234],
    ['0,125', 0.125],
    ['1.234.567', 1_234_567],
    ['-5', -5],
    ['1.2.3', undefined],
    ['1,2.3,4', undefined],
    ['12a4', undefined],
    ['=1+1', undefined],
    ['145,-', 145],
    ['145.–', 145],
    ['(EUR) 145', 145],
    ['120.50 (net)', 120.5],
    ['(145.50)', undefined],
    ['(145.50 €)', undefined],
    ['145.50-', undefined],
    ['145.50- EUR', undefined],
    ['− 145', undefined],
    ['15 %', undefined],
    ['1.5k', undefined],
    ['145 kr', 145],
    ['145 Kč', 145],
    ['', undefined],
  ] as const)
    assert.equal(parseDecimal(text), value, text)
  assert.equal(parseDecimal('12.500', 3), 12.5)
})

test('reads amounts in the minor units of their currency', () => {
  const mapping = [{ field: 'price' as const, column: 'Price' }]
  for (const [currency, text, cents] of [
    ['eur', '120,50', 12_050],
    ['jpy', '12000', 12_000],
    ['kwd', '12.5', 12_500],
    ['huf', '45 000 Ft', 4_500_000],
  ] as const) {
    const row = openRow([text], { columns: ['Price'], mapping, date_order: 'dmy', format: 'csv' })
    assert.equal(row.money('price', currency), cents, currency)
  }
})

test('rejects a fraction in a column of minor units', () => {
  const mapping = [{ field: 'price' as const, column: 'price_cents' }]
  for (const [text, cents, code] of [
    ['14550', 14_550, undefined],
    ['14.550', 14_550, undefined],
    ['14550.0', 14_550, undefined],
    ['145.50', undefined, 'not_amount'],
    ['145,5', undefined, 'not_amount'],
    ['145.00', undefined, 'not_amount'],
    ['1.450,00 €', undefined, 'not_amount'],
  ] as const) {
    const row = openRow([text], { columns: ['price_cents'], mapping, date_order: 'dmy', format: 'csv' })
    assert.equal(row.money('price', 'eur'), cents, text)
    assert.equal(row.errors[0]?.code, code, text)
  }
})

test('rejects a fraction in a currency without one', () => {
  const mapping = [{ field: 'price' as const, column: 'Price' }]
  for (const [text, cents] of [
    ['12,000', 12_000],
    ['12.000,00', 12_000],
    ['149.99', undefined],
    ['1,234.50', undefined],
  ] as const) {
    const row = openRow([text], { columns: ['Price'], mapping, date_order: 'dmy', format: 'csv' })
    assert.equal(row.money('price', 'jpy'), cents, text)
    assert.equal(row.errors[0]?.code, cents === undefined ? 'not_amount' : undefined, text)
  }
})

test('rejects an amount that names another currency', () => {
  for (const [column, text, currency, code] of [
    ['Price', '$100', 'eur', 'other_currency'],
    ['Price', '100 USD', 'eur', 'other_currency'],
    ['Price (USD)', '100', 'eur', 'other_currency'],
    ['price_usd', '100', 'eur', 'other_currency'],
    ['total_usd_cents', '100', 'eur', 'other_currency'],
    ['price_eur', '100', 'eur', undefined],
    ['price_per_night', '100', 'eur', undefined],
    ['Price (USD)', '', 'eur', undefined],
    ['Price (USD)', '100', 'usd', undefined],
    ['Price', '€ 100', 'eur', undefined],
    ['Price', 'EUR 100', 'eur', undefined],
    ['Price', '$100', 'cad', undefined],
    ['Price', 'R$ 100', 'brl', undefined],
    // A yen sign as Japanese keyboards have it.
    ['Price', '￥ 10,000', 'jpy', undefined],
    ['Price', '100 Ft', 'huf', undefined],
    ['Price', 'US$100', 'cad', 'other_currency'],
    ['Price', 'A$ 100', 'usd', 'other_currency'],
    ['Price (US$)', '100', 'cad', 'other_currency'],
    ['Price', 'C$ 100', 'cad', undefined],
    ['Price', 'US$100', 'usd', undefined],
    ['Price', 'NT$ 100', 'twd', undefined],
    ['Price', '145 zł', 'eur', 'other_currency'],
    ['Price', '145 zł', 'pln', undefined],
    ['Price', '145 kr', 'sek', undefined],
    ['RM Price', '145.50/night', 'eur', undefined],
  ] as const) {
    const mapping = [{ field: 'price' as const, column }]
    const row = openRow([text], { columns: [column], mapping, date_order: 'dmy', format: 'csv' })
    row.money('price', currency)
    assert.equal(row.errors[0]?.code, code, `${column}: ${text} in ${currency}`)
  }
})

test('reads dates of the year 1970 to 2200 that exist', () => {
  for (const [text, order, date] of [
    ['2027-07-01', 'dmy', '2027-07-01'],
    ['2027-07-01T12:00:00Z', 'dmy', '2027-07-01'],
    ['1.7.2027', 'dmy', '2027-07-01'],
    ['07/01/27', 'mdy', '2027-07-01'],
    ['13/12/2027', 'mdy', undefined],
    ['31.06.2027', 'dmy', undefined],
    ['tomorrow', 'dmy', undefined],
  ] as const)
    assert.equal(parseDate(text, order), date, text)
})
