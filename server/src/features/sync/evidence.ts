import type { Result } from './deliver-pushes.ts'
import type { Outcome } from './settle-queries.ts'

/** Tasks confirm the calendar; of the content, which an empty name stands for, only a look can tell. */
export const tasksOf = ({ delivery: { tasks = [] }, push }: Result) =>
  tasks.length > 0 && push.changes.length > 0 ? [...tasks, ''] : tasks

/** What an attempt says of what the PMS shows: taken is not shown. */
export function evidenceOf({ action, delivery, push }: Result): Outcome['evidence'] {
  const { failure, tookContent, tookRooms, tookRates } = delivery
  if (action === 'sync.skipped') return 'none'
  if (action === 'sync.verified') return failure ? 'none' : 'seen'
  const hasTaken = tookRooms.length + tookRates.length > 0 || (tookContent && push.changes.length > 0)
  if (failure && !hasTaken) return 'none'
  return action === 'sync.repaired' ? 'mends' : 'sent'
}
