import { after, before } from 'node:test'
import type { TestCaller } from './caller.ts'
import { expectStatus } from './expect.ts'
import { until } from './linked-units.ts'
import { openWorld, type World } from './world.ts'

export type ImportCount = Record<'kind' | 'action', string> & Record<'total' | 'done', number>

export interface TestImport {
  id: string
  status: string
  stage: string | null
  counts: ImportCount[]
  bookings_imported: number
  error_code: string | null
  error_message: string | null
}

/** The day this many days from today, UTC. */
export const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

export const countsOf = ({ counts }: { counts: ImportCount[] }) =>
  counts.map(({ kind, action, total, done }) => [kind, action, total, done].join(' '))

/** A world with workers for the tests of a file, and what they do with imports. */
export function useImports() {
  const opened = new AsyncDisposableStack()
  let world: World
  let owner: TestCaller
  before(async () => {
    world = opened.use(await openWorld({ workers: true }))
    owner = await world.home.as('owner')
  })
  after(() => opened.disposeAsync())
  const read = async (path: string) => expectStatus(await owner.get(`/api/v1/${path}`), 200)
  const ended = (id: string) =>
    until(
      async () => (await read(`imports/${id}`)).import as TestImport,
      ({ status }) => !['planning', 'running'].includes(status),
    )
  return {
    opened,
    read,
    owner: () => owner,
    settled: () => world.settled(),
    /** The booked and blocked rooms of each stretch of nights that differ, of days 9 to 23. */
    async occupied(unitId: string): Promise<[booked: number, blocked: number][]> {
      const { calendar } = await read(`calendar?unit_id=${unitId}&from=${day(9)}&to=${day(23)}`)
      return calendar[0].availability.map(({ booked, blocked }: Record<string, number>) => [booked, blocked])
    },
    /** The folder of the media and of what else the world keeps. */
    home: () => world.config.home,
    async plan(targetId: string, fields: object = {}): Promise<TestImport> {
      const reply = await owner.post('/api/v1/imports', { channel_target_id: targetId, ...fields })
      return await ended(expectStatus(reply, 201).import.id)
    },
    async run(id: string): Promise<TestImport> {
      expectStatus(await owner.post(`/api/v1/imports/${id}/run`), 200)
      return await ended(id)
    },
  }
}
