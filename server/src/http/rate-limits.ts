import { isIPv6 } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { events } from '#telemetry/log.ts'
import { metrics } from '#telemetry/metrics.ts'
import {
  anonymousRateLimitOf,
  buildLimit,
  callerLimits,
  isPmsWebhook,
  isUnlimited,
  sharesOneCounter,
  targetWebhooks,
  type Limit,
  type NamedLimit,
} from './rate-limit-table.ts'
import type { Caller } from './routes.ts'
import { sendTooManyRequests } from './too-many-requests.ts'

interface RateLimitResult {
  allowed: boolean
  at: number
  max: number
  remaining: number
  endsAt: Date
  waitMs: number
}
interface Counters {
  take(limits: readonly Limit[]): Promise<RateLimitResult>
}

interface RateLimitOptions {
  readonly counters: Counters
  /** The organization of the channel target that a webhook names. */
  targetOwner(targetId: string): Promise<{ orgId: string; tier: string } | null>
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Counts a webhook that names its channel target in the body, or names none. Returns false when it was over the limit;
     * the response has been sent then.
     */
    countWebhookMessage(reply: FastifyReply, targetId: string | null): Promise<boolean>
  }
}

/**
 * Counts every request when its caller is known: first towards the budget of the organization, then towards the limit of
 * the operation. While the store is unavailable, requests are allowed.
 */
export function enforceRateLimits(app: FastifyInstance, { counters, targetOwner }: RateLimitOptions): void {
  const count = async (
    request: FastifyRequest,
    reply: FastifyReply,
    limits: NamedLimit[],
  ): Promise<boolean> => {
    const result = await counters.take(limits).catch(() => null)
    const { name } = limits[result?.at ?? limits.length - 1]!
    metrics.rateLimitDecided(name, result ? (result.allowed ? 'allowed' : 'refused') : 'unchecked')
    if (!result) return true
    setRateLimitHeaders(reply, result)
    if (result.allowed) return true
    sendLimitExceeded(request, reply, name, result.waitMs)
    return false
  }
  const countRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    await count(request, reply, await limitsOf(request, targetOwner))
  app.addHook('onRequest', (request, reply, done) => {
    if (request.isInternal || isExempt(request)) return done()
    // The response to a refused request has been sent.
    countRequest(request, reply).then((isAllowed) => isAllowed && done(), done)
  })
  app.decorateRequest('countWebhookMessage', async function (this: FastifyRequest, reply, targetId) {
    if (this.isInternal || targetIdOf(this) !== undefined) return true
    const limit = targetId ? await targetLimit(this, targetId, targetOwner) : null
    return await count(this, reply, [limit ?? addressLimit(this, 'no such target')])
  })
}

/** For an installation whose gateway limits requests. */
export function disableRateLimits(app: FastifyInstance): void {
  app.decorateRequest('countWebhookMessage', async () => true)
}

/** When a request is counted twice, the headers show the result with fewer remaining requests. */
function setRateLimitHeaders(reply: FastifyReply, { max, remaining, endsAt }: RateLimitResult): void {
  const sent = reply.getHeader('x-ratelimit-remaining')
  if (sent !== undefined && Number(sent) < remaining) return
  void reply.headers({
    'x-ratelimit-limit': max,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': endsAt.toISOString(),
  })
}

function sendLimitExceeded(
  request: FastifyRequest,
  reply: FastifyReply,
  limit: string,
  waitMs: number,
): void {
  events.rateLimited({
    requestId: request.id,
    orgId: (request.caller as Caller | null)?.organization.id,
    limit,
  })
  void sendTooManyRequests(reply, waitMs)
}

const operationOf = (method: string, url: string) => `${method === 'HEAD' ? 'GET' : method} ${url}`

function isExempt({ method, routeOptions: { url, schema } }: FastifyRequest): boolean {
  return url !== undefined && (schema?.hide === true || isUnlimited(operationOf(method, url)))
}

async function limitsOf(
  request: FastifyRequest,
  targetOwner: RateLimitOptions['targetOwner'],
): Promise<NamedLimit[]> {
  const { url } = request.routeOptions
  const caller = request.caller as Caller | null
  if (url === undefined) return [addressLimit(request, 'no such path')]
  const operation = operationOf(request.method, url)
  if (caller) return callerLimits(caller, operation)
  const targetId = isPmsWebhook(operation) ? targetIdOf(request) : undefined
  if (targetId === undefined) return [addressLimit(request, operation)]
  return [(await targetLimit(request, targetId, targetOwner)) ?? addressLimit(request, 'no such target')]
}

/** Counted by address as well: the signature is checked later, and strangers must not use up the limit of the PMS. */
async function targetLimit(
  { ip }: FastifyRequest,
  targetId: string,
  targetOwner: RateLimitOptions['targetOwner'],
): Promise<NamedLimit | null> {
  const owner = await targetOwner(targetId)
  if (!owner) return null
  const key = `{${owner.orgId}}:target:${targetId}:${clientNetwork(ip)}`
  return buildLimit(targetWebhooks, key, owner.tier)
}

function addressLimit({ ip }: FastifyRequest, operation: string): NamedLimit {
  const limit = anonymousRateLimitOf(operation)
  const key = `{${clientNetwork(ip)}}`
  return buildLimit(limit, sharesOneCounter(limit) ? key : `${key}:${operation}`, 'free')
}

const targetIdOf = ({ params, query }: FastifyRequest): string | undefined => {
  const named = (params as { targetId?: string }).targetId ?? (query as { target?: unknown }).target
  // UUIDs are equal in upper and lower case.
  return typeof named === 'string' ? named.toLowerCase() : undefined
}

/**
 * The network that requests are counted for: the /64 of an IPv6 address, because a client has a whole network of them, or
 * the IPv4 address, also when it is IPv4-mapped. Some proxies add the port, which differs for each connection.
 */
export function clientNetwork(ip: string): string {
  const [, inBrackets, beforePort] = /^(?:\[(.*)\](?::\d+)?|([\d.]+):\d+)$/s.exec(ip) ?? []
  const address = (inBrackets ?? beforePort ?? ip).replace(/%.*$/s, '')
  if (!isIPv6(address)) return address.slice(0, 64)
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1]!
  const [start = [], end] = address.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const omitted = end === undefined ? 0 : 8 - start.length - end.length
  const groups = [...start, ...Array<string>(Math.max(0, omitted)).fill('0'), ...(end ?? [])].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
