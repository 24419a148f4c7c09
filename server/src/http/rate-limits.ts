import { isIPv6 } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { events } from '#telemetry/log.ts'
import { metrics } from '#telemetry/metrics.ts'
import type { Caller } from './routes.ts'
import { sendTooManyRequests } from './too-many-requests.ts'

/** A limit that a request counts towards; see integrations/counters. */
interface Limit {
  readonly key: string
  readonly max: number
  readonly burst: number | null
  readonly cost: number
  readonly windowMs: number
}
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

/** A limit with its label in metrics. */
interface NamedLimit extends Limit {
  readonly name: string
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
    if (limits.length === 0) return true
    const result = await counters.take(limits).catch(() => null)
    const { name } = limits[result?.at ?? limits.length - 1]!
    metrics.rateLimitDecided(name, result ? (result.allowed ? 'allowed' : 'refused') : 'unchecked')
    if (!result) return true
    setRateLimitHeaders(reply, result)
    if (result.allowed) return true
    sendLimitExceeded(request, reply, name, result.waitMs)
    return false
  }
  app.addHook('onRequest', async (request, reply) => {
    if (request.isInternal) return
    if (!(await count(request, reply, await limitsOf(request, targetOwner)))) return reply
  })
  app.decorateRequest('countWebhookMessage', async function (this: FastifyRequest, reply, targetId) {
    if (this.isInternal || targetIdOf(this) !== undefined) return true
    const limit = targetId ? await targetLimit(targetId, targetOwner) : null
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

async function limitsOf(
  request: FastifyRequest,
  targetOwner: RateLimitOptions['targetOwner'],
): Promise<NamedLimit[]> {
  const { url, schema } = request.routeOptions
  const caller = request.caller as Caller | null
  if (url === undefined) return [addressLimit(request, 'no such path')]
  const operation = `${request.method === 'HEAD' ? 'GET' : request.method} ${url}`
  if (schema?.hide || isUnlimited(operation)) return []
  if (caller) return callerLimits(caller.organization.id, caller.tier, caller.userId, operation)
  const targetId = isPmsWebhook(operation) ? targetIdOf(request) : undefined
  if (targetId === undefined) return [addressLimit(request, operation)]
  return [(await targetLimit(targetId, targetOwner)) ?? addressLimit(request, 'no such target')]
}

async function targetLimit(
  targetId: string,
  targetOwner: RateLimitOptions['targetOwner'],
): Promise<NamedLimit | null> {
  const owner = await targetOwner(targetId)
  return owner && buildLimit(targetWebhooks, `{${owner.orgId}}:target:${targetId}`, owner.tier)
}

const callerLimits = (orgId: string, tier: string, userId: string, requested: string): NamedLimit[] => {
  const operation = canonicalOperation(requested)
  const limit = rateLimitOf(operation)
  const key = limit.isPersonal ? `{${orgId}}:user:${userId}` : `{${orgId}}`
  const budget = {
    ...{ name: 'budget', key: `{${orgId}}:budget`, max: orgBudget, burst: null, windowMs },
    cost: requestCost(operation),
  }
  return [budget, buildLimit(limit, `${key}:${operation}`, tier)]
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

function buildLimit(limit: RateLimit, key: string, tier: string): NamedLimit {
  const { name, burst } = limit
  const max = typeof limit.max === 'number' ? limit.max : limit.max[tierOf(tier)]
  return { name, key, max, burst: burst ? burst * max : null, cost: 1, windowMs }
}

/**
 * The network that requests are counted for: the /64 of an IPv6 address, because a client has a whole network of them, or
 * the IPv4 address, also when it is IPv4-mapped.
 */
export function clientNetwork(ip: string): string {
  const address = ip.replace(/%.*$/s, '')
  if (!isIPv6(address)) return ip.slice(0, 64)
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1]!
  const [start = [], end] = address.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const omitted = end === undefined ? 0 : 8 - start.length - end.length
  const groups = [...start, ...Array<string>(Math.max(0, omitted)).fill('0'), ...(end ?? [])].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** The rate limits: those of the interface specification, and our own where it has none (docs/gaps.md). */

const windowMs = 60_000

/** The sum of the costs of all requests of an organization in a window. */
export const orgBudget = 1_000
const costs: Record<string, number> = { 'POST /api/v1/bookings': 10, 'GET /api/v1/admin/analytics': 50 }
const requestCost = (operation: string): number => costs[operation] ?? 1

const tiers = ['free', 'paid', 'enterprise'] as const
type Tier = (typeof tiers)[number]
export const tierOf = (text: string): Tier => tiers.find((tier) => tier === text) ?? 'free'

/** How many requests are allowed in a window. */
interface RateLimit {
  /** The label in metrics. */
  readonly name: string
  readonly max: number | Record<Tier, number>
  /** Twice the limit is allowed at first; only the requests after those count towards it. */
  readonly burst?: 2
  /** Counted for each user instead of for the organization. */
  readonly isPersonal?: true
}

const search = { free: 30, paid: 300, enterprise: 3_000 }
const listing = { free: 100, paid: 1_000, enterprise: 10_000 }

const reading: RateLimit = { name: 'reading', max: listing, burst: 2 }
const writing: RateLimit = { name: 'writing', max: search, burst: 2 }

/** The limits of the interface specification, and what reads although it is posted. */
const operationLimits: Record<string, RateLimit> = {
  'GET /api/v1/properties': { name: 'list_properties', max: listing },
  'GET /api/v1/bookings': { name: 'list_bookings', max: 100 },
  'POST /api/v1/bookings': { name: 'create_booking', max: { free: 10, paid: 100, enterprise: 1_000 } },
  'GET /api/v1/availability': { name: 'search', max: search },
  'GET /api/v1/admin/analytics': { name: 'analytics', max: 1_000, isPersonal: true },
  'POST /api/v1/calendar/search': reading,
}

/** The limit of an operation (method and path template) for callers with a token. */
const rateLimitOf = (operation: string): RateLimit =>
  operationLimits[operation] ?? (operation.startsWith('GET ') ? reading : writing)

/** Spaces and properties are the same records under two names, and share a counter. */
const canonicalOperation = (operation: string): string =>
  operation.replace(/^GET \/api\/v1\/spaces(?=\/|$)/, 'GET /api/v1/properties')

/** PMS webhooks for one channel target. */
const targetWebhooks: RateLimit = { name: 'webhooks', max: listing }
const isPmsWebhook = (operation: string): boolean => operation.startsWith('POST /webhooks/pms')

/** Callers without a token, by IP address. */
const anonymous: RateLimit = { name: 'anonymous', max: 100 }
const anonymousLimits: Record<string, RateLimit> = {
  // A provider sends for all organizations, and its requests are signed. A PMS webhook is counted again for its target
  // after the body is read.
  'POST /webhooks/pms': { name: 'webhooks', max: listing.enterprise },
  'POST /webhooks/payments': { name: 'webhooks', max: listing.enterprise },
  // A sales channel fetches the photos and calendars of all its hosts from a few addresses.
  'GET /media/:organization/:file': { name: 'media', max: 10_000 },
  'GET /calendars/:token.ics': { name: 'calendars', max: 1_000, burst: 2 },
}
/** Everything else shares one counter for each address: rejected tokens, unknown paths and unknown targets. */
const anonymousRateLimitOf = (operation: string): RateLimit => anonymousLimits[operation] ?? anonymous
const sharesOneCounter = (limit: RateLimit): boolean => limit === anonymous

const monitoringOperations = ['GET /health', 'GET /health/ready', 'GET /metrics']
/** Monitoring must work under any load, and comes from one address. */
export const isUnlimited = (operation: string): boolean => monitoringOperations.includes(operation)
