import { sql } from '#db/sql.ts'
import { rows, type Transaction } from '#db/scope.ts'
import { raiseAlerts, resolveAlerts } from '#features/messaging/alerts/queries.ts'

/**
 * Raises one alert for each unit with imports that cannot be read: reservations that were made there since are not blocked
 * here. The caller has locked the unit.
 */
export async function raiseErrorAlert(transaction: Transaction, unitId: string): Promise<void> {
  const feeds = await listUnreadable(transaction, unitId)
  const [feed, ...others] = feeds
  if (!feed) return
  const more = others.length > 0 ? ` So do ${others.length} more calendars of the unit.` : ''
  await raiseAlerts(transaction, [
    {
      account_id: feed.account_id,
      kind: 'calendar_feed.error',
      unit_id: unitId,
      message: `${feed.name}: the imported calendar fails again and again. ${feed.error_message}${more}`,
      hint: 'Check the address of the calendar. Until it can be read, reservations that are made there do not block nights here.',
      details: { calendar_feeds: feeds.map(({ id, name }) => ({ calendar_feed_id: id, name })) },
    },
  ])
}

/** Resolves the alert with the last import of the unit that could not be read. */
export async function resolveErrorAlert(transaction: Transaction, unitId: string): Promise<void> {
  if ((await listUnreadable(transaction, unitId)).length === 0)
    await resolveAlerts(transaction, 'calendar_feed.error', { targetId: null, unitId })
}

const listUnreadable = (transaction: Transaction, unitId: string) =>
  rows(
    transaction,
    sql<{ id: string; account_id: string; name: string; error_message: string | null }>`
      select id, account_id, name, error_message
      from calendar_feeds
      where org_id = ${transaction.orgId}
        and unit_id = ${unitId}
        and status = 'error'
      order by created_at, id`,
  )
