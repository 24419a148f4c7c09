import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { events } from '#events.ts'
import { metrics } from '#metrics.ts'
import { networkOf } from './address.ts'
import {
  allowanceOf,
  budget,
  costOf,
  hasTarget,
  isOneOfAll,
  isUnlimited,
  openAllowanceOf,
  tierOf,
  webhooks,
  windowMs,
  type Allowance,
} from './limit-table.ts'
import type { Caller } from './routes.ts'
import { answerTooMany } from './too-many-requests.ts'

/** One counter that a request must fit into; the stores in outside/counters say more. */
interface Limit {
  readonly key: string
  readonly most: number
  readonly burst: number | null
  readonly cost: number
  readonly windowMs: number
}
interface Counters {
  take(limits: readonly Limit[]): Promise<{
    allowed: boolean
    at: number
    most: number
    remaining: number
    endsAt: Date
    waitMs: number
  }>
}

interface Means {
  readonly counters: Counters
  /** Who sends one of them is not counted; none leaves nobody out. */
  readonly internalTokens: readonly string[]
  /** The organization of a channel target, as the address of a webhook names it. */
  targetOwner(targetId: string): Promise<{ orgId: string; tier: string } | null>
}

/** A limit and what it is called in the figures. */
interface Named extends Limit {
  readonly name: string
}

/**
 * Counts every request once it is known who asks, whatever becomes of it: the budget of the organization first, then
 * the limit of the operation. When the store does not answer, requests are let through.
 */
export function limitRates(app: FastifyInstance, { counters, internalTokens, targetOwner }: Means): void {
  const isInternal = matcher(internalTokens)
  app.addHook('onRequest', async (request, reply) => {
    if (isInternal(request.headers['x-internal-token'])) return
    const limits = await limitsOf(request, targetOwner)
    if (limits.length === 0) return
    const found = await counters.take(limits).catch(() => null)
    if (!found) return metrics.limitDecided(limits.at(-1)!.name, 'unchecked')
    void reply.headers({
      'x-ratelimit-limit': found.most,
      'x-ratelimit-remaining': found.remaining,
      'x-ratelimit-reset': found.endsAt.toISOString(),
    })
    const { name } = limits[found.at]!
    metrics.limitDecided(name, found.allowed ? 'allowed' : 'refused')
    if (found.allowed) return
    return refuse(request, reply, name, found.waitMs)
  })
}

function refuse(request: FastifyRequest, reply: FastifyReply, limit: string, waitMs: number): FastifyReply {
  events.limitRefused({
    requestId: request.id,
    orgId: (request.caller as Caller | null)?.organization.id,
    limit,
  })
  return answerTooMany(reply, waitMs)
}

/** Whether a header is one of the tokens. Digests are of equal length, so the time tells nothing of how close it is. */
function matcher(tokens: readonly string[]): (header: string | string[] | undefined) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const known = tokens.filter(Boolean).map(digest)
  return (header) => {
    if (typeof header !== 'string' || known.length === 0) return false
    const given = digest(header)
    return known.map((token) => timingSafeEqual(token, given)).includes(true)
  }
}

async function limitsOf(request: FastifyRequest, targetOwner: Means['targetOwner']): Promise<Named[]> {
  const { url, schema } = request.routeOptions
  const caller = request.caller as Caller | null
  if (url === undefined) return [byAddress(request, 'no such path')]
  const operation = `${request.method === 'HEAD' ? 'GET' : request.method} ${url}`
  if (schema?.hide || isUnlimited(operation)) return []
  if (caller) return ofCaller(caller.organization.id, caller.tier, caller.userId, operation)
  const targetId = hasTarget(operation) && targetOf(request)
  const owner = targetId ? await targetOwner(targetId) : null
  if (!owner) return [byAddress(request, operation)]
  return [counted(webhooks, `{${owner.orgId}}:target:${String(targetId)}`, owner.tier)]
}

const ofCaller = (orgId: string, tier: string, userId: string, operation: string): Named[] => {
  const allowance = allowanceOf(operation)
  const who = allowance.isPersonal ? `{${orgId}}:user:${userId}` : `{${orgId}}`
  const spent = { name: 'budget', key: `{${orgId}}:budget`, most: budget, burst: null, windowMs }
  return [{ ...spent, cost: costOf(operation) }, counted(allowance, `${who}:${operation}`, tier)]
}

function byAddress({ ip }: FastifyRequest, operation: string): Named {
  const allowance = openAllowanceOf(operation)
  const who = `{${networkOf(ip)}}`
  return counted(allowance, isOneOfAll(allowance) ? who : `${who}:${operation}`, 'free')
}

const targetOf = ({ params, query }: FastifyRequest): string | undefined => {
  const named = (params as { targetId?: string }).targetId ?? (query as { target?: unknown }).target
  // An id is the same in capitals.
  return typeof named === 'string' ? named.toLowerCase() : undefined
}

function counted({ name, most: mosts, burst }: Allowance, key: string, tier: string): Named {
  const most = typeof mosts === 'number' ? mosts : mosts[tierOf(tier)]
  return { name, key, most, burst: burst ? burst * most : null, cost: 1, windowMs }
}
