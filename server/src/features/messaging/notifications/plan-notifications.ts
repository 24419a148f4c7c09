import { atomically, type Scope } from '#db/scope.ts'
import { isMailAddress } from '#schema/fields.ts'
import { enqueue } from '#queue/job.ts'
import { isForOwnersOnly, isMandatory, type Audience, type Channel, type EventRow } from './notification.ts'
import { findRecipients, type Recipients } from './preferences.ts'
import { findEvent, insertNotifications, hasLaterNotification, type SkipReason } from './queries.ts'
import { render } from './render-notification.ts'
import { SendNotification } from './jobs.ts'
import { notificationForEvent, type EventNotification } from './event-notification.ts'

/** Creates the notifications of an event, one for each recipient, with the jobs that send them. Safe to repeat. */
export const planNotifications = (scope: Scope, canText: boolean, eventId: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const event = await findEvent(transaction, eventId)
    if (!event) return
    const recipients = await findRecipients(transaction)
    const notification = await notificationForEvent(transaction, recipients.name, event)
    if (!notification) return
    const { kind, data, subjectId } = notification
    if (subjectId && (await hasLaterNotification(transaction, subjectId, event.position))) return
    const { locale } = recipients
    const addressees: (Addressee & { skipped: SkipReason | null })[] = [
      ...addresseesOf(notification, recipients, canText).map((to) => ({ ...to, skipped: null })),
      ...skippedAddresseesOf(notification, recipients, canText),
    ]
    const notifications = addressees.map(({ channel, audience, recipient, skipped }) => {
      const kindOfReader = audience === 'guest' && hasNewGuestAddress(event) ? 'booking.confirmed' : kind
      return {
        account_id: event.account_id,
        event_id: eventId,
        event_position: event.position,
        subject_id: subjectId,
        kind: kindOfReader,
        channel,
        audience,
        recipient,
        locale,
        subject: render({ kind: kindOfReader, audience, locale, data }, null).subject,
        data,
        skipped,
      }
    })
    if (notifications.length === 0) return
    const inserted = await insertNotifications(transaction, notifications)
    await enqueue(
      transaction,
      SendNotification,
      inserted.map(({ id }) => ({ payload: { notificationId: id } })),
    )
  })

/** Nothing was sent there before, so that there is nothing to change for who reads it. */
const hasNewGuestAddress = ({ type, data }: EventRow) =>
  type === 'booking.updated' && Object.hasOwn(data['previous'] ?? {}, 'guestEmail')

interface Addressee {
  readonly channel: Channel
  readonly audience: Audience
  readonly recipient: string
}

/** Each recipient once. A mandatory notification goes to the owners when nobody else would get it. */
export function addresseesOf(
  { kind, guestEmail }: Pick<EventNotification, 'kind' | 'guestEmail'>,
  { preferences, owners }: Pick<Recipients, 'preferences' | 'owners'>,
  canText: boolean,
): Addressee[] {
  const wanted = preferences.kinds[kind]
  const texted = wanted.sms && canText ? preferences.phones : []
  const isMailed = wanted.email || (isMandatory(kind) && texted.length === 0)
  const reachableOwners = owners.filter(isMailAddress)
  const usesPreferences =
    preferences.emails.length > 0 && !(isForOwnersOnly(kind) && reachableOwners.length > 0)
  const emails = usesPreferences ? preferences.emails : reachableOwners
  const mailed = isMailed ? emails : []
  const found: Addressee[] = [
    ...mailed.map((recipient): Addressee => ({ channel: 'email', audience: 'operator', recipient })),
    ...texted.map((recipient): Addressee => ({ channel: 'sms', audience: 'operator', recipient })),
  ]
  if (guestEmail && preferences.guests && isMailAddress(guestEmail))
    found.unshift({ channel: 'email', audience: 'guest', recipient: guestEmail })
  return [
    ...new Map(found.toReversed().map((one) => [one.recipient.toLowerCase(), one])).values(),
  ].toReversed()
}

/** Recipients who cannot be reached, with the reason. Each is stored as a skipped notification. */
export function skippedAddresseesOf(
  { kind, guestEmail }: Pick<EventNotification, 'kind' | 'guestEmail'>,
  { preferences, owners }: Pick<Recipients, 'preferences' | 'owners'>,
  canText: boolean,
): (Addressee & { skipped: SkipReason })[] {
  const wanted = preferences.kinds[kind]
  const isForOwners = isForOwnersOnly(kind) || preferences.emails.length === 0
  const unreachableOwners = wanted.email && isForOwners ? owners.filter((owner) => !isMailAddress(owner)) : []
  const guests = guestEmail && preferences.guests && !isMailAddress(guestEmail) ? [guestEmail] : []
  return [
    ...guests.map(
      (recipient) => ({ channel: 'email', audience: 'guest', recipient, skipped: invalidAddress }) as const,
    ),
    ...unreachableOwners.map(
      (recipient) =>
        ({ channel: 'email', audience: 'operator', recipient, skipped: invalidAddress }) as const,
    ),
    ...(wanted.sms && !canText ? preferences.phones : []).map(
      (recipient) =>
        ({ channel: 'sms', audience: 'operator', recipient, skipped: smsNotConfigured }) as const,
    ),
  ]
}

const invalidAddress: SkipReason = {
  code: 'invalid_address',
  message: 'This is not a valid e-mail address. Correct it to receive later notifications.',
}
const smsNotConfigured: SkipReason = { code: 'not_configured', message: 'No SMS account is configured.' }
