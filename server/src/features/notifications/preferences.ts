import { Type, type Static } from 'typebox'
import { Invalid, type Fault } from '#errors.ts'
import { MailAddress, nullable, oneOf } from '#fields.ts'
import { isMailAddress } from '#mail-address.ts'
import { languages } from './locale.ts'
import { isNeverSilent, notificationKinds, type Channel, type NotificationKind } from './notification.ts'

const phonePattern = '^\\+[1-9][0-9]{6,14}$'
const Phone = Type.String({
  minLength: 8,
  maxLength: 16,
  pattern: phonePattern,
  example: '+351912345678',
  description: 'International form (E.164).',
})

const Ways = Type.Object(
  { email: Type.Boolean({ description: 'By mail.' }), sms: Type.Boolean({ description: 'By SMS.' }) },
  { additionalProperties: false },
)
const ways = Object.fromEntries(notificationKinds.map((kind) => [kind, Ways])) as Record<
  NotificationKind,
  typeof Ways
>

/** Who of an organization is told what, and how. */
export const NotificationPreferences = Type.Object(
  {
    emails: Type.Array(MailAddress, { maxItems: 20, description: 'Empty: the owners are mailed.' }),
    phones: Type.Array(Phone, { maxItems: 10 }),
    locale: nullable(oneOf(...languages)),
    guests: Type.Boolean({ description: 'Whether guests are mailed about bookings made here.' }),
    kinds: Type.Object(ways, { additionalProperties: false }),
  },
  { title: 'NotificationPreferences', additionalProperties: false },
)
export type NotificationPreferences = Static<typeof NotificationPreferences>

/** What is left out is as at the beginning. */
export const NotificationPreferencesInput = Type.Object(
  {
    ...Type.Partial(NotificationPreferences).properties,
    kinds: Type.Optional(Type.Partial(Type.Object(ways), { additionalProperties: false })),
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

/** What the settings of an organization say, whoever wrote them: what does not fit counts as not said. */
export function preferencesIn(stored: unknown): NotificationPreferences {
  const given = (stored && typeof stored === 'object' ? stored : {}) as Record<string, unknown>
  const texts = (value: unknown) =>
    Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  const kinds = (given['kinds'] ?? {}) as Partial<Record<string, Partial<Record<Channel, unknown>>>>
  // Settings that were made by hand may name the addresses for failures alone.
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

/** @throws Invalid when something that fails would be told to nobody. */
export function refuseSilence({ kinds, phones }: NotificationPreferences): void {
  const faults = notificationKinds.flatMap((kind): Fault[] => {
    const { email, sms } = kinds[kind]
    if (!isNeverSilent(kind) || email || (sms && phones.length > 0)) return []
    const why = sms ? 'there is no phone to text to' : 'it cannot be switched off'
    const message = `${kind} must reach somebody: ${why}. Leave mail on, or SMS with a phone.`
    return [{ pointer: `/kinds/${kind}`, code: 'must_reach_somebody', message }]
  })
  if (faults.length > 0) throw new Invalid('semantic-error', faults)
}

/** Each address once, however it is written. */
export const tidied = (preferences: NotificationPreferences): NotificationPreferences => ({
  ...preferences,
  emails: [...new Map(preferences.emails.map((email) => [email.toLowerCase(), email])).values()],
  phones: [...new Set(preferences.phones)],
})
