import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { Conflict, NotFound, semanticError } from '#errors.ts'
import { filters, pageClause, sortColumn, type PageRequest } from '#http/paging.ts'
import { refuseStale, type Expected } from '#http/preconditions.ts'
import type { Listed, Stored } from '#http/replies.ts'
import { enqueue } from '#queue/job.ts'
import type { Vault } from '#secrets.ts'
import { accountFor } from '../accounts/queries.ts'
import { requestSync } from '../sync-requests/request-sync.ts'
import { CheckTarget } from '../sync-requests/sync-jobs.ts'
import { auditPause } from './audit-pause.ts'
import { closeCircuit, scheduleFullSync } from './target-sync-queries.ts'
import {
  refuseUnfit,
  statusAfter,
  type ChannelTargetInput,
  type TargetConfig,
  type TargetConfigInput,
  type TargetStatus,
} from './channel-target.ts'
import {
  assertSecretsNamed,
  keepsAll,
  maskedCredentials,
  splitCredentials,
  type Credentials,
} from './target-credentials.ts'

const filterColumns = ['org_id', 'account_id', 'status', 'channel_type']

/** Where a target's credentials are sealed for. */
export const placeOf = (orgId: string, targetId: string) => `${orgId} ${targetId} credentials`

export const listTargets = (scope: Scope, filter: object, page: PageRequest) =>
  rows(
    scope,
    sql<Listed>`select t.id, t.json, ${sortColumn('t', page)} as sort_value from channel_targets t
      where t.org_id = ${scope.orgId}${filters('t', filter, filterColumns)}${pageClause('t', page)}`,
  )

export async function findTarget(scope: Scope, id: string): Promise<Stored> {
  const found = await first(
    scope,
    sql<Stored>`select json, version from channel_targets where org_id = ${scope.orgId} and id = ${id}`,
  )
  if (!found) throw new NotFound('channel target', id)
  return found
}

export const addTarget = (
  scope: Scope,
  vault: Vault,
  input: ChannelTargetInput,
): Promise<Stored & { id: string }> =>
  atomically(scope, async (transaction) => {
    const id = randomUUID()
    refuseUnfit(input.config)
    const { given } = splitCredentials(input.config?.credentials)
    const credentials = orNull(given)
    const sealed = credentials && vault.seal(credentials, placeOf(scope.orgId, id))
    const shown = shownConfig(input.config, credentials)
    if (input.status === 'error')
      throw semanticError('status', 'Whether a target is in error, its health check decides.')
    // One that is to be active is pending until its first health check.
    const status = input.status === 'inactive' ? 'inactive' : 'pending'
    const [row] = await rows(
      transaction,
      sql<Stored & { id: string }>`insert into channel_targets
          (id, org_id, account_id, channel_type, name, config, credentials, credentials_set_at, status)
        values (${id}, ${scope.orgId}, ${await accountFor(transaction, input.account_id)}, ${input.channel_type},
          ${input.name}, ${JSON.stringify(shown)}, ${sealed},
          case when ${sealed !== null} then now() end, ${status}) returning id, json, version`,
    )
    if (shown.full_sync_cron !== undefined) await scheduleFullSync(transaction, id, shown.full_sync_cron)
    if (status !== 'inactive') await enqueue(transaction, CheckTarget, [{ payload: { targetId: id } }])
    return row!
  })

/** Replaces a target; its listings are pushed whole again. @throws NotFound, Stale, Conflict, Invalid */
export const changeTarget = (
  scope: Scope,
  vault: Vault,
  id: string,
  expected: Expected,
  input: ChannelTargetInput,
): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    const current = await lockTarget(transaction, id)
    refuseStale(expected, current.version)
    const { config } = input
    const stored = current.config.credentials
    assertSecretsNamed(stored, config?.credentials)
    refuseUnfit(config)
    const split = splitCredentials(config?.credentials)
    const isKept = keepsAll(stored, split)
    const credentials = isKept
      ? (stored ?? null)
      : orNull({ ...keptSecrets(scope, vault, id, current.sealed, split.kept), ...split.given })
    const shown = shownConfig(config, credentials)
    if (current.sealed && (isKept || split.kept.includes('api_key')))
      refuseOtherAddress(current.config, shown)
    const sealed = isKept ? current.sealed : credentials && vault.seal(credentials, placeOf(scope.orgId, id))
    const status = statusAfter(current.status, input.status ?? 'pending')
    const accountId = input.account_id ?? current.account_id
    if (accountId !== current.account_id) await accountFor(transaction, accountId)
    const [row] = await rows(
      transaction,
      sql<Stored>`update channel_targets set account_id = ${accountId}, name = ${input.name},
          config = ${JSON.stringify(shown)}, status = ${status},
          credentials = ${sealed},
          credentials_set_at = case when ${Object.keys(split.given).length > 0} then now() else credentials_set_at end,
          error_message = case when ${status} = 'error' then error_message end,
          version = version + 1, updated_at = now()
        where org_id = ${scope.orgId} and id = ${id} returning json, version`,
    )
    auditPause(transaction, { id, ...current }, status)
    const isOff = status === 'inactive'
    const isSamePlace = isKept && isDeepStrictEqual(shown, current.config)
    if (isSamePlace && current.status === 'inactive' && !isOff)
      await requestSync(transaction, { targetId: id }, 'reconcile')
    // Also of one that is off: what the old place took says nothing of the new one, whenever it is resumed.
    else if (!isSamePlace || !isOff) await requestSync(transaction, { targetId: id }, 'change', 'full')
    // After the lock of the target, which the sync request takes: a worker takes the two in this order.
    await closeCircuit(transaction, id)
    if (shown.full_sync_cron !== current.config.full_sync_cron)
      await scheduleFullSync(transaction, id, shown.full_sync_cron)
    if (!isOff) await enqueue(transaction, CheckTarget, [{ payload: { targetId: id } }])
    return row!
  })

