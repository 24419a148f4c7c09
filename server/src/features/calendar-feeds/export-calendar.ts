import { createHash } from 'node:crypto'
import type { Scope } from '#db/scope.ts'
import { hashOf } from './calendar-feed.ts'
import { lookForExport, noteRead, readExport } from './export-queries.ts'
import { stretchesOf, writeCalendar } from './write-calendar.ts'

/** As far ahead as the PMS is told. */
const nightsAhead = 500

/** The calendar behind a secret address; undefined when there is none. */
export async function exportCalendar(
  stock: Pick<Scope, 'database' | 'outbox'>,
  token: string,
): Promise<{ text: string; etag: string } | undefined> {
  const feed = await lookForExport(stock.database, hashOf(token))
  if (!feed) return undefined
  const scope: Scope = {
    orgId: feed.org_id,
    accountId: null,
    actor: { type: 'system', id: 'calendar', name: 'Vacancy' },
    traceparent: null,
    ...stock,
  }
  const [unit] = await Promise.all([
    readExport(scope, feed.calendar_feed_id, nightsAhead),
    noteRead(scope, feed.calendar_feed_id),
  ])
  if (!unit) return undefined
  const stretches = stretchesOf(unit.nights).filter(({ to }) => to >= unit.today)
  // Without the moment of writing, which is another each time.
  const digest = createHash('sha1')
    .update(JSON.stringify([unit.name, stretches]))
    .digest('base64url')
  return { text: writeCalendar(unit, stretches, new Date()), etag: `W/"${digest}"` }
}
