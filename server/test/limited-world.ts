import assert from 'node:assert/strict'
import { openOwner } from '#features/tenancy/provisioning/provision.ts'
import { insertAccount, insertOrganization } from '#features/tenancy/provisioning/queries.ts'
import type { Role } from '#http/permissions.ts'
import { randomUUID } from 'node:crypto'
import type { Reply, TestCaller } from './caller.ts'
import { openWorld, type World } from './world.ts'

/** A world with rate limits. What is counted must be answered, also on a machine that is too busy for it. */
export const openLimitedWorld = (env: Record<string, string> = {}): Promise<World> =>
  openWorld({ env: { RATE_LIMITS: 'true', ...env } })

export interface TieredOrganization {
  id: string
  as(role: Role): Promise<TestCaller>
}

/** Adds an organization of a tier. */
export async function addTiered(
  { databaseUrl, issuer, caller }: World,
  tier: string,
): Promise<TieredOrganization> {
  const owner = openOwner(databaseUrl)
  try {
    const { id } = await insertOrganization(owner, { name: `A ${tier} one`, tier, settings: {} })
    const account = await insertAccount(owner, id, 'Main')
    return {
      id,
      as: async (role) =>
        caller(await issuer.sign({ sub: randomUUID(), org_id: id, account_id: account.id, role })),
    }
  } finally {
    await owner.close()
  }
}

/** The limit and the remaining requests in the headers; null when the request was not counted. */
export function rateLimitOf({ headers }: Reply): [max: number, remaining: number] | null {
  const [max, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    headers.get(`x-ratelimit-${name}`),
  )
  if (!max && !remaining && !reset) return null
  assert.match(reset ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const waitMs = Date.parse(reset!) - Date.now()
  assert.ok(waitMs > 0 && waitMs <= 60_100, `the window ends in ${waitMs} ms`)
  return [Number(max), Number(remaining)]
}

/** Asserts the documented 429 response. */
export function expectTooMany(reply: Reply): void {
  assert.equal(reply.status, 429, reply.text)
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
  const { retryAfter } = reply.body as { retryAfter: number }
  assert.deepEqual(reply.body, { error: 'Too Many Requests', retryAfter })
  assert.ok(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 60, reply.text)
  assert.equal(reply.headers.get('retry-after'), String(retryAfter))
  assert.equal(rateLimitOf(reply)![1], 0)
  // Rounded up, so that the window has ended after this time.
  assert.ok(Date.now() + retryAfter * 1_000 >= Date.parse(reply.headers.get('x-ratelimit-reset')!) - 50)
}

/** Counts the statuses of this many requests, eight at a time. */
export async function countStatuses(
  count: number,
  ask: () => Promise<Reply>,
): Promise<Record<number, number>> {
  const found: Record<number, number> = {}
  const caller = async () => {
    while (count-- > 0) {
      const { status } = await ask()
      found[status] = (found[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 8 }, caller))
  return found
}
