import { openEgress } from '#egress/egress.ts'
import type { UnitLink } from '#integrations/pms/pms.ts'
import type { ProviderName } from '#integrations/pms/pms-provider.ts'
import { genericProvider } from '#integrations/pms/generic/generic-provider.ts'
import { startPms } from '../../sandbox/src/pms/server.ts'
import { accountId } from '../../sandbox/test/hostaway-caller.ts'
import { callerOf } from '../../sandbox/test/pms-caller.ts'
import { apiKey as channexKey, openPropertyFixture } from './channex-property.ts'
import { credentials, openHostawayAccount } from './hostaway-account.ts'
import { content, type PmsFixture } from './pms-fixture.ts'

const unitNames = Array.from({ length: 8 }, (_, n) => `Room ${n}`)

export const pmsFixtures: Readonly<Record<ProviderName, () => Promise<PmsFixture>>> = {
  generic: openGeneric,
  channex: openChannex,
  hostaway: openHostaway,
}

async function openGeneric(): Promise<PmsFixture> {
  const pms = await startPms()
  const egress = openEgress({ allowsPrivate: true, allowsHttp: true })
  const provider = genericProvider(egress, pms.url)
  const call = callerOf(() => pms.url)
  const plans = [
    { plan: 'plan-0', externalId: null },
    { plan: 'plan-1', externalId: 'half-board' },
  ]
  for (const name of unitNames)
    await call('PUT', `/properties/house/units/${encodeURIComponent(name)}`, { ...content, name })
  const apiKey = 'key-of-the-generic-pms'
  return {
    provider,
    url: pms.url,
    units: unitNames.map((externalId) => ({ externalId, plans })),
    unknownUnit: { externalId: 'nobody', plans },
    createsUnknownUnits: true,
    secrets: [apiKey],
    saveBooking: null,
    endTokens: null,
    connect: ({ wrongKey = false, baseUrl, timeoutMs = 5_000 } = {}) =>
      provider.connect({
        baseUrl: baseUrl ?? null,
        property: 'house',
        credentials: { api_key: wrongKey ? 'invalid' : apiKey },
        timeoutMs,
      }),
    async [Symbol.asyncDispose]() {
      await egress.close()
      await pms.close()
    },
  }
}

async function openChannex(): Promise<PmsFixture> {
  const property = await openPropertyFixture({ rooms: unitNames.length, plans: 2 })
  await property.noLimits()
  await property.control('PUT', 'deliveries', { hold: true })
  const unknown = '00000000-0000-4000-8000-000000000000'
  return {
    provider: property.provider,
    url: property.channex.url,
    units: property.units,
    unknownUnit: { externalId: unknown, plans: [{ plan: 'plan-0', externalId: unknown }] },
    createsUnknownUnits: false,
    secrets: [channexKey],
    async saveBooking({ unit, arrival, departure, guestName, totalCents, isCancelled }, id) {
      const amount = (totalCents / 100).toFixed(2)
      const occupancy = { adults: 2, children: 0, infants: 0 }
      const plan = { room_type_id: unit.externalId, rate_plan_id: unit.plans[0]!.externalId }
      const rooms = [{ ...plan, checkin_date: arrival, checkout_date: departure, amount, occupancy }]
      const { body } = await property.control('POST', 'bookings', {
        ...{ property_id: property.propertyId, ...(id !== undefined && { booking_id: id }) },
        status: isCancelled ? 'cancelled' : id === undefined ? 'new' : 'modified',
        ...{ currency: 'EUR', amount, customer: { name: guestName }, rooms },
      })
      await property.control('POST', 'deliveries/release', { order: 'given' })
      return body.data.attributes.booking_id as string
    },
    endTokens: null,
    connect: ({ wrongKey = false, ...given } = {}) =>
      property.connect({ ...given, ...(wrongKey && { key: 'invalid' }) }),
    [Symbol.asyncDispose]: () => property[Symbol.asyncDispose](),
  }
}

async function openHostaway(): Promise<PmsFixture> {
  const account = await openHostawayAccount()
  await account.control('PUT', 'deliveries', { hold: 1 })
  const plans = [{ plan: 'plan-0', externalId: null }]
  const units: UnitLink[] = []
  for (const name of unitNames)
    units.push({ externalId: String(await account.addListing({ name, units: 5 })), plans })
  return {
    provider: account.provider,
    url: account.url,
    units,
    unknownUnit: { externalId: '999999999', plans },
    createsUnknownUnits: false,
    secrets: [credentials['api_key']!],
    async saveBooking({ unit, arrival, departure, guestName, totalCents, isCancelled }, id) {
      const { body } = await account.control(
        id === undefined ? 'POST' : 'PATCH',
        id === undefined ? 'reservations' : `reservations/${id}`,
        {
          ...(id === undefined && {
            ...{ account_id: accountId, channelId: 2005, listingMapId: Number(unit.externalId) },
          }),
          ...{ arrivalDate: arrival, departureDate: departure, status: isCancelled ? 'cancelled' : 'new' },
          ...{ guestName, numberOfGuests: 2, totalPrice: totalCents / 100, currency: 'EUR' },
        },
      )
      await account.control('POST', 'deliveries/release', { order: 'given' })
      return String(body.reservation.id)
    },
    endTokens: () => account.control('DELETE', 'tokens'),
    connect: ({ wrongKey = false, ...given } = {}) =>
      account.connect({
        ...given,
        ...(wrongKey && { credentials: { ...credentials, api_key: 'invalid' } }),
      }),
    [Symbol.asyncDispose]: () => account.close(),
  }
}
