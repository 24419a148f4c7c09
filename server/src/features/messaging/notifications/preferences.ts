import { Type, type Static } from 'typebox'
import { Invalid, type FieldError } from '#errors.ts'
import { MailAddress, nullable, oneOf, isMailAddress } from '#schema/fields.ts'
import { languages } from '#schema/language.ts'
import { isMandatory, notificationKinds, type Channel, type NotificationKind } from './notification.ts'
import { sql } from '#db/sql.ts'
import { atomically, first, rows, type Scope, type Transaction } from '#db/scope.ts'
import { assertVersion, type ExpectedVersion, type StoredRecord } from '#db/records.ts'

const phonePattern = '^\\+[1-9][0-9]{6,14}$'
const Phone = Type.String({
  minLength: 8,
  maxLength: 16,
  pattern: phonePattern,
  example: '+351912345678',
  description: 'International format (E.164).',
})

const Channels = Type.Object(
  { email: Type.Boolean({ description: 'By e-mail.' }), sms: Type.Boolean({ description: 'By SMS.' }) },
  { title: 'NotificationChannels', description: 'How it is sent.', additionalProperties: false },
)
const channelsByKind = Object.fromEntries(notificationKinds.map((kind) => [kind, Channels])) as Record<
  NotificationKind,
  typeof Channels
>

/** Who in an organization is notified, of what, and how. */
export const NotificationPreferences = Type.Object(
  {
    emails: Type.Array(MailAddress, { maxItems: 20, description: 'When empty, e-mails go to the owners.' }),
    phones: Type.Array(Phone, { maxItems: 10 }),
    locale: nullable(oneOf(...languages)),
    guests: Type.Boolean({ description: 'Whether guests get e-mails about bookings made here.' }),
    kinds: Type.Object(channelsByKind, { additionalProperties: false }),
  },
  { title: 'NotificationPreferences', additionalProperties: false },
)
export type NotificationPreferences = Static<typeof NotificationPreferences>

/** Members that are left out get their default. */
export const NotificationPreferencesInput = Type.Object(
  {
    ...Type.Partial(NotificationPreferences).properties,
    kinds: Type.Optional(Type.Partial(Type.Object(channelsByKind), { additionalProperties: false })),
  },
  {
    additionalProperties: false,
    title: 'NotificationPreferencesInput',
    example: {
      emails: ['office@example.com'],
      locale: 'en',
      kinds: { 'booking.confirmed': { email: true, sms: false } },
    },
  },
)
export type NotificationPreferencesInput = Static<typeof NotificationPreferencesInput>

/** Reads stored settings, which may have been edited by hand. Invalid values get their default. */
export function parsePreferences(stored: unknown): NotificationPreferences {
  const given = (stored && typeof stored === 'object' ? stored : {}) as Record<string, unknown>
  const texts = (value: unknown) =>
    Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  const kinds = (given['kinds'] ?? {}) as Partial<Record<string, Partial<Record<Channel, unknown>>>>
  // Settings of an earlier form have addresses for failures only.
  const emails = texts(given['emails'] ?? given['sync_failure_emails'])
  return {
    emails: emails.filter(isMailAddress),
    phones: texts(given['phones']).filter((phone) => new RegExp(phonePattern).test(phone)),
    locale: languages.find((language) => language === given['locale']) ?? null,
    guests: given['guests'] !== false,
    kinds: Object.fromEntries(
      notificationKinds.map((kind) => {
        const { email, sms } = kinds[kind] ?? {}
        return [kind, { email: email !== false, sms: sms === true }]
      }),
    ) as NotificationPreferences['kinds'],
  }
}

/** @throws Invalid when a mandatory notification would reach nobody */
export function assertReachable({ kinds, phones }: NotificationPreferences): void {
  const errors = notificationKinds.flatMap((kind): FieldError[] => {
    const { email, sms } = kinds[kind]
    if (!isMandatory(kind) || email || (sms && phones.length > 0)) return []
    const reason = sms ? 'it is sent by SMS only, but there is no phone number' : 'it cannot be turned off'
    const message = `${kind} must reach somebody: ${reason}. Enable e-mail, or SMS with a phone number.`
    return [{ pointer: `/kinds/${kind}`, code: 'must_reach_somebody', message }]
  })
  if (errors.length > 0) throw new Invalid('semantic-error', errors)
}

/** Each e-mail address once, in any case, and each phone number once. */
export const withoutDuplicates = (preferences: NotificationPreferences): NotificationPreferences => ({
  ...preferences,
  emails: [...new Map(preferences.emails.map((email) => [email.toLowerCase(), email])).values()],
  phones: [...new Set(preferences.phones)],
})

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
  const { stored, ...rest } = row!
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
