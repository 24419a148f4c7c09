import assert from 'node:assert/strict'
import { openOwner } from '#features/provisioning/provision.ts'
import { insertAccount, insertOrganization } from '#features/provisioning/queries.ts'
import type { Role } from '#http/permissions.ts'
import { randomUUID } from 'node:crypto'
import type { Reply, TestCaller } from './caller.ts'
import { openWorld, type World } from './world.ts'

/** A world in which requests are counted. */
export const openLimited = (env: Record<string, string> = {}): Promise<World> =>
  openWorld({ env: { RATE_LIMITS: 'true', ...env } })

export interface Tiered {
  id: string
  as(role: Role): Promise<TestCaller>
}

/** An organization of a tier, of which nothing has been counted yet. */
export async function addTiered({ databaseUrl, issuer, caller }: World, tier: string): Promise<Tiered> {
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

/** What an answer says of its limit: how many in all, and how many are left; null when it was not counted. */
export function left({ headers }: Reply): [most: number, remaining: number] | null {
  const [most, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    headers.get(`x-ratelimit-${name}`),
  )
  if (!most && !remaining && !reset) return null
  assert.match(reset ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const waitMs = Date.parse(reset!) - Date.now()
  assert.ok(waitMs > 0 && waitMs <= 60_100, `the window ends in ${waitMs} ms`)
  return [Number(most), Number(remaining)]
}

/** The refusal, in exactly its form. */
export function expectTooMany(reply: Reply): void {
  assert.equal(reply.status, 429, reply.text)
  assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8')
  const { retryAfter } = reply.body as { retryAfter: number }
  assert.deepEqual(reply.body, { error: 'Too Many Requests', retryAfter })
  assert.ok(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 60, reply.text)
  assert.equal(reply.headers.get('retry-after'), String(retryAfter))
  assert.equal(left(reply)![1], 0)
  // Rounded up: who waits that long does not come too early.
  assert.ok(Date.now() + retryAfter * 1_000 >= Date.parse(reply.headers.get('x-ratelimit-reset')!) - 50)
}

/** Statuses of so many requests in turn, counted. */
export async function tally(count: number, ask: () => Promise<Reply>): Promise<Record<number, number>> {
  const found: Record<number, number> = {}
  const lane = async () => {
    while (count-- > 0) {
      const { status } = await ask()
      found[status] = (found[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 8 }, lane))
  return found
}
