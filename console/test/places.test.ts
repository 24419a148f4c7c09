import assert from 'node:assert/strict'
import { test } from 'node:test'

import { countryOptions } from '../src/i18n/places.ts'

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
