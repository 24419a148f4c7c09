import assert from 'node:assert/strict'
import { suite, test } from 'node:test'

import { connect, createFileImport } from './client.ts'

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
