import { sql } from 'kysely'
import type { Connection } from '#db/connect.ts'

/** What the restricted role needs to put jobs into the library's tables, and no more. */
export const grantQueue = `
  grant usage on schema pgboss to vacancy_app;
  grant select on all tables in schema pgboss to vacancy_app;
  grant insert on pgboss.job, pgboss.job_common to vacancy_app;
  grant update (data, output) on pgboss.job to vacancy_app;
  grant execute on all functions in schema pgboss to vacancy_app`

export async function waitingJobId(
  connection: Connection,
  queue: string,
  key: string,
): Promise<string | undefined> {
  const [row] = await connection.run(
    sql<{
      id: string
    }>`select id from pgboss.job where name = ${queue} and singleton_key = ${key} and state = 'created'`,
  )
  return row?.id
}
