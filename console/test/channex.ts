import assert from 'node:assert/strict'

import { startChannex } from '../../sandbox/src/channex/server.ts'
import { channexCaller } from '../../sandbox/test/channex-caller.ts'
import { day } from './days.ts'

export const channexKey = 'key-of-the-import'

/** A Channex account whose property has these room types, each with prices and rooms for a year. */
export const startPortfolio = async (property: string, rooms: readonly string[]) => {
  const channex = await startChannex()
  const { api, control } = channexCaller(() => channex.url)
  const { status, body } = await control('POST', 'seed', {
    keys: [{ key: channexKey }],
    properties: [
      {
        ...{ title: property, currency: 'EUR', timezone: 'Europe/Lisbon' },
        ...{ address: 'Quay 1', city: 'Porto', country: 'PT' },
        // One cannot be sold, and is left out.
        room_types: [
          ...rooms.map((title) => ({
            title,
            count_of_rooms: 1,
            rate_plans: [{ title: `${title} flexible` }],
          })),
          { title: 'Attic', count_of_rooms: 1, rate_plans: [] },
        ],
      },
    ],
  })
  assert.equal(status, 201, JSON.stringify(body))
  const [{ id, room_types: types }] = body.properties as [
    { id: string; room_types: { id: string; rate_plans: { id: string }[] }[] },
  ]
  const nights = { property_id: id, date_from: day(0), date_to: day(364) }
  await control('POST', 'values', {
    kind: 'availability',
    values: types.map((type) => ({ ...nights, room_type_id: type.id, availability: 1 })),
  })
  await control('POST', 'values', {
    kind: 'restrictions',
    values: types.flatMap((type) =>
      type.rate_plans.map((plan) => ({ ...nights, rate_plan_id: plan.id, rate: 12_000 })),
    ),
  })
  /** What was written to the account, apart from our own subscription to its notices. */
  const writtenCalls = async () => {
    const { calls } = (await control('GET', 'calls')).body as { calls: { method: string; path: string }[] }
    return calls.filter(({ method, path }) => method !== 'GET' && !path.includes('/webhooks'))
  }
  /** The price of a night of the first room, as the account shows it. */
  const firstPrice = async (date: string) => {
    const plan = types[0]!.rate_plans[0]!.id
    const nights = `filter[property_id]=${id}&filter[date]=${date}&filter[restrictions]=rate`
    const { data } = (await api('GET', `/restrictions?${nights}`, undefined, channexKey)).body as {
      data: Record<string, Record<string, { rate: string }>>
    }
    return data[plan]?.[date]?.rate
  }
  const setFault = (fault: object | null) => control(fault ? 'PUT' : 'DELETE', 'faults', fault ?? undefined)
  return {
    propertyId: id,
    url: `${channex.url}/api/v1`,
    writtenCalls,
    firstPrice,
    setFault,
    close: () => channex.close(),
  }
}
