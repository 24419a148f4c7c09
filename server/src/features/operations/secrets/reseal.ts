import type { Config } from '#config/config.ts'
import { openDatabase, type Database } from '#db/connect.ts'
import { openVault, sealingKeyId, type Vault } from '#secrets/vault.ts'
import { sql, type NotNull } from '#db/sql.ts'
import { addressContext as addressOf } from '#features/distribution/calendar-feeds/calendar-feed.ts'
import { credentialsContext } from '#features/distribution/channel-targets/target-credentials.ts'
import { planPlace as guestOf } from '#features/reservations/guests/guest.ts'
import { secretPlace as clientSecretOf } from '#features/reservations/payments/payment-intent.ts'
import { placeOf as webhookSecretOf } from '#features/messaging/webhooks/webhook-endpoint.ts'

/** A sealed value that no configured key can open. */
export interface UnreadableSecret {
  readonly kind: SealedColumn['kind']
  readonly id: string
  readonly org_id: string
  /** The key that sealed it. */
  readonly key: string
}

interface ResealResult {
  /** The number of sealed values. */
  readonly values: number
  readonly resealed: number
  readonly unopened: readonly UnreadableSecret[]
}

type SecretsConfig = Pick<Config, 'database'> & { readonly secrets: Pick<Config['secrets'], 'keys'> }

const maxPasses = 5

/**
 * Seals with the first key all values that are sealed with another one. Each value is replaced in a transaction of its
 * own, and only if it has not changed, so the service can keep running. @throws when the database is not available
 */
export async function resealAll(
  { database, secrets }: SecretsConfig,
  progress: (seen: { values: number; resealed: number }) => void = () => {},
): Promise<ResealResult> {
  const vault = openVault(secrets.keys)
  const [first] = secrets.keys
  await using lookout = openAsRole(database.ownerUrl, 'vacancy_lookout')
  await using writer = openAsRole(database.ownerUrl, 'vacancy_app')
  let resealed = 0
  for (let pass = 1; pass <= maxPasses; pass++) {
    const unopened: UnreadableSecret[] = []
    let values = 0
    let missed = 0
    for await (const { place, value, key } of readAllSealed(lookout)) {
      values++
      if (key === first!.id && canOpen(vault, place, value)) continue
      const resealedValue = tryReseal(vault, place, value)
      if (!resealedValue) unopened.push(toUnreadable(place, value))
      else if (await replaceSealed(writer, place, value, resealedValue)) resealed++
      else missed++
      if (values % 100 === 0) progress({ values, resealed })
    }
    if (missed === 0) return { values, resealed, unopened }
  }
  throw new Error('Stored secrets changed while they were resealed. Run the command again.')
}

interface SealState {
  readonly values: number
  /** The number of values by key, without those of the first key. */
  readonly byOtherKey: ReadonlyMap<string, number>
  readonly unopened: readonly UnreadableSecret[]
}

/** Reads which keys stored values are sealed with, and whether all of them can be opened. */
export async function inspectSealed({ database, secrets }: SecretsConfig): Promise<SealState> {
  const vault = openVault(secrets.keys)
  await using lookout = openAsRole(database.ownerUrl, 'vacancy_lookout')
  const byOtherKey = new Map<string, number>()
  const unopened: UnreadableSecret[] = []
  let values = 0
  for await (const { place, value, key } of readAllSealed(lookout)) {
    values++
    if (!canOpen(vault, place, value)) unopened.push(toUnreadable(place, value))
    else if (key !== secrets.keys[0]!.id) byOtherKey.set(key, (byOtherKey.get(key) ?? 0) + 1)
  }
  return { values, byOtherKey, unopened }
}

async function* readAllSealed(lookout: Database) {
  for (const place of sealedColumns)
    for await (const value of readSealedValues(lookout, place))
      yield { place, value, key: sealingKeyId(value.sealed) }
}

/** Null when it cannot be opened: its key is not configured, or it was altered. */
function tryReseal(vault: Vault, place: SealedColumn, { org_id, id, sealed }: SealedValue): Buffer | null {
  const name = place.placeOf(org_id, id)
  try {
    return vault.seal(vault.open(sealed, name), name)
  } catch {
    return null
  }
}

const canOpen = (vault: Vault, place: SealedColumn, value: SealedValue) =>
  tryReseal(vault, place, value) !== null

const toUnreadable = ({ kind }: SealedColumn, { id, org_id, sealed }: SealedValue): UnreadableSecret => ({
  kind,
  id,
  org_id,
  key: sealingKeyId(sealed),
})

/** One connection in a role, for a command. The owner itself can see no rows of organizations. */
export const openAsRole = (url: string, role: 'vacancy_app' | 'vacancy_lookout'): Database =>
  openDatabase({
    ...{ url, role, poolSize: 1, prepare: false, applicationName: 'vacancy secrets' },
    statementTimeoutMs: 30_000,
    onError: () => {},
  })

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

type SealedColumn = (typeof sealedColumns)[number]

interface SealedValue {
  readonly id: string
  readonly org_id: string
  readonly sealed: NotNull<Buffer>
}

const batchSize = 500
const smallestId = '00000000-0000-0000-0000-000000000000'

/** All values of a column in all organizations. Only the role vacancy_lookout can read them. */
async function* readSealedValues(
  lookout: Database,
  { table, column }: SealedColumn,
): AsyncGenerator<SealedValue> {
  for (let after = smallestId; ;) {
    const [rows] = await lookout.pipelined({ orgId: null }, [
      sql<SealedValue>`select id, org_id, ${sql.ref(column)} as sealed from ${sql.ref(table)}
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
    sql`update ${sql.ref(table)} set ${sql.ref(column)} = ${resealed}
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
