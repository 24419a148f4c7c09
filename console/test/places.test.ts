import assert from 'node:assert/strict'
import { test } from 'node:test'

import { countryOptions, currencyOptions, timeZoneOptions } from '../src/i18n/places.ts'

test('each country is listed once, under its present code', () => {
  const options = countryOptions('en')
  const labels = options.map(({ label }) => label)
  assert.deepEqual(
    labels.filter((label, index) => labels.indexOf(label) !== index),
    [],
  )
  const codeOf = (name: string) => options.find(({ label }) => label === name)?.value
  assert.deepEqual(['Germany', 'Serbia', 'United Kingdom'].map(codeOf), ['DE', 'RS', 'GB'])
})

test('time zones have their present names, and the stored one stays', () => {
  const values = timeZoneOptions('Europe/Kiev').map(({ value }) => value)
  for (const zone of ['UTC', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Europe/Kyiv', 'Europe/Kiev'])
    assert.ok(values.includes(zone), zone)
  assert.ok(!values.includes('Asia/Calcutta'))
  assert.doesNotThrow(() => values.map((timeZone) => new Intl.DateTimeFormat('en', { timeZone })))
})

test('a currency that was replaced is offered only where it is stored', () => {
  const values = (current: string) => currencyOptions('en', current).map(({ value }) => value)
  assert.ok(values('eur').includes('usd'))
  assert.ok(!values('eur').includes('hrk'))
  assert.ok(values('hrk').includes('hrk'))
})
