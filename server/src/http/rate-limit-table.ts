import { permissionTable } from './permissions.ts'
import type { Caller } from './routes.ts'

/** The rate limits: those of the interface specification, and our own where it has none (docs/gaps.md). */

/** A limit that a request counts towards; see integrations/counters. */
export interface Limit {
  readonly key: string
  readonly max: number
  readonly burst: number | null
  readonly cost: number
  readonly windowMs: number
}
/** A limit with its label in metrics. */
export interface NamedLimit extends Limit {
  readonly name: string
}

export const windowMs = 60_000

/** The sum of the costs of all requests of an organization in a window. */
export const orgBudget = 1_000
const costs: Record<string, number> = {
  'POST /api/v1/bookings': 10,
  'GET /api/v1/admin/analytics': 50,
  'GET /api/v1/rate-limits': 0,
}
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
export const targetWebhooks: RateLimit = { name: 'webhooks', max: listing }
export const isPmsWebhook = (operation: string): boolean => operation.startsWith('POST /webhooks/pms')

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
export const anonymousRateLimitOf = (operation: string): RateLimit => anonymousLimits[operation] ?? anonymous
export const sharesOneCounter = (limit: RateLimit): boolean => limit === anonymous

const monitoringOperations = ['GET /health', 'GET /health/ready', 'GET /metrics']
/** Monitoring must work under any load, and comes from one address. */
export const isUnlimited = (operation: string): boolean => monitoringOperations.includes(operation)

/** What a request of this caller counts towards. */
export function callerLimits(caller: Caller, operation: string): NamedLimit[] {
  const cost = requestCost(operation)
  const limit = operationLimit(caller, operation)
  return cost === 0 ? [limit] : [budgetOf(caller, cost), limit]
}

const budgetOf = ({ organization }: Caller, cost: number): NamedLimit => ({
  ...{ name: 'budget', key: `{${organization.id}}:budget`, max: orgBudget, burst: null, windowMs, cost },
})

function operationLimit({ organization, tier, userId }: Caller, requested: string): NamedLimit {
  const operation = canonicalOperation(requested)
  const limit = rateLimitOf(operation)
  const key = limit.isPersonal ? `{${organization.id}}:user:${userId}` : `{${organization.id}}`
  return buildLimit(limit, `${key}:${operation}`, tier)
}

export function buildLimit(limit: RateLimit, key: string, tier: string): NamedLimit {
  const { name, burst } = limit
  const max = typeof limit.max === 'number' ? limit.max : limit.max[tierOf(tier)]
  return { name, key, max, burst: burst ? burst * max : null, cost: 1, windowMs }
}

/** The budget of the organization, and the limit of each operation that the caller may use. */
export function limitsFor(caller: Caller) {
  const operations = Object.entries(permissionTable).flatMap(([operation, permission]) =>
    permission === 'any token' || caller.permissions.has(permission)
      ? { operation, cost: requestCost(operation), limit: operationLimit(caller, operation) }
      : [],
  )
  return { budget: budgetOf(caller, 1), operations }
}
