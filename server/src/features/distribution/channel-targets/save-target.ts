import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { sql } from '#db/sql.ts'
import { atomically, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, semanticError } from '#errors.ts'
import { assertVersion, type ExpectedVersion } from '#db/records.ts'
import type { StoredRecord } from '#db/records.ts'
import { enqueue } from '#queue/job.ts'
import type { Vault } from '#secrets/vault.ts'
import { resolveAccountId } from '#features/tenancy/organizations/queries.ts'
import { requestSync, CheckTarget } from '#features/distribution/sync/schedule/request-sync.ts'
import {
  assertConfigComplete,
  nextStatus,
  type ChannelTargetInput,
  type TargetConfig,
  type TargetConfigInput,
} from './channel-target.ts'
import { nextFullSync } from './full-sync-schedule.ts'
import { auditPause } from './pause-target.ts'
import { findListingOfSameRoom, findTarget, lockTarget } from './queries.ts'
import { recordTargetEvent } from './record-target-event.ts'
import {
  assertSecretsNamed,
  credentialsContext,
  keepsAllSecrets,
  maskedCredentials,
  splitCredentials,
  type Credentials,
} from './target-credentials.ts'

/** Creates a target and checks whether it works. @throws Invalid */
export const createTarget = (
  scope: Scope,
  vault: Vault,
  input: ChannelTargetInput,
): Promise<StoredRecord & { id: string }> =>
  atomically(scope, async (transaction) => {
    const id = randomUUID()
    assertConfigComplete(input.config)
    const { given } = splitCredentials(input.config?.credentials)
    const credentials = nullIfEmpty(given)
    const sealed = credentials && vault.seal(credentials, credentialsContext(scope.orgId, id))
    const config = maskedConfig(input.config, credentials)
    if (input.status === 'error')
      throw semanticError('status', 'The status error is set by the health check only. Leave status out.')
    // A target that is to be active is pending until its first health check.
    const status = input.status === 'inactive' ? 'inactive' : 'pending'
    const [row] = await rows(
      transaction,
      sql<StoredRecord & { id: string }>`
        insert into channel_targets (id, org_id, account_id, channel_type, name, config, credentials,
          credentials_set_at, status)
        values (${id}, ${scope.orgId}, ${await resolveAccountId(transaction, input.account_id)}, ${input.channel_type},
          ${input.name}, ${JSON.stringify(config)}, ${sealed}, case when ${sealed !== null} then now() end, ${status})
        returning id, json, version`,
    )
    await scheduleFullSync(transaction, id, config.full_sync_cron)
    if (status !== 'inactive') await enqueue(transaction, CheckTarget, [{ payload: { targetId: id } }])
    await recordTargetEvent(transaction, 'target.created', row!)
    return row!
  })

/**
 * Replaces a target; when something changes, its listings are pushed in full again.
 * @throws NotFound, PreconditionFailed, Conflict, Invalid
 */
export const updateTarget = (
  scope: Scope,
  vault: Vault,
  id: string,
  expected: ExpectedVersion,
  input: ChannelTargetInput,
): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const current = await lockTarget(transaction, id)
    assertVersion(expected, current.version)
    const stored = current.config.credentials
    assertSecretsNamed(stored, input.config?.credentials)
    assertConfigComplete(input.config)
    const split = splitCredentials(input.config?.credentials)
    const keepsAll = keepsAllSecrets(stored, split)
    const credentials = keepsAll
      ? (stored ?? null)
      : nullIfEmpty({ ...loadKeptSecrets(scope, vault, id, current.sealed, split.kept), ...split.given })
    const config = maskedConfig(input.config, credentials)
    if (current.sealed && (keepsAll || split.kept.includes('api_key')))
      assertSameDestination(current.config, config)
    const sealed = keepsAll
      ? current.sealed
      : credentials && vault.seal(credentials, credentialsContext(scope.orgId, id))
    const status = nextStatus(current.status, input.status ?? 'pending')
    const accountId = input.account_id ?? current.account_id
    const isSameConfig = keepsAll && isDeepStrictEqual(config, current.config)
    const isSame = isSameConfig && input.name === current.name && status === current.status
    if (isSame && accountId === current.account_id) {
      // Its credentials may work again.
      if (status === 'error') await enqueue(transaction, CheckTarget, [{ payload: { targetId: id } }])
      return await findTarget(transaction, id)
    }
    if (accountId !== current.account_id) await resolveAccountId(transaction, accountId)
    const [row] = await rows(
      transaction,
      sql<StoredRecord>`
        update channel_targets
        set account_id = ${accountId},
          name = ${input.name},
          config = ${JSON.stringify(config)},
          status = ${status},
          credentials = ${sealed},
          credentials_set_at = case when ${Object.keys(split.given).length > 0} then now() else credentials_set_at end,
          error_message = case when ${status} = 'error' then error_message end,
          version = version + 1,
          updated_at = now()
        where org_id = ${scope.orgId}
          and id = ${id}
        returning json, version`,
    )
    const isSameProperty = isPropertyOf(config, current.config)
    if (!isSameProperty) await assertNoSharedRoom(transaction, id)
    auditPause(transaction, { id, ...current }, status)
    const isPaused = status === 'inactive'
    if (isSameConfig && current.status === 'inactive' && !isPaused)
      await requestSync(transaction, { targetId: id }, 'reconcile')
    // A paused target too: what the previous property accepted is unknown to the new one when the target is resumed.
    else if (!isSameConfig || !isPaused) await requestSync(transaction, { targetId: id }, 'change', 'full')
    // After requestSync, which locks the target: a worker takes the two locks in this order.
    await resetConnection(transaction, id, keepsAll && isSameProperty)
    if (config.full_sync_cron !== current.config.full_sync_cron)
      await scheduleFullSync(transaction, id, config.full_sync_cron)
    if (!isPaused) await enqueue(transaction, CheckTarget, [{ payload: { targetId: id } }])
    await recordTargetEvent(transaction, 'target.updated', row!)
    return row!
  })

