import { sql } from 'kysely'
import type { Database } from '#db/connect.ts'
import { placeOf as addressOf } from '../calendar-feeds/calendar-feed.ts'
import { placeOf as credentialsOf } from '../channel-targets/queries.ts'
import { placeOf as guestOf } from '../guests/guest.ts'
import { placeOf as clientSecretOf } from '../payments/payment-intent.ts'
import { placeOf as webhookSecretOf } from '../webhook-endpoints/webhook-endpoint.ts'

/** Every column that holds sealed values, and where a value of each is sealed for. */
export const sealedColumns = [
  { kind: 'channel_target', table: 'channel_targets', column: 'credentials', placeOf: credentialsOf },
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
  readonly sealed: Buffer
}

const mostAtOnce = 500
const beforeAll = '00000000-0000-0000-0000-000000000000'

/** All values of a column, across organizations: only the lookout's role sees them. */
export async function* sealedValues(
  lookout: Database,
  { table, column }: SealedColumn,
): AsyncGenerator<SealedValue> {
  for (let after = beforeAll; ;) {
    const [rows] = (await lookout.pipelined({ orgId: null }, [
      sql<SealedValue>`select id, org_id, ${sql.ref(column)} as sealed from ${sql.table(table)}
        where ${sql.ref(column)} is not null and id > ${after} order by id limit ${mostAtOnce}`,
    ])) as [SealedValue[]]
    yield* rows
    if (rows.length < mostAtOnce) return
    after = rows.at(-1)!.id
  }
}

/** Puts the same value in another seal; false when somebody has put another value there meanwhile. */
export async function replaceSealed(
  database: Database,
  { table, column }: SealedColumn,
  { id, org_id, sealed }: SealedValue,
  fresh: Buffer,
): Promise<boolean> {
  const [replaced] = await database.pipelined({ orgId: org_id }, [
    sql`update ${sql.table(table)} set ${sql.ref(column)} = ${fresh}
      where org_id = ${org_id} and id = ${id} and ${sql.ref(column)} = ${sealed} returning id`,
  ])
  return replaced!.length > 0
}

/** How many values of a kind a key has sealed. */
export interface KeyUse {
  readonly kind: SealedColumn['kind']
  readonly key: string
  readonly sealed: number
}

/** By which keys what is stored is sealed, over all organizations; of no value in particular. */
export async function sealingKeys(database: Database): Promise<KeyUse[]> {
  const [found] = await database.pipelined({ orgId: null }, [sql`select * from sealing_keys()`])
  return found as KeyUse[]
}
