import { openEgress } from '#egress/egress.ts'
import type { UnitLink } from '#integrations/pms/pms.ts'
import type { ProviderName } from '#integrations/pms/pms-provider.ts'
import { genericProvider } from '#integrations/pms/generic/generic-provider.ts'
import { startPms } from '../../sandbox/src/pms/server.ts'
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
  const unknown = '00000000-0000-4000-8000-000000000000'
  return {
    provider: property.provider,
    url: property.channex.url,
    units: property.units,
    unknownUnit: { externalId: unknown, plans: [{ plan: 'plan-0', externalId: unknown }] },
    createsUnknownUnits: false,
    secrets: [channexKey],
    connect: ({ wrongKey = false, ...given } = {}) =>
      property.connect({ ...given, ...(wrongKey && { key: 'invalid' }) }),
    [Symbol.asyncDispose]: () => property[Symbol.asyncDispose](),
  }
}

async function openHostaway(): Promise<PmsFixture> {
  const account = await openHostawayAccount()
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
    connect: ({ wrongKey = false, ...given } = {}) =>
      account.connect({
        ...given,
        ...(wrongKey && { credentials: { ...credentials, api_key: 'invalid' } }),
      }),
    [Symbol.asyncDispose]: () => account.close(),
  }
}
