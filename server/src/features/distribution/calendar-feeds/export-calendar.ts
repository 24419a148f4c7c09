import { hash } from 'node:crypto'
import { sql } from '#db/sql.ts'
import type { Database } from '#db/connect.ts'
import { first, isFrozen, rows, type Scope } from '#db/scope.ts'
import { hashToken } from './calendar-feed.ts'
import { groupNights, nightsAhead } from './exported-nights.ts'

/** The calendar at a secret address; undefined when there is none. */
export async function exportCalendar(
  connections: Pick<Scope, 'database'>,
  token: string,
): Promise<{ text: string; etag: string } | undefined> {
  const feed = await getExportByToken(connections.database, hashToken(token))
  if (!feed) return undefined
  const scope: Scope = {
    orgId: feed.org_id,
    accountId: null,
    actor: { type: 'system', id: 'calendar', name: 'Vacancy' },
    traceparent: null,
    ...connections,
  }
  const [unit] = await Promise.all([
    loadExportedUnit(scope, feed.calendar_feed_id),
    recordRead(scope, feed.calendar_feed_id),
  ])
  if (!unit) return undefined
  const ranges = groupNights(unit.nights).filter(({ to }) => to >= unit.today)
  // The time of writing is left out, because it differs for each request.
  const digest = hash('sha1', JSON.stringify([unit.name, ranges]), 'base64url')
  const { writeCalendar } = await import('./write-calendar.ts')
  return { text: writeCalendar(unit, ranges, new Date()), etag: `W/"${digest}"` }
}

interface ExportRef {
  readonly org_id: string
  readonly calendar_feed_id: string
}

/** Searches all organizations, because the reader has none. */
async function getExportByToken(database: Database, tokenHash: Buffer): Promise<ExportRef | undefined> {
  const [feeds] = await database.pipelined({ orgId: null }, [
    sql<ExportRef>`
      select *
      from calendar_feed_of_token(${tokenHash})`,
  ])
  return feeds[0]
}

interface ExportedUnit {
  readonly id: string
  readonly name: string
  /** The local date of its space. */
  readonly today: string
  /** The nights without a free room, in order. */
  readonly nights: string[]
}

/** Includes some past nights: a range keeps its UID, which is its first night, until it has ended. */
const loadExportedUnit = (scope: Scope, feedId: string): Promise<ExportedUnit | undefined> =>
  first(
    scope,
    sql<ExportedUnit>`
      select unit.id, unit.name, local.today::text as today,
        array(
          select closed.night::text
          from nights_not_available(unit.org_id, unit.id, local.today - 60,
            local.today + ${nightsAhead}::int - 1) closed
          order by closed.night) as nights
      from calendar_feeds feed
      join units unit
        on unit.org_id = feed.org_id
        and unit.id = feed.unit_id
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id,
      lateral (select (now() at time zone space.timezone)::date as today) local
      where feed.org_id = ${scope.orgId}
        and feed.id = ${feedId}`,
  )

/**
 * Records that the calendar was read, at most every five minutes, and not while the database or the organization allows only
 * reads: a site that gets no calendar sells what is booked here.
 */
const recordRead = (scope: Scope, feedId: string) =>
  rows(
    scope,
    sql`
      update calendar_feeds
      set last_fetched_at = now(),
        updated_at = now()
      where org_id = ${scope.orgId}
        and id = ${feedId}
        and coalesce(last_fetched_at, '-infinity') < now() - interval '5 minutes'`,
  ).catch((error: unknown) => {
    if (!isFrozen(error)) throw error
  })
