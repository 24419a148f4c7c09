import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'

export const databaseAnswers = (database: Database): Promise<boolean> =>
  database.pipelined({ orgId: null }, [sql`select 1`]).then(() => true)
