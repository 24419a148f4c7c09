// What the doctor asks a database about itself.
import { sql } from 'kysely'
import { openDatabase } from '#db/connect.ts'

export type DatabaseState = {
  version: string
  version_num: number
  login: string
  unguarded: string[]
  weak: string[]
  has_queue: boolean
}

export async function describeDatabase(url: string): Promise<DatabaseState> {
  const database = openDatabase({
    ...{ url, poolSize: 1, role: null, prepare: false, applicationName: 'vacancy doctor' },
    statementTimeoutMs: 4_000,
    onError: () => {},
  })
  try {
    const [rows] = await database.pipelined({ orgId: null }, [state])
    return (rows as DatabaseState[])[0]!
  } finally {
    await database.close()
  }
}

/** A table with org_id that does not force its policies on everyone would be open to the next mistake. */
const state = sql<DatabaseState>`
  select current_setting('server_version') as version,
    current_setting('server_version_num')::int as version_num,
    current_user::text as login,
    array(select c.relname::text from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id' and not a.attisdropped
      where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
        and not (c.relrowsecurity and c.relforcerowsecurity) order by 1) as unguarded,
    array(select name || '=' || setting from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by 1) as weak,
    to_regclass('pgboss.version') is not null as has_queue`