const nullIfEmpty = (credentials: Credentials) => (Object.keys(credentials).length > 0 ? credentials : null)

/** The configuration as it is stored and returned, with its secrets masked. */
const maskedConfig = (config: TargetConfigInput = {}, credentials: Credentials | null): TargetConfig => {
  const { credentials: _, ...rest } = config
  return {
    ...rest,
    provider: rest.provider ?? 'generic',
    ...(credentials && { credentials: maskedCredentials(credentials) }),
  }
}

/** The stored secrets that stay when others are replaced. */
function loadKeptSecrets(
  { orgId }: Scope,
  vault: Vault,
  id: string,
  sealed: Buffer | null,
  names: readonly (keyof Credentials)[],
): Credentials {
  if (!sealed || names.length === 0) return {}
  const stored = vault.open<Credentials>(sealed, credentialsContext(orgId, id))
  return Object.fromEntries(Object.entries(stored).filter(([name]) => names.includes(name as never)))
}

/** A stored secret is sent only to the address it was given for, so a new address needs the secret again. */
function assertSameDestination(current: TargetConfig, next: TargetConfig): void {
  const account = next.credentials?.account_id ?? current.credentials?.account_id
  if (
    current.base_url === next.base_url &&
    current.provider === next.provider &&
    current.credentials?.account_id === account
  )
    return
  throw semanticError(
    'config/credentials',
    'Send the credentials again when the address or the provider changes.',
  )
}

/**
 * Schedules the next comparison with the whole PMS. Without a cron expression it is at a random time in the four hours
 * after the next midnight UTC, so that not all targets read a PMS at once.
 */
const scheduleFullSync = (transaction: Transaction, id: string, cron: string | undefined) =>
  rows(
    transaction,
    sql`
      insert into target_syncs (org_id, channel_target_id, reconcile_at)
      values (
        ${transaction.orgId},
        ${id},
        coalesce(
          ${cron === undefined ? null : nextFullSync(cron)}::timestamptz,
          date_trunc('day', now()) + interval '1 day' + random() * interval '4 hours'))
      on conflict (channel_target_id) do update set reconcile_at = excluded.reconcile_at`,
  )

const isPropertyOf = (config: TargetConfig, other: TargetConfig) =>
  (['provider', 'base_url', 'property_ref'] as const).every((name) => config[name] === other[name]) &&
  config.credentials?.account_id === other.credentials?.account_id

/** Two units on one room are oversold; `createListing` rejects them too. @throws Conflict */
async function assertNoSharedRoom(transaction: Transaction, id: string): Promise<void> {
  const other = await findListingOfSameRoom(transaction, id)
  if (!other) return
  throw new Conflict(
    'duplicate-mapping',
    `A room that this target maps is linked to another unit at this property, by the listing ${other.id}.`,
    { members: { channel_listing_id: other.id } },
  )
}

/**
 * The failures of the previous address say nothing about the new one. Of another property, all bookings are polled as of a
 * new target, because its nights are sold there.
 */
const resetConnection = (transaction: Transaction, id: string, isSameProperty: boolean) =>
  rows(
    transaction,
    sql`
      update target_syncs
      set failures = 0,
        opened_at = null,
        probe_at = null
        ${isSameProperty ? sql`` : sql`, bookings_polled_at = null, bookings_heard_until = null, bookings_told_since = null`}
      where org_id = ${transaction.orgId}
        and channel_target_id = ${id}`,
  )
