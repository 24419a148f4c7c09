import { sql, type RawBuilder } from 'kysely'
import { rows, type Scope } from '#db/scope.ts'
import { containing } from '#http/paging.ts'
import type { ErasedBooking } from './erasure-queries.ts'
import type { Subject } from './find-queries.ts'
import type { Guest } from './redact.ts'
import { mentions, needlesOf } from './redact.ts'

/** What is held beside the bookings, as texts of JSON. One more than the limit says that there is more. */
export interface Held {
  readonly quotes: string[]
  readonly payment_intents: string[]
  readonly refunds: string[]
  readonly notifications: string[]
  readonly events: string[]
  readonly webhook_messages: string[]
  readonly booking_conflicts: string[]
}

export async function findHeld(
  scope: Scope,
  { kind, value }: Subject,
  bookings: readonly ErasedBooking[],
  limit: number,
): Promise<Held> {
  const ids = bookings.flatMap(({ booking_id }) => booking_id ?? [])
  const names = new Set([...ids, ...bookings.flatMap(({ pms_booking_id }) => pms_booking_id ?? [])])
  const guest: Guest = {
    emails: kind === 'email' ? [value] : [],
    phones: kind === 'phone' ? [value] : [],
    names: [],
  }
  const needles = needlesOf(guest).map((needle) => containing(JSON.stringify(needle).slice(1, -1)))
  const about = sql`any(${ids}::uuid[])`
  const mine = sql`t.org_id = ${scope.orgId}`
  const named = (text: RawBuilder<unknown>) => sql`${text} ilike any(${needles}::text[])`
  const texts = async (statement: RawBuilder<unknown>) =>
    (await rows(scope, sql<{ json: string }>`${statement} limit ${limit + 1}`)).map(({ json }) => json)

  const messages = await rows(
    scope,
    sql<{
      json: string
      body: string
      is_named: boolean
    }>`select t.json, t.body, ${named(sql`t.body`)} as is_named
      from webhook_messages t where ${mine} and (${named(sql`t.body`)}
        or t.body like any(${[...names].map(containing)}::text[])) order by t.received_at, t.id limit ${limit + 1}`,
  )
  const spoken = messages.filter(({ body, is_named }) => is_named || mentions(JSON.parse(body), names))
  return {
    quotes: await texts(sql`select t.json from quotes t where ${mine}
      and (t.booking_id = ${about} or t.hold_booking_id = ${about}) order by t.created_at, t.id`),
    payment_intents: await texts(sql`select t.json from payment_intents t
      where ${mine} and t.booking_id = ${about} order by t.created_at, t.id`),
    refunds: await texts(sql`select t.json from payment_refunds t
      join payment_intents p on p.org_id = t.org_id and p.id = t.payment_intent_id
      where ${mine} and p.booking_id = ${about} order by t.created_at, t.id`),
    notifications: await texts(sql`select left(t.json, -1) || ',"story":' || t.story::text || '}' as json
      from notifications t where ${mine} and (t.subject_id = ${about} or t.story ->> 'bookingId' = any(${ids}::text[])
        or ${named(sql`t.recipient`)} or ${named(sql`t.story::text`)}) order by t.created_at, t.id`),
    events:
      await texts(sql`select event_json(t.id, t.org_id, t.account_id, t.type, t.subject_id, t.data, t.occurred_at)
      as json from events t where ${mine} and t.only_for is null
        and (t.subject_id = ${about} or ${named(sql`t.data::text`)}) order by t.occurred_at, t.id`),
    webhook_messages: spoken.map(({ json, body }) => `${json.slice(0, -1)},"body":${body}}`),
    booking_conflicts: await texts(sql`select t.json from booking_conflicts t where ${mine}
      and (t.booking_id = ${about} or ${named(sql`t.booking::text`)}) order by t.created_at, t.id`),
  }
}
