import { sql } from '#db/sql.ts'
import type { TestCaller } from './caller.ts'
import { until } from './linked-units.ts'
import { readList } from './read-list.ts'
import type { World } from './world.ts'

/**
 * Waits until the feed shows all that has happened by now. It holds an event back while an older transaction is open
 * anywhere in the cluster, tests beside this one included: what is open now has to end first.
 */
export async function feedIsWhole(world: World): Promise<void> {
  const read = async (bound: 'xmin' | 'xmax') => {
    const [rows] = await world.resources.database.pipelined({ orgId: world.home.id }, [
      sql`select ${sql.raw(`pg_snapshot_${bound}`)}(pg_current_snapshot())::text as place`,
    ])
    return Number((rows as [{ place: string }])[0].place)
  }
  const now = await read('xmax')
  await until(
    () => read('xmin'),
    (oldest) => oldest >= now,
  )
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- Each type of event has members of its own.
type TestEvents = any[]

/** The events of a subject so far, oldest first. */
export const eventsOf = async (
  world: World,
  caller: TestCaller,
  subject: { id: string },
): Promise<TestEvents> =>
  (await readFeed(world, caller)).filter(({ subject_id }) => subject_id === subject.id)

/** All events so far, oldest first. */
export async function readFeed(world: World, caller: TestCaller): Promise<TestEvents> {
  await feedIsWhole(world)
  return await readList(caller, '/api/v1/events?')
}
