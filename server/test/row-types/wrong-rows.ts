import { sql, type NotNull } from '#db/sql.ts'

/** Row types that are wrong, each in another way: `row-types.test.ts` says which of them it must find. */

export const missingMember = sql<{ id: string }>`select id, name from units`

export const notReturned = sql<{ id: string; name: string }>`select id from units`

export const wrongType = sql<{ id: number; created_at: Date; nights: string[] }>`
  select id, created_at, array[1, 2] as nights from units`

export const nullableColumn = sql<{ guest_email: string; guest_phone: NotNull<string> }>`
  select guest_email, guest_phone from bookings where guest_phone is not null`

export const outerJoin = sql<{ name: string; status: string | null }>`
  select target.name, target.status from bookings
  left join channel_targets target on target.id = bookings.channel_target_id`

/** Correct: the condition leaves out what has no target, and the planner knows. */
export const innerJoin = sql<{ name: string }>`
  select target.name from bookings
  left join channel_targets target on target.id = bookings.channel_target_id where target.status = 'active'`

export const returnedTwice = sql<{ id: string }>`
  select units.id, spaces.id from units join spaces on spaces.id = units.space_id`

/** In a part that is there for some arguments only. */
export const unknownColumn = (isNamed: boolean) =>
  sql<{ id: string }>`select id from units ${isNamed ? sql`where nickname = 'x'` : sql``}`

/** The argument says which table, and its type does not. */
export const unknownTable = (name: string) => sql<{ id: string }>`select id from ${sql.ref(name)}`
