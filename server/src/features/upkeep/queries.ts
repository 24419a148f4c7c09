import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'

/** Questions across organizations: the functions behind them answer with ids only. */

export async function overdueSyncs(
  database: Database,
): Promise<{ org_id: string; channel_listing_id: string }[]> {
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select * from overdue_syncs(interval '15 seconds')`,
  ])
  return found as { org_id: string; channel_listing_id: string }[]
}

export async function targetsToCheck(
  database: Database,
): Promise<{ org_id: string; channel_target_id: string }[]> {
  const [found] = await database.pipelined({ orgId: null }, [
    sql`select * from targets_to_check(interval '5 minutes')`,
  ])
  return found as { org_id: string; channel_target_id: string }[]
}

export async function forgetExpired(database: Database): Promise<void> {
  await database.pipelined({ orgId: null }, [sql`select forget_expired()`])
}
