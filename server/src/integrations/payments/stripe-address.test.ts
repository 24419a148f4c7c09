import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { stripePayments } from './stripe-payments.ts'

suite('the address of the payment provider', () => {
  for (const address of ['127.0.0.1', '::1'])
    test(`keeps its path at ${address}`, async () => {
      const paths: string[] = []
      const gateway = createServer((request, response) => {
        paths.push(request.url!)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"balance"}')
      }).listen(0, address)
      await once(gateway, 'listening')
      const host = address.includes(':') ? `[${address}]` : address
      const url = `http://${host}:${(gateway.address() as AddressInfo).port}/stripe`
      try {
        for (const one of [url, `${url}/`])
          assert.ok(await stripePayments({ url: one, apiKey: 'sk_test_1', webhookSecrets: [] }).isReachable())
        assert.deepEqual(paths, ['/stripe/v1/balance', '/stripe/v1/balance'])
      } finally {
        gateway.close()
        gateway.closeAllConnections()
      }
    })
})
