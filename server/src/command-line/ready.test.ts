import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { runCommand } from '#test/run-command.ts'

suite('vacancy ready', () => {
  for (const [host, address] of [
    ['127.0.0.2', '127.0.0.2'],
    ['0.0.0.0', '127.0.0.1'],
    ['::1', '::1'],
  ] as const)
    test(`asks the process that listens on HOST=${host}`, async () => {
      const api = createServer((_, response) => response.end()).listen(0, address)
      await once(api, 'listening')
      const PORT = String((api.address() as AddressInfo).port)
      const { code } = await runCommand(['ready'], { HOST: host, PORT, METRICS_PORT: '1' })
      api.close()
      assert.equal(code, 0)
      assert.equal((await runCommand(['ready'], { HOST: host, PORT, METRICS_PORT: '1' })).code, 1)
    })
})