const orNull = (credentials: Credentials) => (Object.keys(credentials).length > 0 ? credentials : null)

/** The configuration as it is stored and read, its secrets masked. */
const shownConfig = (config: TargetConfigInput = {}, credentials: Credentials | null): TargetConfig => {
  const { credentials: _, ...rest } = config
  return {
    ...rest,
    provider: rest.provider ?? 'sandbox',
    ...(credentials && { credentials: maskedCredentials(credentials) }),
  }
}

/** Of several secrets, those that stay when others are given anew. */
function keptSecrets(
  { orgId }: Scope,
  vault: Vault,
  id: string,
  sealed: Buffer | null,
  names: readonly (keyof Credentials)[],
): Credentials {
  if (!sealed || names.length === 0) return {}
  const kept = vault.open<Credentials>(sealed, placeOf(orgId, id))
  return Object.fromEntries(Object.entries(kept).filter(([name]) => names.includes(name as never)))
}

/** A kept secret goes only where it was meant for: who names another address must know the secret. */
function refuseOtherAddress(current: TargetConfig, next: TargetConfig): void {
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

export const removeTarget = (scope: Scope, id: string, expected: Expected): Promise<void> =>
  atomically(scope, async (transaction) => {
    refuseStale(expected, (await lockTarget(transaction, id)).version)
    const listed = await rows(
      transaction,
      sql<{ id: string; count: number }>`select id, (count(*) over ())::int as count from channel_listings
        where org_id = ${scope.orgId} and channel_target_id = ${id} order by created_at, id limit 10`,
    )
    if (listed.length > 0) {
      const held_by = { listings: listed.map((listing) => listing.id), listing_count: listed[0]!.count }
      const counted = held_by.listing_count === 1 ? '1 listing' : `${held_by.listing_count} listings`
      throw new Conflict('resource-in-use', `The target still has ${counted}: unlink them first.`, {
        members: { held_by },
      })
    }
    await rows(transaction, sql`delete from channel_targets where org_id = ${scope.orgId} and id = ${id}`)
  })

interface TargetRow {
  version: number
  account_id: string
  config: TargetConfig
  status: TargetStatus
  /** The credentials. */
  sealed: Buffer | null
}

export async function lockTarget(transaction: Transaction, id: string): Promise<TargetRow> {
  const row = await first(
    transaction,
    sql<TargetRow>`select version, account_id, config, status, credentials as sealed from channel_targets
      where org_id = ${transaction.orgId} and id = ${id} for update`,
  )
  if (!row) throw new NotFound('channel target', id)
  return row
}

/** What a worker needs to speak to a target's PMS. */
export interface TargetConnection {
  id: string
  account_id: string
  name: string
  config: TargetConfig
  credentials: Buffer | null
  status: TargetStatus
  version: number
}

export const lookForTarget = (scope: Scope, id: string): Promise<TargetConnection | undefined> =>
  first(
    scope,
    sql<TargetConnection>`select id, account_id, name, config, credentials, status, version from channel_targets
      where org_id = ${scope.orgId} and id = ${id}`,
  )

/**
 * Notes what a health check found. A target that a person switched off stays off, and one that was changed while
 * it was asked has another check coming. Returns the status before.
 */
export async function noteHealth(
  scope: Scope,
  { id, version }: Pick<TargetConnection, 'id' | 'version'>,
  problem: string | null,
): Promise<TargetStatus | undefined> {
  const row = await first(
    scope,
    sql<{
      before: TargetStatus
    }>`update channel_targets t set last_health_check_at = now(), error_message = ${problem}, updated_at = now(),
        status = case when t.status = 'inactive' then t.status when ${problem}::text is null then 'active' else 'error' end
      from (select id, status as before from channel_targets where org_id = ${scope.orgId} and id = ${id} and version = ${version} for update) old
      where t.org_id = ${scope.orgId} and t.id = old.id returning before`,
  )
  return row?.before
}
