import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'
import { first, rows, type Scope } from '#db/scope.ts'

/** Which export an address stands for; across organizations, because who asks has none. */
export async function lookForExport(
  database: Database,
  tokenHash: Buffer,
): Promise<{ org_id: string; calendar_feed_id: string } | undefined> {
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select * from calendar_feed_of_token(${tokenHash})`,
  ])
  return found![0] as { org_id: string; calendar_feed_id: string } | undefined
}

export interface ExportedUnit {
  readonly id: string
  readonly name: string
  /** The local date of its space. */
  readonly today: string
  /** The nights without a free room, in order. */
  readonly nights: string[]
}

/**
 * What an export says. Some nights that have passed are looked at, too: a stretch keeps its name (its first night)
 * while it lasts.
 */
export const readExport = (
  scope: Scope,
  feedId: string,
  nightsAhead: number,
): Promise<ExportedUnit | undefined> =>
  first(
    scope,
    sql<ExportedUnit>`select u.id, u.name, d.today::text as today, array(
          select n.night::text from nights_not_available(u.org_id, u.id, d.today - 60, d.today + ${nightsAhead}::int - 1) n
          order by n.night) as nights
      from calendar_feeds f
      join units u on u.org_id = f.org_id and u.id = f.unit_id
      join spaces s on s.org_id = u.org_id and s.id = u.space_id,
      lateral (select (now() at time zone s.timezone)::date as today) d
      where f.org_id = ${scope.orgId} and f.id = ${feedId}`,
  )

/** Notes that somebody looked, at most every five minutes. */
export const noteRead = (scope: Scope, feedId: string) =>
  rows(
    scope,
    sql`update calendar_feeds set last_fetched_at = now(), updated_at = now()
      where org_id = ${scope.orgId} and id = ${feedId}
        and coalesce(last_fetched_at, '-infinity') < now() - interval '5 minutes'`,
  )
