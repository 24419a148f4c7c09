import type { Transaction } from '#db/scope.ts'
import { raiseAlerts, resolveAlerts } from '../alerts/queries.ts'
import { listUndecided } from './held-queries.ts'

/** One alert for each unit with imports that wait for a decision. The unit is locked by the caller. */
export async function refreshHeldAlert(
  transaction: Transaction,
  unitId: string,
  isNews: boolean,
): Promise<void> {
  const feeds = await listUndecided(transaction, unitId)
  const [feed, ...others] = feeds
  if (!feed) return await resolveAlerts(transaction, 'calendar_feed.held', { targetId: null, unitId })
  const { nights, date_from, date_to } = feed.held
  const more = others.length > 0 ? ` So do ${others.length} more calendars of the unit.` : ''
  await raiseAlerts(transaction, [
    {
      account_id: feed.account_id,
      kind: 'calendar_feed.held',
      unit_id: unitId,
      message: `${feed.name}: the imported calendar suddenly lacks ${nights} nights that it blocked, between ${date_from} and ${date_to}. They stay blocked.${more}`,
      hint: 'Look at the calendar. If the nights are free, accept that; if not, keep them (POST /api/v1/calendar-feeds/{id}/decision). If nobody decides, they become free after three equal fetches over at least an hour.',
      details: {
        calendar_feeds: feeds.map(({ id, name, held }) => ({ calendar_feed_id: id, name, ...held })),
      },
      isNews,
    },
  ])
}
