import { sql, type NotNull } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'
import type { HeldRemoval } from './held-removal.ts'

/** Raises one alert for each unit with imports that wait for a decision. The caller has locked the unit. */
export async function refreshHeldAlert(
  transaction: Transaction,
  unitId: string,
  isNewCase: boolean,
): Promise<void> {
  const feeds = await listUndecided(transaction, unitId)
  const [feed, ...others] = feeds
  if (!feed) return await resolveAlerts(transaction, 'calendar_feed.held', { targetId: null, unitId })
  const { nights, date_from, date_to } = feed.held
  const more = others.length > 0 ? ` ${others.length} more calendars of the unit lack nights, too.` : ''
  await raiseAlerts(transaction, [
    {
      account_id: feed.account_id,
      kind: 'calendar_feed.held',
      unit_id: unitId,
      message: `${feed.name}: ${nights} nights between ${date_from} and ${date_to} disappeared from the imported calendar at once. They stay blocked.${more}`,
      hint: 'Check the calendar. If the nights are free, accept the removal; otherwise keep them blocked (POST /api/v1/calendar-feeds/{id}/decision). Without a decision they become free after three equal fetches over at least an hour.',
      details: {
        calendar_feeds: feeds.map(({ id, name, held }) => ({ calendar_feed_id: id, name, ...held })),
      },
      isNewCase,
    },
  ])
}

/** The imports of a unit whose held nights wait for a decision. */
const listUndecided = (transaction: Transaction, unitId: string) =>
  rows(
    transaction,
    sql<{ id: string; account_id: string; name: string; held: NotNull<HeldRemoval> }>`
      select id, account_id, name, held
      from calendar_feeds
      where org_id = ${transaction.orgId}
        and unit_id = ${unitId}
        and status <> 'inactive'
        and held is not null
        and held ->> 'decision' is null
      order by created_at, id`,
  )
