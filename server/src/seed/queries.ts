import { sql, type Fragment, type NotNull } from '#db/sql.ts'
import { atomically, rows, type Actor, type Scope } from '#db/scope.ts'
import type { DemoStay } from './stays.ts'

const staysPerStatement = 250

/**
 * Inserts stays that check in at 15:00 and check out at 11:00 in the time zone of the space. The triggers of a statement
 * look at the stays of a unit from the first night on, so the earliest come first, and few at a time. The planner, which
 * takes the table for empty, would read all of it for each of them.
 */
export const insertStays = (scope: Scope, stays: readonly DemoStay[]) =>
  atomically(scope, async (transaction) => {
    const byArrival = stays.toSorted((a, b) => (a.arrival < b.arrival ? -1 : 1))
    await rows(transaction, sql`select set_config('enable_seqscan', 'off', true)`)
    for (let at = 0; at < byArrival.length; at += staysPerStatement)
      await rows(transaction, insertStatement(transaction, byArrival.slice(at, at + staysPerStatement)))
    await rows(transaction, sql`select set_config('enable_seqscan', 'on', true)`)
  })

const insertStatement = ({ orgId }: Scope, stays: readonly DemoStay[]) =>
  sql`
      insert into bookings (org_id, account_id, id, unit_id, guest_name, guest_email, guest_phone, guests, nights,
        check_in, check_out, total_cents, currency, source, channel_target_id, external_id, notes, pms_notes, status,
        cancellation_reason, cancelled_at, created_at, updated_at)
      select unit.org_id, unit.account_id, stay.id, unit.id, stay.guest_name, stay.guest_email, stay.guest_phone,
        stay.guests, daterange(stay.arrival, stay.arrival + stay.nights), stay.check_in, stay.check_out,
        stay.total_cents, unit.currency, stay.source, stay.channel_target_id, stay.external_id, stay.notes,
        stay.pms_notes, stay.status, stay.cancellation_reason,
        case when stay.status = 'cancelled' then stay.changed_at end, stay.created_at, stay.changed_at
      from (${staysOf(stays)}) stay
      join units unit
        on unit.org_id = ${orgId}
        and unit.id = stay.unit_id
      order by stay.position`

/** What is known of the bookings of a PMS, so that they move when their room is linked to another unit. */
export const insertPmsBookings = (scope: Scope) =>
  rows(
    scope,
    sql`
      insert into pms_bookings (org_id, channel_target_id, external_id, revised_at, cancelled, lines, known_lines,
        heard_at)
      select booking.org_id, booking.channel_target_id, booking.external_id, booking.updated_at,
        booking.status = 'cancelled', array[booking.external_id],
        json_build_array(json_build_object(
          'external_id', booking.external_id, 'listing', listing.external_id, 'arrival', booking.arrival,
          'departure', booking.departure, 'guests', booking.guests, 'is_removed', false,
          'applied', json_build_object(
            'listing', listing.external_id, 'unit_id', booking.unit_id, 'arrival', booking.arrival,
            'departure', booking.departure, 'rooms', booking.rooms))),
        booking.updated_at
      from bookings booking
      join channel_listings listing
        on listing.org_id = booking.org_id
        and listing.channel_target_id = booking.channel_target_id
        and listing.unit_id = booking.unit_id
      where booking.org_id = ${scope.orgId}`,
  )

/** The stays with their times. A stay changed last when its guests came or left, or when it was cancelled. */
const staysOf = (stays: readonly DemoStay[]): Fragment => sql`
  select stay.*,
    case stay.status
      when 'checked_in' then least(stay.check_in + interval '25 minutes', now())
      when 'checked_out' then least(stay.check_out, now())
      when 'no_show' then least(stay.check_in + interval '20 hours', now())
      when 'cancelled' then least(stay.created_at + (stay.check_in - stay.created_at) / 3, now())
      else stay.created_at
    end as changed_at
  from (
    select given.position, record.*,
      coalesce(record.booked_at, now()) as created_at,
      (record.arrival + time '15:00') at time zone space.timezone as check_in,
      (record.arrival + record.nights + time '11:00') at time zone space.timezone as check_out
    from jsonb_array_elements(${JSON.stringify(stays)}::jsonb) with ordinality as given (value, position)
    cross join lateral (
      select (given.value ->> 'created_at')::timestamptz as booked_at, stay.*
      from jsonb_to_record(given.value) as stay (id uuid, unit_id uuid, guest_name text, guest_email text,
        guest_phone text, guests int, arrival date, nights int, total_cents bigint, status text, source text,
        channel_target_id uuid, external_id text, notes text, pms_notes text, cancellation_reason text)
    ) record
    join units
      on units.org_id = current_org()
      and units.id = record.unit_id
    join spaces space
      on space.org_id = units.org_id
      and space.id = units.space_id
  ) stay`

/**
 * What the guests of direct bookings paid: nearly all until they arrive, most of those who cancelled got it back, and
 * some cards were refused. Whether a booking is paid follows from its minute, which is drawn.
 */
