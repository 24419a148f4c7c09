import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import {
  importFields,
  requiredFields,
} from '../../server/src/features/operations/file-imports/import-fields.ts'
import { fieldsOf, importKinds, requiredFieldsOf } from '../src/pages/import-file/fields.ts'

suite('the columns of a file', () => {
  for (const kind of importKinds)
    test(`those of ${kind} are what the API takes`, () => {
      assert.deepEqual(fieldsOf[kind], Object.keys(importFields[kind]))
      assert.deepEqual(requiredFieldsOf[kind], requiredFields(kind))
    })
})
