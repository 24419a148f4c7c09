import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openEgress } from '#egress/egress.ts'
import { dateOf, nightOf } from '#schema/nights.ts'
import { hostawayProvider } from '#integrations/pms/hostaway/hostaway-provider.ts'
import type { CallContext, RateLimiter } from '#integrations/pms/pms-call.ts'
import type { UpdateResult, UnitUpdate, PmsConnection } from '#integrations/pms/pms.ts'
import type { UnitContent } from '#integrations/pms/pms-content.ts'
import type { Credentials } from '#integrations/pms/pms-provider.ts'
import { accountId, apiKey, openHostaway } from '../../sandbox/test/hostaway-caller.ts'
import { buildUpdate } from './pms-fixture.ts'

/** What arrived at the stand-in. */
export interface Arrived {
  readonly method: string
  readonly path: string
  readonly status: number | null
  readonly body: unknown
}

export const credentials: Credentials = { account_id: String(accountId), api_key: apiKey }

/** A stand-in for Hostaway with one account, and our connection to it. Limits are out of the way. */
export async function openHostawayAccount() {
  const hostaway = await openHostaway()
  const egress = openEgress({ allowsPrivate: true, allowsHttp: true })
  const provider = hostawayProvider(egress)
  const connect = (given: { credentials?: Credentials | null; baseUrl?: string; timeoutMs?: number } = {}) =>
    provider.connect({
      baseUrl: hostaway.url,
      property: 'main',
      credentials,
      timeoutMs: 2_000,
      ...given,
    })
  const close = async () => {
    await egress.close()
    await hostaway.close()
  }
  return {
    ...hostaway,
    egress,
    provider,
    connect,
    connection: connect(),
    close,
    [Symbol.asyncDispose]: close,
    async fault(rule: object) {
      const { status, body } = await hostaway.control('PUT', 'faults', rule)
      assert.equal(status, 200, JSON.stringify(body))
    },
    /** What the work sends, in the order of arrival. */
    async sentBy<Result>(work: () => Promise<Result>): Promise<{ result: Result; calls: Arrived[] }> {
      const { last } = (await hostaway.control('GET', 'calls')).body
      const result = await work()
      return { result, calls: (await hostaway.control('GET', `calls?after=${last}`)).body.calls }
    },
  }
}

export type HostawayAccount = Awaited<ReturnType<typeof openHostawayAccount>>

export const content: UnitContent = {
  name: 'Casa Verde',
  type: 'apartment',
  bedrooms: 2,
  bathrooms: 1.5,
  max_guests: 4,
  quantity: 1,
  base_price_cents: 12_050,
  currency: 'eur',
  open: true,
  space: {
    name: 'Verde',
    address: 'Rua Nova 7',
    city: 'Porto',
    state: null,
    zip: '4000-001',
    country: 'PT',
    timezone: 'Europe/Lisbon',
    description: 'By the river.',
    amenities: ['wifi'],
  },
}

/** An update of a listing with the given members. */
export const updateOf = (externalId: number | string, fields: Partial<UnitUpdate> = {}) =>
  buildUpdate(
    { externalId: String(externalId), plans: [{ plan: 'plan', externalId: null }] },
    { content, ...fields },
  )

const first = '2031-05-01'

/** The date so many days after the first of the tests. */
export const day = (offset: number) => dateOf(nightOf(first) + offset)
export const run = (from: number, to: number) => ({ date_from: day(from), date_to: day(to) })
export const rate = (from: number, to: number, terms: object) => ({
  plan: 'plan',
  ...run(from, to),
  ...terms,
})

/** What changed something, as opposed to a look. */
export const writes = (calls: readonly Arrived[]) => calls.filter(({ method }) => method !== 'GET')

export const took = ({ contentAccepted, acceptedRooms, acceptedRates, failure }: UpdateResult) => ({
  contentAccepted,
  acceptedRooms,
  acceptedRates,
  failure: failure?.code ?? null,
})

/** Pushes one update, and gives what became of it. */
export async function deliver(
  connection: PmsConnection,
  one: UnitUpdate,
  call: CallContext = {},
): Promise<UpdateResult> {
  return (await connection.push([one], call)).get(one.id)!
}

/** A rate limiter that lets everything pass, and does something before the call of that number. */
export function gateBefore(nth: number, action: () => Promise<void>): RateLimiter {
  let passed = 0
  return {
    async acquire() {
      passed += 1
      if (passed === nth) await action()
    },
    recordResponse() {},
    recordFailure() {},
  }
}

/** A server of one answer, which takes any key. */
export async function openOddHostaway(answerTo: (body: unknown) => { status?: number; body?: unknown }) {
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    let text = ''
    for await (const chunk of req) text += String(chunk)
    const isToken = req.url === '/v1/accessTokens'
    const { status, body } = isToken
      ? { status: 200, body: { access_token: 'abc' } }
      : answerTo(text === '' ? null : JSON.parse(text))
    res.writeHead(status ?? 200, { location: 'http://127.0.0.1:1' }).end(JSON.stringify(body))
  }
  const server = createServer((req, res) => void answer(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
