import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'
import type { NotNull } from '#db/statements.ts'
import { addressContext as addressOf } from '#features/distribution/calendar-feeds/calendar-feed.ts'
import { credentialsContext } from '#features/distribution/channel-targets/target-credentials.ts'
import { planPlace as guestOf } from '#features/reservations/guests/guest.ts'
import { secretPlace as clientSecretOf } from '#features/reservations/payments/payment-intent.ts'
import { placeOf as webhookSecretOf } from '#features/messaging/webhooks/webhook-endpoint.ts'

/** Every column with sealed values, and the place that its values are sealed for. */
export const sealedColumns = [
  { kind: 'channel_target', table: 'channel_targets', column: 'credentials', placeOf: credentialsContext },
  { kind: 'calendar_feed', table: 'calendar_feeds', column: 'address', placeOf: addressOf },
  { kind: 'payment_intent', table: 'payment_intents', column: 'client_secret', placeOf: clientSecretOf },
  { kind: 'webhook_endpoint', table: 'webhook_endpoints', column: 'secret', placeOf: webhookSecretOf },
  {
    kind: 'webhook_endpoint',
    table: 'webhook_endpoints',
    column: 'previous_secret',
    placeOf: webhookSecretOf,
  },
  { kind: 'guest_erasure', table: 'guest_erasures', column: 'plan', placeOf: guestOf },
] as const

export type SealedColumn = (typeof sealedColumns)[number]

export interface SealedValue {
  readonly id: string
  readonly org_id: string
  readonly sealed: NotNull<Buffer>
}

const batchSize = 500
const smallestId = '00000000-0000-0000-0000-000000000000'

/** All values of a column in all organizations. Only the role vacancy_lookout can read them. */
export async function* readSealedValues(
  lookout: Database,
  { table, column }: SealedColumn,
): AsyncGenerator<SealedValue> {
  for (let after = smallestId; ;) {
    const [rows] = await lookout.pipelined({ orgId: null }, [
      sql<SealedValue>`select id, org_id, ${sql.ref(column)} as sealed from ${sql.table(table)}
        where ${sql.ref(column)} is not null and id > ${after} order by id limit ${batchSize}`,
    ])
    yield* rows
    if (rows.length < batchSize) return
    after = rows.at(-1)!.id
  }
}

/** Replaces a sealed value. Returns false when it has changed meanwhile. */
export async function replaceSealed(
  database: Database,
  { table, column }: SealedColumn,
  { id, org_id, sealed }: SealedValue,
  resealed: Buffer,
): Promise<boolean> {
  const [replaced] = await database.pipelined({ orgId: org_id }, [
    sql`update ${sql.table(table)} set ${sql.ref(column)} = ${resealed}
      where org_id = ${org_id} and id = ${id} and ${sql.ref(column)} = ${sealed} returning id`,
  ])
  return replaced.length > 0
}

/** The number of values of a kind that are sealed with a key. */
export interface KeyUse {
  readonly kind: SealedColumn['kind']
  readonly key: string
  readonly sealed: number
}

/** Counts the sealed values of all organizations by kind and key. */
export async function countByKey(database: Database): Promise<KeyUse[]> {
  const [found] = await database.pipelined({ orgId: null }, [sql<KeyUse>`select * from sealing_keys()`])
  return found
}
