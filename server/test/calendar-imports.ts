import { sql } from '#db/sql.ts'
import type { TestCaller } from './caller.ts'
import { inDays } from './local-days.ts'
import { expectStatus } from './expect.ts'
import { until } from './linked-units.ts'
import type { World } from './world.ts'

export const feedsPath = '/api/v1/calendar-feeds'

export interface Feed {
  id: string
  status: string
  url: string
  last_fetched_at: string | null
  error_message: string | null
  blocks: number
}

/** Helpers for calendar imports; the world must have workers. */
export function openImports({ resources, home }: World, owner: TestCaller) {
  const run = async <Row>(statement: ReturnType<typeof sql<Row>>) =>
    (await resources.database.pipelined({ orgId: home.id }, [statement]))[0]
  const add = async (fields: object): Promise<Feed> =>
    expectStatus(await owner.post(feedsPath, { direction: 'import', name: 'Elsewhere', ...fields }), 201)
      .calendar_feed
  const read = async ({ id }: Pick<Feed, 'id'>): Promise<Feed> =>
    (await owner.get(`${feedsPath}/${id}`)).body.calendar_feed
  const waitForFetch = ({ id, last_fetched_at: before }: Feed): Promise<Feed> =>
    until(
      () => read({ id }),
      ({ last_fetched_at }) => last_fetched_at !== before,
    )
  return {
    run,
    add,
    read,
    /** Waits until the feed was fetched again. */
    fetched: waitForFetch,

    /** Disables and enables the feed, and waits until it is fetched. */
    async again(feed: Feed): Promise<Feed> {
      const before = await read(feed)
      expectStatus(await owner.patch(`${feedsPath}/${feed.id}`, { status: 'inactive' }), 200)
      expectStatus(await owner.patch(`${feedsPath}/${feed.id}`, { status: 'active' }), 200)
      return await waitForFetch(before)
    },

    /** The blocked nights with the number of rooms. */
    async blocked(unitId: string): Promise<Record<string, number>> {
      const found = await run(sql<{
        night: string
        blocked: number
      }>`select night, blocked from nights_taken(${home.id},
        array[${unitId}]::uuid[], current_date - 10, current_date + 600) order by night`)
      return Object.fromEntries(found.map(({ night, blocked }) => [night, blocked]))
    },
  }
}

/** One room on each of these days, counted from today. */
export const roomOn = (...days: number[]) => Object.fromEntries(days.map((day) => [inDays(day), 1]))
