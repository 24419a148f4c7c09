import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { connect, createFileImport } from './client.ts'
import { buildUrl } from './operation.ts'

suite('paths', () => {
  test('an id that is a step in a path is rejected', () => {
    for (const id of ['', '.', '..'])
      assert.throws(() => buildUrl('', '/api/v1/units/{id}', { id }, undefined), TypeError, id)
    assert.equal(buildUrl('', '/api/v1/units/{id}', { id: '../a' }, undefined), '/api/v1/units/..%2Fa')
  })
})

suite('base URL', () => {
  test('one without a scheme is rejected at once, with what it needs', () => {
    for (const baseUrl of ['vacancy.example', 'localhost:4000', '/', ''])
      assert.throws(() => connect({ baseUrl, token: 'a-token' }), /https:/, baseUrl)
  })
})

suite('filters', () => {
  test('a list is repeated, and an empty one is rejected, because it would match every record', () => {
    const url = (query: object) => buildUrl('', '/api/v1/bookings', undefined, query)
    assert.equal(url({ id: ['a', 'b'], status: undefined }), '/api/v1/bookings?id=a&id=b')
    assert.throws(() => url({ id: [] }), TypeError)
  })
})

suite('files', () => {
  test('one is sent as it is, whatever type the browser gives it', async () => {
    const sent: Request[] = []
    const client = connect({
      baseUrl: 'https://vacancy.example',
      token: 'a-token',
      fetch: (url, init) => {
        sent.push(new Request(url, init))
        return Promise.resolve(Response.json({ file_import: {} }, { status: 201 }))
      },
    })
    const body = new File(['name,price\n'], 'units.csv', { type: 'application/vnd.ms-excel' })
    await client.send(createFileImport, { query: { kind: 'units' }, body })
    assert.equal(sent[0]?.headers.get('content-type'), 'application/octet-stream')
    assert.equal(await sent[0]?.text(), 'name,price\n')
  })
})
