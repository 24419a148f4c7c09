import { migrate } from '#db/migrate.ts'
import { prepareQueue } from '#queue/queue.ts'

/** Migrates the tables, then the queue. Idempotent, also when several processes run it at once. */
export async function migrateDatabase(ownerUrl: string): Promise<{ applied: string[] }> {
  const { applied } = await migrate(ownerUrl)
  await prepareQueue(ownerUrl)
  return { applied }
}
