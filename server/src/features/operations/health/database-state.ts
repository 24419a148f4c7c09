/** What the doctor reads in the database. */
import { sql } from '#db/sql.ts'
import { openDatabase, type Database } from '#db/connect.ts'
import { isTimeZone } from '#schema/nights.ts'

export interface DatabaseState {
  version: string
  version_num: number
  login: string
  unguarded: string[]
  weak: string[]
  has_queue: boolean
  /** How far the clock of this machine is ahead of that of the database. */
  clockAheadMs: number
}

/** A busy server takes seconds to accept the connections of all checks. */
export const doctorConnection = {
  ...{ applicationName: 'vacancy doctor', connectTimeoutMs: 6_000, statementTimeoutMs: 4_000 },
  onError: () => {},
}

export async function describeDatabase(url: string): Promise<DatabaseState> {
  await using database = openDatabase({
    ...{ url, poolSize: 1, role: null, prepare: false, ...doctorConnection },
  })
  const [rows] = await database.pipelined({ orgId: null }, [state])
  const { now_ms: now, ...found } = rows[0]!
  return { ...found, clockAheadMs: Date.now() - now }
}

export interface UsedTimeZone {
  readonly org_id: string
  readonly name: string
  /** How many spaces have it. */
  readonly spaces: number
  /** Whether new spaces get it. */
  readonly is_default: boolean
}

/** The time zones that are no longer accepted. `lookout` reads the rows of all organizations. */
export async function listRejectedTimeZones(lookout: Database): Promise<UsedTimeZone[]> {
  const [used] = await lookout.pipelined({ orgId: null }, [usedTimeZones])
  return used.filter(({ name }) => !isTimeZone(name))
}

const usedTimeZones = sql<UsedTimeZone>`
  select org_id, name, count(space_id)::int as spaces, bool_or(space_id is null) as is_default
  from (
    select org_id, timezone, id
    from spaces
    where deleted_at is null
    union all
    select id, settings ->> 'default_timezone', null
    from organizations
  ) used (org_id, name, space_id)
  where name is not null
  group by org_id, name
  order by org_id, name`

/** `unguarded`: tables with an org_id whose row-level security is not forced. `weak`: settings that can lose commits. */
const state = sql<Omit<DatabaseState, 'clockAheadMs'> & { now_ms: number }>`
  select current_setting('server_version') as version,
    current_setting('server_version_num')::int as version_num,
    current_user::text as login,
    array(
      select class.relname::text
      from pg_class class
      join pg_attribute attribute
        on attribute.attrelid = class.oid
        and attribute.attname = 'org_id'
        and not attribute.attisdropped
      where class.relkind in ('r', 'p')
        and class.relnamespace = 'public'::regnamespace
        and not (class.relrowsecurity and class.relforcerowsecurity)
      order by 1
    ) as unguarded,
    array(
      select name || '=' || setting
      from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
      order by 1
    ) as weak,
    to_regclass('queue.jobs') is not null as has_queue,
    extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`
