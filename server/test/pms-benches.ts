import { openEgress } from '#egress.ts'
import type { UnitLink } from '#outside/pms/pms.ts'
import { sandboxProvider } from '#outside/pms/sandbox/sandbox-provider.ts'
import { startPms } from '../../sandbox/src/pms.ts'
import { callerOf } from '../../sandbox/test/pms-caller.ts'
import { apiKey as channexKey, openHouse } from './channex-house.ts'
import { credentials, openHostawayAccount } from './hostaway-account.ts'
import { content, type Bench } from './pms-bench.ts'

const unitNames = Array.from({ length: 8 }, (_, n) => `Room ${n}`)

export const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  sandbox: openSandbox,
  channex: openChannex,
  hostaway: openHostaway,
}

async function openSandbox(): Promise<Bench> {
  const pms = await startPms()
  const egress = openEgress({ allowsPrivate: true, allowsHttp: true })
  const provider = sandboxProvider(egress, pms.url)
  const call = callerOf(() => pms.url)
  const plans = [
    { plan: 'plan-0', externalId: null },
    { plan: 'plan-1', externalId: 'half-board' },
  ]
  for (const name of unitNames)
    await call('PUT', `/properties/house/units/${encodeURIComponent(name)}`, { ...content, name })
  const apiKey = 'key-of-the-sandbox'
  return {
    provider,
    url: pms.url,
    units: unitNames.map((externalId) => ({ externalId, plans })),
    stranger: { externalId: 'nobody', plans },
    makesStrangers: true,
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

async function openChannex(): Promise<Bench> {
  const house = await openHouse({ rooms: unitNames.length, plans: 2 })
  await house.noLimits()
  const unknown = '00000000-0000-4000-8000-000000000000'
  return {
    provider: house.provider,
    url: house.channex.url,
    units: house.units,
    stranger: { externalId: unknown, plans: [{ plan: 'plan-0', externalId: unknown }] },
    makesStrangers: false,
    secrets: [channexKey],
    connect: ({ wrongKey = false, ...given } = {}) =>
      house.connect({ ...given, ...(wrongKey && { key: 'invalid' }) }),
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  }
}

async function openHostaway(): Promise<Bench> {
  const account = await openHostawayAccount()
  const plans = [{ plan: 'plan-0', externalId: null }]
  const units: UnitLink[] = []
  for (const name of unitNames)
    units.push({ externalId: String(await account.addListing({ name, units: 5 })), plans })
  return {
    provider: account.provider,
    url: account.url,
    units,
    stranger: { externalId: '999999999', plans },
    makesStrangers: false,
    secrets: [credentials['api_key']!],
    connect: ({ wrongKey = false, ...given } = {}) =>
      account.connect({
        ...given,
        ...(wrongKey && { credentials: { ...credentials, api_key: 'invalid' } }),
      }),
    [Symbol.asyncDispose]: () => account.close(),
  }
}
