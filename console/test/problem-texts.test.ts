import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'

import { texts as german } from '../src/i18n/problem-texts-de.ts'
import { texts as portuguese } from '../src/i18n/problem-texts-pt.ts'
import { translate, translateRule } from '../src/i18n/problem-texts.ts'

interface Contract {
  components: { schemas: Record<string, { properties?: { code?: { enum?: string[] } } }> }
}

const file = new URL('../../openapi.json', import.meta.url)
const { components } = JSON.parse(readFileSync(file, 'utf8')) as Contract
/** The longest list of codes in the contract is the catalogue. */
const codes = Object.values(components.schemas)
  .map(({ properties }) => properties?.code?.enum ?? [])
  .reduce((longest, list) => (list.length > longest.length ? list : longest), [])

suite('problems in the language of the person', () => {
  for (const [language, texts] of Object.entries({ german, portuguese }))
    test(`every code of the API has a text in ${language}`, () => {
      assert.ok(codes.includes('booking-conflict'))
      assert.deepEqual(
        codes.filter((code) => !texts.problems[code]),
        [],
      )
    })

  test('both languages have the same rules', () => {
    assert.deepEqual(Object.keys(portuguese.rules), Object.keys(german.rules))
  })

  test('a problem of a whole file is shown by its error, and of a row by its numbers', () => {
    const error = { pointer: '/', code: 'no_rows', message: 'The file has no rows.' }
    const { detail } = translate(german, { code: 'semantic-error', detail: error.message, errors: [error] })
    assert.equal(detail, german.rules['no_rows'])
    const message = 'This must be a whole number from 1 to 999.'
    assert.equal(
      translateRule(german.rules, { code: 'not_integer', message }),
      'Hier steht eine ganze Zahl von 1 bis 999.',
    )
    assert.equal(translateRule(german.rules, { code: 'not_integer', message: 'A whole number.' }), undefined)
  })

  test('a field of another form is shown an example, where the API has one', () => {
    const mail = 'guestEmail must be one e-mail address, such as office@example.com.'
    const translated = translateRule(german.rules, { code: 'wrong_format', message: mail })
    assert.match(translated ?? '', / office@example\.com\.$/)
    const other = { code: 'wrong_format', message: 'name has an invalid format.' }
    assert.equal(translateRule(german.rules, other), german.rules['wrong_format'])
  })

  test('the rules of fields are translated with their limits, and unknown codes stay English', () => {
    const body = {
      code: 'validation-error',
      detail: 'The body is not valid.',
      errors: [
        { pointer: '/a', code: 'too_long', message: 'a must have at most 1,000 characters.' },
        { pointer: '/b', code: 'too_small', message: 'b must be at least -5.' },
        { pointer: '/c', code: 'odd', message: 'c is odd.' },
      ],
    }
    const { errors = [], ...problem } = translate(german, body)
    assert.deepEqual(problem, {
      code: body.code,
      detail: german.problems['validation-error'],
      original: body.detail,
    })
    assert.deepEqual(
      errors.map(({ message }) => message),
      ['Das ist zu lang: höchstens 1,000 Zeichen.', 'Das ist zu klein: mindestens -5.', 'c is odd.'],
    )
    assert.deepEqual(translate(german, { code: 'brand-new', detail: 'New.' }), {
      code: 'brand-new',
      detail: 'New.',
    })
  })
})
