import { sql } from '#db/sql.ts'
import { rows, type Scope } from '#db/scope.ts'
import { csvLine } from '#schema/csv.ts'
import type { Booking } from './booking.ts'
import { listBookings, type BookingFilter } from './list-bookings.ts'
import { bookingJson } from './queries.ts'

/** The number of bookings in memory at a time, however many are exported. */
const pageSize = 500

type Column = keyof Booking | 'unit' | 'space'
const contacts: readonly Column[] = ['guestEmail', 'guestPhone', 'notes', 'pms_notes']
const columns: readonly Column[] = [
  ...([
    'id',
    'status',
    'guestName',
    'guestEmail',
    'guestPhone',
    'space',
    'unit',
    'arrival',
    'departure',
  ] as const),
  ...(['nights', 'rooms', 'guests', 'totalCents', 'currency', 'source', 'externalId', 'notes'] as const),
  ...(['pms_notes', 'cancellationReason', 'createdAt', 'updatedAt', 'unitId', 'spaceId'] as const),
]

/**
 * The lines of a CSV file (RFC 4180), read page by page. A booking that changes during the export appears once,
 * unless the change moves it to a later page.
 */
export async function* exportBookings(
  scope: Scope,
  filter: BookingFilter,
  { sort, withContacts }: { sort: string; withContacts: boolean },
): AsyncGenerator<string> {
  const shown = columns.filter((column) => withContacts || !contacts.includes(column))
  // The byte order mark tells Excel that the file is UTF-8.
  let text = `\uFEFF${csvLine(shown.map(inSnakeCase))}`
  let after: { value: string; id: string } | null = null
  for (;;) {
    const found: Awaited<ReturnType<typeof listBookings>> = await listBookings(scope, filter, {
      ...{ limit: pageSize, sort, after },
      cursorAt: () => '',
    })
    const page = found.slice(0, pageSize)
    const bookings = page.map((row) => JSON.parse(bookingJson(row)) as Booking)
    const names = await namesOfUnits(scope, [...new Set(bookings.map(({ unitId }) => unitId))])
    for (const booking of bookings) {
      const record = { ...booking, ...names.get(booking.unitId) }
      text += csvLine(shown.map((column) => record[column]))
    }
    yield text
    text = ''
    const last = page.at(-1)
    if (!last || found.length <= pageSize) return
    after = { value: last.sort_value, id: last.id }
  }
}

async function namesOfUnits(scope: Scope, ids: readonly string[]) {
  const found = await rows(
    scope,
    sql<{ id: string; unit: string; space: string }>`
      select unit.id, unit.name as unit, space.name as space
      from units unit
      join spaces space
        on space.org_id = unit.org_id
        and space.id = unit.space_id
      where unit.org_id = ${scope.orgId}
        and unit.id = any(${ids}::uuid[])`,
  )
  return new Map(found.map(({ id, unit, space }) => [id, { unit, space }]))
}

const inSnakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
