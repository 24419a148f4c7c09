import { sql } from '#db/sql.ts'
import { first, type Transaction } from '#db/scope.ts'
import { isUuid } from '#schema/fields.ts'
import { nightOf } from '#schema/nights.ts'
import { maxCents } from '#features/inventory/pricing/stay-price.ts'
import { addBooking } from '#features/reservations/bookings/add-booking.ts'
import { maxNights } from '#features/reservations/bookings/booking.ts'
import { lockUnits } from '#features/reservations/bookings/stay-queries.ts'
import { findUnitOf, type KnownUnits } from './find-units.ts'
import { openRow, readCurrency, type RowReader } from './read-row.ts'
import { importEach, type RowImporter } from './import-rows.ts'

/**
 * Makes bookings; their guests are not notified. A booking with the same reference, with the reference as its id, or
 * without one of the same guest, unit and nights, is there already.
 */
export const importBookings: RowImporter = async (transaction, state, found) => {
  // An import that runs at the same time has then either made a booking, or waits and finds it. All at once, because
  // changes of many units lock them in the same order: otherwise they and the import stop each other.
  const unitIds: string[] = []
  const known: KnownUnits = new Map()
  for (const { cells } of found) {
    const unit = cells && (await findUnitOf(transaction, openRow(cells, state), known))
    if (unit) unitIds.push(unit.id)
  }
  await lockUnits(transaction, unitIds)
  return await importEach(transaction, state, found, (inner, row) => importBooking(inner, row, known))
}

async function importBooking(transaction: Transaction, row: RowReader, known: KnownUnits) {
  const unit = await findUnitOf(transaction, row, known)
  const reference = row.text('reference', 255)
  const guestName = row.required('guest_name', row.text('guest_name', 255))
  const arrival = row.required('arrival', row.date('arrival'))
  const departure = row.required('departure', row.date('departure'))
  const status = row.choice('status', statuses) ?? 'confirmed'
  const readRest = () => readFields(row, unit?.currency)
  if (!unit || guestName === undefined || arrival === undefined || departure === undefined) {
    // A row says all that is wrong with it.
    readRest()
    return undefined
  }
  if (nightOf(departure) <= nightOf(arrival) || nightOf(departure) - nightOf(arrival) > maxNights) {
    readRest()
    return row.fail('departure', 'stay_length', `A stay has from 1 to ${maxNights} nights.`)
  }
  const stay = { unitId: unit.id, arrival, departure, guestName }
  const key = reference ? `reference ${reference}` : Object.values(stay).join(' ').toLowerCase()
  if (status === 'cancelled') return { action: 'skip', key } as const
  const existing = await findBooking(transaction, reference, stay)
  if (existing) return { action: 'match', key, record_id: existing.id } as const
  const fields = { ...readRest(), externalId: reference }
  if (row.errors.length > 0) return undefined
  const { id } = await addBooking(
    transaction,
    {
      ...{ unitId: unit.id, guestName, checkIn: arrival, checkOut: departure, status, source: 'manual' },
      // It does not wait for a payment here, so it does not expire.
      holdExpiresAt: null,
      ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    },
    { mayBePast: true },
  )
  return { action: 'create', key, record_id: id } as const
}

/** What a booking need not have. An amount is read when its currency is known. */
function readFields(row: RowReader, unitCurrency: string | undefined) {
  const currency = readCurrency(row)
  const ofTotal = currency ?? unitCurrency
  return {
    guestEmail: row.text('guest_email', 254),
    guestPhone: row.text('guest_phone', 64),
    notes: row.text('notes', 10_000),
    guests: row.integer('guests', 1, 10_000),
    rooms: row.integer('rooms', 1, 10_000),
    totalCents: ofTotal === undefined ? undefined : row.money('total', ofTotal, maxCents),
    currency,
  }
}

interface Stay {
  readonly unitId: string
  readonly arrival: string
  readonly departure: string
  readonly guestName: string
}

const findBooking = (transaction: Transaction, reference: string | undefined, stay: Stay) =>
  first(
    transaction,
    reference === undefined
      ? sql<{ id: string }>`
          select id
          from bookings
          where org_id = ${transaction.orgId}
            and unit_id = ${stay.unitId}
            and arrival = ${stay.arrival}::date
            and departure = ${stay.departure}::date
            and lower(guest_name) = lower(${stay.guestName})
            and deleted_at is null
          limit 1`
      : sql<{ id: string }>`
          select id
          from bookings
          where org_id = ${transaction.orgId}
            and (id = ${isUuid(reference) ? reference : null}::uuid
              or external_id = ${reference} and unit_id = ${stay.unitId})
            and deleted_at is null
          limit 1`,
  )

/** In English, German and Portuguese. Bookings that take no room are skipped. */
const statuses: Readonly<Record<string, 'confirmed' | 'pending' | 'cancelled'>> = {
  ...{
    confirmed: 'confirmed',
    booked: 'confirmed',
    accepted: 'confirmed',
    ok: 'confirmed',
    new: 'confirmed',
  },
  ...{ modified: 'confirmed', checked_in: 'confirmed', checked_out: 'confirmed', completed: 'confirmed' },
  ...{ bestätigt: 'confirmed', gebucht: 'confirmed', confirmado: 'confirmed', confirmada: 'confirmed' },
  ...{ pending: 'pending', offen: 'pending', pendente: 'pending' },
  ...{
    cancelled: 'cancelled',
    canceled: 'cancelled',
    declined: 'cancelled',
    expired: 'cancelled',
    no_show: 'cancelled',
  },
  ...{
    inquiry: 'cancelled',
    storniert: 'cancelled',
    abgelehnt: 'cancelled',
    cancelado: 'cancelled',
    cancelada: 'cancelled',
  },
}
