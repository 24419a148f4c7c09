import { migrate } from './db/migrate.ts'
import { prepareQueue } from './queue/queue.ts'

/** Tables first, then the queue beside them. Safe to repeat, and from several processes at once. */
export async function bringUpToDate(ownerUrl: string): Promise<{ applied: string[] }> {
  const { applied } = await migrate(ownerUrl)
  await prepareQueue(ownerUrl)
  return { applied }
}
