/** How often what may be asked: the numbers of the interface, and ours where it names none (docs/gaps.md). */

export const windowMs = 60_000

/** What one organization may spend in a window, whatever it asks for. */
export const budget = 1_000
const costs: Record<string, number> = { 'POST /api/v1/bookings': 10, 'GET /api/v1/admin/analytics': 50 }
export const costOf = (operation: string): number => costs[operation] ?? 1

const tiers = ['free', 'paid', 'enterprise'] as const
export type Tier = (typeof tiers)[number]
export const tierOf = (text: string): Tier => tiers.find((tier) => tier === text) ?? 'free'

/** One row of the table: how often in a window. */
export interface Allowance {
  /** As it is called in the figures. */
  readonly name: string
  readonly most: number | Record<Tier, number>
  /** How many times as many may come before the limit itself is counted. */
  readonly burst?: 2
  /** Each person has an allowance of their own. */
  readonly isPersonal?: true
}

const search = { free: 30, paid: 300, enterprise: 3_000 }
const listing = { free: 100, paid: 1_000, enterprise: 10_000 }

/** What the interface names has exactly its number. */
const stated: Record<string, Allowance> = {
  'GET /api/v1/properties': { name: 'list_properties', most: listing },
  'GET /api/v1/bookings': { name: 'list_bookings', most: 100 },
  'POST /api/v1/bookings': { name: 'create_booking', most: { free: 10, paid: 100, enterprise: 1_000 } },
  'GET /api/v1/availability': { name: 'search', most: search },
  'GET /api/v1/admin/analytics': { name: 'analytics', most: 1_000, isPersonal: true },
}
const reading: Allowance = { name: 'reading', most: listing, burst: 2 }
const writing: Allowance = { name: 'writing', most: search, burst: 2 }

/** Of a method and the template of a path, for callers of an organization. */
export const allowanceOf = (operation: string): Allowance =>
  stated[operation] ?? (operation.startsWith('GET ') ? reading : writing)

/** A space is read under either of its names, and counted alike. */
export const countedAs = (operation: string): string =>
  operation.replace(/^GET \/api\/v1\/spaces(?=\/|$)/, 'GET /api/v1/properties')

/** Messages for one channel target. */
export const webhooks: Allowance = { name: 'webhooks', most: listing }
export const hasTarget = (operation: string): boolean => operation.startsWith('POST /webhooks/pms')

/** Callers without a token, by their address. */
const anonymous: Allowance = { name: 'anonymous', most: 100 }
const open: Record<string, Allowance> = {
  // These speak for a whole installation; their signatures keep others out. A message of a PMS is counted again for its
  // target, once that is read from the body.
  'POST /webhooks/pms': { name: 'webhooks', most: listing.enterprise },
  'POST /webhooks/payments': { name: 'webhooks', most: listing.enterprise },
  // A sales channel fetches the photos and the calendars of all its hosts from a few addresses.
  'GET /media/:organization/:file': { name: 'media', most: 10_000 },
  'GET /calendars/:token.ics': { name: 'calendars', most: 1_000, burst: 2 },
}
/** For everything else they have one counter: for tokens that are refused, paths that are none, targets that are none. */
export const openAllowanceOf = (operation: string): Allowance => open[operation] ?? anonymous
export const isOneOfAll = (allowance: Allowance): boolean => allowance === anonymous

const watching = ['GET /health', 'GET /health/ready', 'GET /metrics']
/** What watches the service must see it under any load, and asks from one address for everybody. */
export const isUnlimited = (operation: string): boolean => watching.includes(operation)
