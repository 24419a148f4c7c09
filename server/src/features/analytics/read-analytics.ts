import { atomically, type Scope } from '#db/scope.ts'
import { NotFound } from '#errors.ts'
import { dayIn } from '#nights.ts'
import { defaultsOf } from '../organizations/queries.ts'
import { periodOf, type Analytics, type Part, type Period } from './analytics.ts'
import { countBlocked, countStock, findPart, groupStays, planForMany } from './queries.ts'
import { summarize } from './summarize.ts'
import { countSync, countWebhooks } from './traffic-queries.ts'

/** The figures of the organization, or of a part of it. @throws NotFound, Invalid */
export const readAnalytics = (scope: Scope, asked: Partial<Period> & Part): Promise<Analytics> =>
  atomically(scope, async (transaction) => {
    const [{ currency, timezone }, found] = await Promise.all([
      defaultsOf(transaction),
      findPart(transaction, asked),
      planForMany(transaction),
    ])
    for (const name of ['account_id', 'space_id', 'unit_id'] as const)
      if (!found[name]) throw new NotFound(name.replace('_id', ''), asked[name]!)
    const period = periodOf(asked, dayIn(timezone))
    const [groups, stock, blocked, sync, webhooks] = await Promise.all([
      groupStays(transaction, period, asked),
      countStock(transaction, asked),
      countBlocked(transaction, period, asked),
      countSync(transaction, period, asked, timezone),
      countWebhooks(transaction, period, asked, timezone),
    ])
    return {
      period,
      spaces: { total: stock.spaces, active: stock.active_spaces },
      units: { total: stock.units, active: stock.active_units },
      ...summarize({
        period,
        currency,
        groups,
        rooms: stock.rooms,
        blocked: new Map(blocked.map(({ night, rooms }) => [night, rooms])),
      }),
      sync,
      webhooks,
      generated_at: new Date().toISOString(),
    }
  })
