import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { openEgress } from '#egress/egress.ts'
import { channexProvider } from './channex/channex-provider.ts'
import { hostawayProvider } from './hostaway/hostaway-provider.ts'

/** The first poll of a large hotel reads every booking of more than a year, page by page. */

const pageSize = 100

/** A PMS with so many bookings, which `show` writes in its format. */
async function openLargePms(count: number, show: (id: number) => object) {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://pms')
    const page = Number(searchParams.get('pagination[page]') ?? 1) - 1
    const first = Number(searchParams.get('offset') ?? page * pageSize)
    const ids = Array.from(
      { length: Math.max(0, Math.min(pageSize, count - first)) },
      (_, at) => first + at + 1,
    )
    const found = ids.map(show)
    const body = pathname.endsWith('/accessTokens')
      ? { access_token: 'abc' }
      : { status: 'success', result: found, data: found }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const now = new Date().toISOString()
const providers = {
  channex: {
    open: channexProvider,
    credentials: { api_key: 'key' },
    show: (id: number) => ({ type: 'booking', id: `b-${id}`, attributes: { inserted_at: now } }),
  },
  hostaway: {
    open: hostawayProvider,
    credentials: { account_id: '1', api_key: 'key' },
    show: (id: number) => ({ id, latestActivityOn: now }),
  },
}

suite('the bookings since a time', () => {
  for (const [name, { open, credentials, show }] of Object.entries(providers))
    test(`of ${name} are read to the last one of 25,000`, async () => {
      await using pms = await openLargePms(25_000, show)
      await using stack = new AsyncDisposableStack()
      const egress = openEgress({ allowsPrivate: true, allowsHttp: true })
      stack.defer(() => egress.close())
      const target = { baseUrl: pms.url, property: 'main', credentials, timeoutMs: 5_000 }
      const ids = new Set<string>()
      for await (const page of open(egress).connect(target).bookings.polling!.changedSince(new Date(0), {}))
        for (const { id } of page) ids.add(id)
      assert.equal(ids.size, 25_000)
    })
})
