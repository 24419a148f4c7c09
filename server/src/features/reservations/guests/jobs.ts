import { job } from '#queue/job.ts'
import { sql } from '#db/sql.ts'
import { afterCommit } from '#db/scope.ts'
import {
  enqueueForEach,
  findInAllOrganizations,
  forEachOrganization,
  type PeriodicTask,
  type TaskContext,
} from '#queue/periodic-task.ts'
import { events } from '#telemetry/log.ts'
import { anonymizeGuests } from './anonymize-guests.ts'

/** Erases a guest from everything that is stored. */
export const EraseGuest = job<{ erasureId: string }>({
  name: 'erase-guest',
  queue: 'upkeep',
  key: ({ erasureId }) => erasureId,
})

/** Erases what a PMS sent about a guest who is erased already. */
export const ErasePmsBooking = job<{ targetId: string; pmsBookingId: string }>({
  name: 'erase-again',
  queue: 'upkeep',
  key: ({ targetId, pmsBookingId }) => `${targetId} ${pmsBookingId}`,
})

const batchSize = 500
/** The rest follows in the next run, so that the database stays free for requests. */
const maxBatches = 20

export const guestSchedule = ({ guestDays }: { guestDays: number }): readonly PeriodicTask[] => [
  { name: 'requeue-erasures', intervalMs: 60_000, run: requeueErasures },
  {
    name: 'anonymize-past-guests',
    intervalMs: 600_000,
    run: (context) => anonymizePastGuests(context, guestDays),
  },
]

/** Enqueues erasures whose job was lost. */
async function requeueErasures(context: TaskContext): Promise<void> {
  const erasures = await findInAllOrganizations(
    context,
    sql<{ org_id: string; guest_erasure_id: string }>`select * from guest_erasures_to_work()`,
  )
  await enqueueForEach(context, EraseGuest, erasures, ({ guest_erasure_id }) => ({
    erasureId: guest_erasure_id,
  }))
}

/**
 * Anonymizes the guests of stays that are past the retention of their organization, or past `defaultDays`; the oldest
 * stays first. Returns the number of bookings.
 */
export async function anonymizePastGuests(context: TaskContext, defaultDays: number): Promise<number> {
  let anonymized = 0
  for (let batch = 0; batch < maxBatches; batch++) {
    const found = await findInAllOrganizations(
      context,
      sql<{
        org_id: string
        booking_id: string
      }>`select * from guests_to_forget(${defaultDays}::int, ${batchSize}::int)`,
    )
    await forEachOrganization(context, found, async (transaction, rows) => {
      const { orgId, actor } = transaction
      const ids = rows.map(({ booking_id }) => booking_id)
      const bookings = await anonymizeGuests(transaction, ids, { actor, publishes: false })
      afterCommit(transaction, () => {
        events.guestsExpired({ orgId, bookings })
        anonymized += bookings
      })
    })
    if (found.length < batchSize) break
  }
  return anonymized
}
