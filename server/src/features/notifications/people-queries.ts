import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { refuseStale, type Expected } from '#http/preconditions.ts'
import type { Stored } from '#http/replies.ts'
import { preferencesIn, type NotificationPreferences } from './preferences.ts'

export interface Audience {
  name: string
  locale: string
  preferences: NotificationPreferences
  /** The mail addresses of the owners. */
  owners: string[]
}

/** Whom of the organization to tell, and in which language. */
export async function findAudience(scope: Scope): Promise<Audience> {
  const row = await first(
    scope,
    sql<{ name: string; locale: string; stored: unknown; owners: string[] }>`select o.name,
        coalesce(o.settings -> 'notifications' ->> 'locale', o.settings ->> 'locale', 'en') as locale,
        o.settings -> 'notifications' as stored,
        array(select m.email from members m where m.org_id = o.id and m.role = 'owner' and m.status = 'active'
          order by m.created_at, m.id limit 20) as owners
      from organizations o where o.id = ${scope.orgId}`,
  )
  const { stored, ...rest } = row!
  return { ...rest, preferences: preferencesIn(stored) }
}

const stored = (preferences: NotificationPreferences, version: number): Stored => ({
  json: JSON.stringify(preferences),
  version,
})

export async function findPreferences(scope: Scope): Promise<Stored> {
  const row = await first(
    scope,
    sql<{
      found: unknown
      version: number
    }>`select settings -> 'notifications' as found, version from organizations
      where id = ${scope.orgId}`,
  )
  return stored(preferencesIn(row!.found), row!.version)
}

/** Replaces the preferences among the settings; what else stands there stays. @throws Stale */
export const replacePreferences = (
  scope: Scope,
  expected: Expected,
  preferences: NotificationPreferences,
): Promise<Stored> =>
  atomically(scope, async (transaction) => {
    const current = await lockSettings(transaction)
    refuseStale(expected, current.version)
    if (JSON.stringify(preferencesIn(current.found)) === JSON.stringify(preferences))
      return stored(preferences, current.version)
    const [row] = await rows(
      transaction,
      sql<{ version: number }>`update organizations set version = version + 1, updated_at = now(),
          settings = jsonb_set(settings, '{notifications}',
            (case when jsonb_typeof(settings -> 'notifications') = 'object' then settings -> 'notifications' else '{}' end)
              - 'sync_failure_emails' || ${JSON.stringify(preferences)}::jsonb)
        where id = ${scope.orgId} returning version`,
    )
    return stored(preferences, row!.version)
  })

const lockSettings = async (transaction: Transaction) =>
  (await first(
    transaction,
    sql<{
      found: unknown
      version: number
    }>`select settings -> 'notifications' as found, version from organizations
      where id = ${transaction.orgId} for update`,
  ))!
