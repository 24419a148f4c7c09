import { atomically, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { dayIn } from '#schema/nights.ts'
import { findSpaceDefaults } from '#features/tenancy/organizations/queries.ts'
import { parsePeriod, type Analytics, type AnalyticsFilter, type Period } from './analytics.ts'
import { countBlocked, countInventory, filterExists, groupBookings, preparePlanner } from './queries.ts'
import { summarize } from './summarize.ts'
import { countSync, countWebhooks } from './sync-queries.ts'

/** Reads the figures of the organization or a part of it. @throws NotFound, Invalid */
export const readAnalytics = (scope: Scope, filter: Partial<Period> & AnalyticsFilter): Promise<Analytics> =>
  atomically(scope, async (transaction) => {
    const [{ currency, timezone }, exists] = await Promise.all([
      findSpaceDefaults(transaction),
      filterExists(transaction, filter),
      preparePlanner(transaction),
    ])
    for (const name of ['account_id', 'space_id', 'unit_id'] as const)
      if (!exists[name]) throw new NotFound(name.replace('_id', ''), filter[name]!)
    const period = parsePeriod(filter, dayIn(timezone))
    const [groups, inventory, blocked, sync, webhooks] = await Promise.all([
      groupBookings(transaction, period, filter),
      countInventory(transaction, filter),
      countBlocked(transaction, period, filter),
      countSync(transaction, period, filter, timezone),
      countWebhooks(transaction, period, filter, timezone),
    ])
    return {
      period,
      spaces: { total: inventory.spaces, active: inventory.active_spaces },
      units: { total: inventory.units, active: inventory.active_units },
      ...summarize({
        period,
        currency,
        groups,
        rooms: inventory.rooms,
        blocked: new Map(blocked.map(({ night, rooms }) => [night, rooms])),
      }),
      sync,
      webhooks,
      generated_at: new Date().toISOString(),
    }
  })