export const insertPayments = (scope: Scope) =>
  rows(
    scope,
    sql`
      with direct as (
        select booking.*, extract(minute from booking.created_at) as minute,
          'pi_' || replace(booking.id::text, '-', '') as reference
        from bookings booking
        where booking.org_id = ${scope.orgId}
          and booking.source <> 'pms'
          and booking.arrival < current_date + 45
          and booking.total_cents > 0
      ),
      asked as (
        select direct.*,
          case
            when direct.status = 'cancelled' then case when minute < 36 then 'refunded' end
            when direct.arrival < current_date - 2 then case when minute < 58 then 'paid' else 'refused' end
            when minute < 38 then 'paid'
            when minute < 44 then 'refused'
          end as outcome
        from direct
      ),
      intent as (
        insert into payment_intents (org_id, account_id, booking_id, amount, currency, provider_reference, status,
          amount_received, amount_refunded, failure_code, failed_attempt, next_attempt_at, seen_at, created_at,
          updated_at)
        select org_id, account_id, id, total_cents, currency, reference,
          case when outcome = 'refused' then 'requires_payment_method' else 'succeeded' end,
          case when outcome = 'refused' then 0 else total_cents end,
          case when outcome = 'refunded' then total_cents / 2 else 0 end,
          case when outcome = 'refused' then 'card_declined' end,
          case when outcome = 'refused' then reference end,
          null, now(), created_at + interval '4 minutes', greatest(created_at + interval '9 minutes', cancelled_at)
        from asked
        where outcome is not null
        returning *
      )
      insert into payment_refunds (org_id, account_id, payment_intent_id, amount, currency, reason,
        provider_reference, status, next_attempt_at, created_at, updated_at)
      select org_id, account_id, id, amount_refunded, currency, 'cancellation',
        replace(provider_reference, 'pi_', 're_'), 'succeeded', null, updated_at, updated_at
      from intent
      where amount_refunded > 0`,
  )

/** A payment as the payment provider of the sandbox takes it over. */
export interface SeededPayment {
  readonly id: NotNull<string>
  readonly amount: number
  readonly currency: string
  readonly created: number
  readonly is_paid: boolean
  readonly metadata: object
  readonly refunds: readonly object[]
}

export const listPayments = (scope: Scope) =>
  rows(
    scope,
    sql<SeededPayment>`
      select intent.provider_reference as id, intent.amount::int, lower(intent.currency) as currency,
        extract(epoch from intent.created_at)::int as created, intent.status = 'succeeded' as is_paid,
        json_build_object(
          'payment_intent_id', intent.id, 'org_id', intent.org_id, 'booking_id', intent.booking_id
        ) as metadata,
        coalesce(refund.list, '[]') as refunds
      from payment_intents intent
      cross join lateral (
        select json_agg(
          json_build_object(
            'id', refund.provider_reference,
            'amount', refund.amount,
            'created', extract(epoch from refund.created_at)::int,
            'metadata', json_build_object('payment_refund_id', refund.id, 'org_id', refund.org_id)
          )
        ) as list
        from payment_refunds refund
        where refund.org_id = intent.org_id
          and refund.payment_intent_id = intent.id
      ) refund
      where intent.org_id = ${scope.orgId}
      order by intent.created_at, intent.id`,
  )

/** The history of the bookings of the last months: who created them, and who checked the guests in and out. */
export const insertHistory = (scope: Scope, people: readonly Actor[]) =>
  rows(
    scope,
    sql`
      insert into sync_audit (org_id, account_id, unit_id, channel_target_id, action, trigger, actor, changes,
        created_at)
      select booking.org_id, booking.account_id, booking.unit_id, booking.channel_target_id, step.action, 'change',
        case
          when step.action = 'booking.created' and booking.source = 'pms'
            then '{"type": "system", "id": "worker", "name": "Vacancy"}'
          else ${JSON.stringify(people)}::jsonb -> (extract(minute from booking.created_at)::int % ${people.length}::int)
        end,
        step.changes, step.at
      from bookings booking
      cross join lateral (
        select 'booking.created' as action, booking.created_at as at,
          jsonb_build_array(
            jsonb_build_object('field', 'booking', 'before', null, 'after', booking.id),
            jsonb_build_object('field', 'unitId', 'before', null, 'after', booking.unit_id),
            jsonb_build_object('field', 'checkIn', 'before', null, 'after', iso(booking.check_in)),
            jsonb_build_object('field', 'checkOut', 'before', null, 'after', iso(booking.check_out)),
            jsonb_build_object('field', 'totalCents', 'before', null, 'after', booking.total_cents),
            jsonb_build_object('field', 'status', 'before', null, 'after', 'confirmed')
          ) as changes
        union all
        select 'booking.' || booking.status, booking.updated_at,
          jsonb_build_array(
            jsonb_build_object('field', 'booking', 'before', booking.id, 'after', booking.id),
            jsonb_build_object('field', 'status', 'before', 'confirmed', 'after', booking.status)
          )
        where booking.status <> 'confirmed'
      ) step
      where booking.org_id = ${scope.orgId}
        and booking.deleted_at is null
        and step.at > now() - interval '60 days'`,
  )
