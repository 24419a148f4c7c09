import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { events } from '#events.ts'
import { metrics } from '#metrics.ts'
import { networkOf } from './address.ts'
import {
  allowanceOf,
  budget,
  costOf,
  countedAs,
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
interface Standing {
  allowed: boolean
  at: number
  most: number
  remaining: number
  endsAt: Date
  waitMs: number
}
interface Counters {
  take(limits: readonly Limit[]): Promise<Standing>
}

interface Means {
  readonly counters: Counters
  /** The organization of a channel target, as the address of a webhook names it. */
  targetOwner(targetId: string): Promise<{ orgId: string; tier: string } | null>
}

/** A limit and what it is called in the figures. */
interface Named extends Limit {
  readonly name: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Counts a message whose channel target only its body names, or which names none. False when it was refused, and
     * answered.
     */
    countMessage(reply: FastifyReply, targetId: string | null): Promise<boolean>
  }
}

/**
 * Counts every request once it is known who asks, whatever becomes of it: the budget of the organization first, then
 * the limit of the operation. When the store does not answer, requests are let through.
 */
export function limitRates(app: FastifyInstance, { counters, targetOwner }: Means): void {
  const count = async (request: FastifyRequest, reply: FastifyReply, limits: Named[]): Promise<boolean> => {
    if (limits.length === 0) return true
    const found = await counters.take(limits).catch(() => null)
    const { name } = limits[found?.at ?? limits.length - 1]!
    metrics.limitDecided(name, found ? (found.allowed ? 'allowed' : 'refused') : 'unchecked')
    if (!found) return true
    tell(reply, found)
    if (found.allowed) return true
    refuse(request, reply, name, found.waitMs)
    return false
  }
  app.addHook('onRequest', async (request, reply) => {
    if (request.isInternal) return
    if (!(await count(request, reply, await limitsOf(request, targetOwner)))) return reply
  })
  app.decorateRequest('countMessage', async function (this: FastifyRequest, reply, targetId) {
    if (this.isInternal || targetOf(this) !== undefined) return true
    const limit = targetId ? await ofTarget(targetId, targetOwner) : null
    return await count(this, reply, [limit ?? byAddress(this, 'no such target')])
  })
}

/** For an installation that leaves counting to a gateway. */
export function countNothing(app: FastifyInstance): void {
  app.decorateRequest('countMessage', async () => true)
}

/** Of two answers of the store to one request, the headers tell the one that leaves less. */
function tell(reply: FastifyReply, { most, remaining, endsAt }: Standing): void {
  const known = reply.getHeader('x-ratelimit-remaining')
  if (known !== undefined && Number(known) < remaining) return
  void reply.headers({
    'x-ratelimit-limit': most,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': endsAt.toISOString(),
  })
}

function refuse(request: FastifyRequest, reply: FastifyReply, limit: string, waitMs: number): void {
  events.limitRefused({
    requestId: request.id,
    orgId: (request.caller as Caller | null)?.organization.id,
    limit,
  })
  void answerTooMany(reply, waitMs)
}

async function limitsOf(request: FastifyRequest, targetOwner: Means['targetOwner']): Promise<Named[]> {
  const { url, schema } = request.routeOptions
  const caller = request.caller as Caller | null
  if (url === undefined) return [byAddress(request, 'no such path')]
  const operation = `${request.method === 'HEAD' ? 'GET' : request.method} ${url}`
  if (schema?.hide || isUnlimited(operation)) return []
  if (caller) return ofCaller(caller.organization.id, caller.tier, caller.userId, operation)
  const targetId = hasTarget(operation) ? targetOf(request) : undefined
  if (targetId === undefined) return [byAddress(request, operation)]
  return [(await ofTarget(targetId, targetOwner)) ?? byAddress(request, 'no such target')]
}

async function ofTarget(targetId: string, targetOwner: Means['targetOwner']): Promise<Named | null> {
  const owner = await targetOwner(targetId)
  return owner && counted(webhooks, `{${owner.orgId}}:target:${targetId}`, owner.tier)
}

const ofCaller = (orgId: string, tier: string, userId: string, asked: string): Named[] => {
  const operation = countedAs(asked)
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
