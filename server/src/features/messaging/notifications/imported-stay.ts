import { sql } from '#db/sql.ts'
import { first, type Scope } from '#db/scope.ts'

interface ImportedStay {
  readonly id: string
  readonly unitId: string
  readonly source: string
  readonly quoteId: string | null
  readonly arrival: string
  readonly createdAt: string
  readonly updatedAt: string
}

/**
 * A stay that had begun before a person entered it, or moved it to its dates, was imported from another system: its
 * guest knows about it. A stay that was quoted in time is new, although its first day may be over by now.
 */
export async function wasImported(
  scope: Scope,
  { id, unitId, source, quoteId, arrival, createdAt, updatedAt }: ImportedStay,
  previous?: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  if (!previous && (await isFromFile(scope, id))) return true
  const isMoved = previous !== undefined && 'arrival' in previous
  if (quoteId !== null && !isMoved) return false
  const at = isMoved ? updatedAt : createdAt
  // In the time zone of the unit it may already be the day after that of UTC.
  const mayBePast = source !== 'pms' && arrival <= at.slice(0, 10)
  return mayBePast && (await wasDatePast(scope, { unitId, date: arrival, at }))
}

/** Whether an import of a file made the booking: its guest has been notified by another system. */
const isFromFile = async (scope: Scope, bookingId: string): Promise<boolean> =>
  (await first(
    scope,
    sql<{ one: number }>`
      select 1 as one
      from file_import_rows
      where org_id = ${scope.orgId}
        and record_id = ${bookingId}
        and action = 'create'`,
  )) !== undefined

/** Whether a date was over at a time, in the time zone of the unit. */
async function wasDatePast(
  scope: Scope,
  { unitId, date, at }: { unitId: string; date: string; at: string },
): Promise<boolean> {
  const row = await first(
    scope,
    sql<{ is_past: boolean }>`
      select ${date}::date < (${at}::timestamptz at time zone space.timezone)::date as is_past
      from units unit
      join spaces space on space.org_id = unit.org_id and space.id = unit.space_id
      where unit.org_id = ${scope.orgId} and unit.id = ${unitId}`,
  )
  return row?.is_past ?? false
}
