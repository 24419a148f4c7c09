import { sql } from 'kysely'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { assertVersion, type ExpectedVersion } from '#db/records.ts'
import type { StoredRecord } from '#db/records.ts'
import { parsePreferences, type NotificationPreferences } from './preferences.ts'

export interface Recipients {
  name: string
  locale: string
  preferences: NotificationPreferences
  /** The e-mail addresses of the owners. */
  owners: string[]
}

/** Who in the organization is notified, and in which language. */
export async function findRecipients(scope: Scope): Promise<Recipients> {
  const row = await first(
    scope,
    sql<{ name: string; locale: string; stored: unknown; owners: string[] }>`
      select
        organization.name,
        coalesce(
          organization.settings -> 'notifications' ->> 'locale',
          organization.settings ->> 'locale',
          'en'
        ) as locale,
        organization.settings -> 'notifications' as stored,
        array(
          select member.email
          from members member
          where member.org_id = organization.id and member.role = 'owner' and member.status = 'active'
          order by member.created_at, member.id
          limit 20
        ) as owners
      from organizations organization
      where organization.id = ${scope.orgId}`,
  )
  const { stored: stored, ...rest } = row!
  return { ...rest, preferences: parsePreferences(stored) }
}

const toStoredRecord = (preferences: NotificationPreferences, version: number): StoredRecord => ({
  json: JSON.stringify(preferences),
  version,
})

export async function findPreferences(scope: Scope): Promise<StoredRecord> {
  const row = await first(
    scope,
    sql<SettingsRow>`
      select settings -> 'notifications' as stored, version
      from organizations
      where id = ${scope.orgId}`,
  )
  return toStoredRecord(parsePreferences(row!.stored), row!.version)
}

interface SettingsRow {
  stored: unknown
  version: number
}

/** Replaces the preferences in the settings of the organization; other settings stay. @throws PreconditionFailed */
export const replacePreferences = (
  scope: Scope,
  expected: ExpectedVersion,
  preferences: NotificationPreferences,
): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const current = await lockSettings(transaction)
    assertVersion(expected, current.version)
    if (JSON.stringify(parsePreferences(current.stored)) === JSON.stringify(preferences))
      return toStoredRecord(preferences, current.version)
    const [row] = await rows(
      transaction,
      sql<{ version: number }>`
        update organizations
        set
          settings = jsonb_set(
            settings,
            '{notifications}',
            (case when jsonb_typeof(settings -> 'notifications') = 'object' then settings -> 'notifications' else '{}' end)
              - 'sync_failure_emails' || ${JSON.stringify(preferences)}::jsonb
          ),
          version = version + 1,
          updated_at = now()
        where id = ${scope.orgId}
        returning version`,
    )
    return toStoredRecord(preferences, row!.version)
  })

const lockSettings = async (transaction: Transaction) =>
  (await first(
    transaction,
    sql<SettingsRow>`
      select settings -> 'notifications' as stored, version
      from organizations
      where id = ${transaction.orgId}
      for update`,
  ))!
