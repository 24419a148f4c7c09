import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { suite, test } from 'node:test'
import { listen, stopListening } from '../../sandbox/test/listen.ts'
import { channexWorld, connection, decide, openProperty, shownBy, type Property } from './channex-live.ts'
import { until } from './linked-units.ts'

const setup = channexWorld()

suite('a message that Channex refuses as a whole, with few calls left', () => {
  test('is searched once: the other rooms have their prices after as few messages as the search needs', async () => {
    const property = await openProperty(setup, { rooms: 4, live: false })
    await using front = await openRefusingFront(setup.url)
    const config = {
      ...connection(front.url, property.propertyId),
      rate_limit: { requests: 2, window_seconds: 4 },
      debounce_ms: 0,
    }
    await activate(property, config)
    await until(
      () => statuses(property),
      (all) => all.every(({ status }) => status === 'completed'),
      60,
    )
    const bad = property.rooms[0]!.plans[0]!.externalId
    front.refuse(bad)
    await decide(setup, ...property.rooms.map((_, room) => price(property, room, 20_000)))
    const all = await until(
      () => statuses(property),
      (all) => all.every(({ status }) => status === 'completed' || status === 'failed'),
      60,
    )
    assert.deepEqual(
      all.map(({ status }) => status),
      ['failed', 'completed', 'completed', 'completed'],
    )
    assert.equal(all[0]!.error_code, 'validation_rejected')
    // All four; two and two, of which the first holds the refused one; the two of these alone.
    assert.deepEqual(front.sizes, [4, 2, 2, 1, 1])
    const { plans } = await shownBy(setup, property, property.day(5))
    assert.equal(plans[property.rooms[1]!.plans[0]!.externalId]![property.day(5)]!['rate'], '200.00')

    // It changes again, in one message with another room: what is known of it keeps the other out of the search.
    front.sizes.length = 0
    await decide(setup, ...[0, 1].map((room) => price(property, room, 21_000)))
    await until(
      () => statuses(property),
      ([first, second]) => first!.status === 'failed' && second!.status === 'completed' && second!.in_sync,
      60,
    )
    assert.deepEqual(front.sizes, [1, 1])
    assert.deepEqual(front.named.at(-1), bad)
    // Taken again, it goes out with all the others.
    front.refuse(null)
    await decide(setup, price(property, 0, 22_000))
    await until(
      () => statuses(property),
      (all) => all.every(({ status }) => status === 'completed'),
      60,
    )
    front.sizes.length = 0
    await decide(setup, ...property.rooms.map((_, room) => price(property, room, 23_000)))
    await until(
      () => statuses(property),
      (all) => all.every(({ status, in_sync }) => status === 'completed' && in_sync),
      60,
    )
    assert.deepEqual(front.sizes, [4])
  })
})

const price = (property: Property, room: number, price_cents: number) => ({
  unit_id: property.rooms[room]!.unitId,
  date_from: property.day(5),
  date_to: property.day(5),
  price_cents,
})

const statuses = (property: Property) =>
  Promise.all(
    property.rooms.map(
      async ({ listingId }) => (await setup.owner.get(`/api/v1/sync/status/${listingId}`)).body,
    ),
  )

async function activate({ targetId }: Property, config: object) {
  const path = `/api/v1/channel-targets/${targetId}`
  const { channel_type, name } = (await setup.owner.get(path)).body.channel_target
  const { status } = await setup.owner.put(path, { channel_type, name, config, status: 'active' })
  assert.equal(status, 200)
}

/** Stands before Channex and refuses each message about prices that names one plan, without saying which it means. */
async function openRefusingFront(behind: string) {
  let refusedPlan: string | null = null
  const sizes: number[] = []
  const named: unknown[] = []
  const server = createServer((req, res) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of req) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks)
      const isPrices = req.method === 'POST' && req.url?.endsWith('/restrictions')
      if (isPrices) {
        const { values } = JSON.parse(body.toString()) as { values: { rate_plan_id: string }[] }
        sizes.push(values.length)
        named.push(values[0]!.rate_plan_id)
        if (values.some(({ rate_plan_id }) => rate_plan_id === refusedPlan)) {
          const errors = { code: 'validation_error', title: 'Validation Error' }
          res.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify({ errors }))
          return
        }
      }
      const headers = {
        'content-type': 'application/json',
        'user-api-key': String(req.headers['user-api-key']),
      }
      const answer = await fetch(`${behind}${req.url}`, {
        method: req.method!,
        headers,
        ...(body.length > 0 && { body }),
      })
      const text = await answer.text()
      res.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    })()
  })
  const url = await listen(server, {})
  return {
    url,
    sizes,
    named,
    refuse(externalId: string | null) {
      refusedPlan = externalId
      sizes.length = 0
    },
    [Symbol.asyncDispose]: () => stopListening(server),
  }
}
