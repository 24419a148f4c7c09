import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { isMailAddress } from '#mail-address.ts'
import { enqueue } from '#queue/job.ts'
import { isForOwners, isNeverSilent, type Audience as Reader, type Channel } from './notification.ts'
import { findAudience, type Audience } from './people-queries.ts'
import { insertNotifications, wasOvertaken, type SkipReason } from './queries.ts'
import { render } from './render.ts'
import { SendNotification } from './send-job.ts'
import { findEvent } from './story-queries.ts'
import { tellingOf, type Telling } from './tell-story.ts'

/** Decides who is told of an event, and how: a message each, with its job. Run twice, it decides once. */
export const planNotifications = (scope: Scope, canText: boolean, eventId: string): Promise<void> =>
  atomically(scope, async (transaction) => {
    const event = await findEvent(transaction, eventId)
    if (!event) return
    const audience = await findAudience(transaction)
    const telling = await tellingOf(transaction, audience.name, event)
    if (!telling) return
    if (telling.subjectId && (await wasOvertaken(transaction, telling.subjectId, event.position))) return
    const { kind, story, subjectId } = telling
    const readers: (To & { skipped: SkipReason | null })[] = [
      ...readersOf(telling, audience, canText).map((to) => ({ ...to, skipped: null })),
      ...skippedReadersOf(telling, audience, canText),
    ]
    const planned = readers.map(({ channel, reader, recipient, skipped }) => ({
      account_id: event.account_id,
      event_id: eventId,
      event_position: event.position,
      subject_id: subjectId,
      kind,
      channel,
      audience: reader,
      recipient,
      locale: audience.locale,
      subject: render({ kind, audience: reader, locale: audience.locale, story }, null).subject,
      story,
      skipped,
    }))
    await put(transaction, planned)
  })

async function put(transaction: Transaction, planned: Parameters<typeof insertNotifications>[1]) {
  if (planned.length === 0) return
  const written = await insertNotifications(transaction, planned)
  await enqueue(
    transaction,
    SendNotification,
    written.map(({ id }) => ({ payload: { notificationId: id } })),
  )
}

interface To {
  readonly channel: Channel
  readonly reader: Reader
  readonly recipient: string
}

/** Everybody once. What may not be silent goes to the owners rather than to nobody. */
export function readersOf(
  { kind, guest }: Pick<Telling, 'kind' | 'guest'>,
  { preferences, owners }: Pick<Audience, 'preferences' | 'owners'>,
  canText: boolean,
): To[] {
  const wanted = preferences.kinds[kind]
  const texted = wanted.sms && canText ? preferences.phones : []
  const isMailed = wanted.email || (isNeverSilent(kind) && texted.length === 0)
  const mailable = owners.filter(isMailAddress)
  const isChosen = preferences.emails.length > 0 && !(isForOwners(kind) && mailable.length > 0)
  const emails = isChosen ? preferences.emails : mailable
  const mailed = isMailed ? emails : []
  const found: To[] = [
    ...mailed.map((recipient): To => ({ channel: 'email', reader: 'operator', recipient })),
    ...texted.map((recipient): To => ({ channel: 'sms', reader: 'operator', recipient })),
  ]
  if (guest && preferences.guests && isMailAddress(guest))
    found.unshift({ channel: 'email', reader: 'guest', recipient: guest })
  return [
    ...new Map(found.toReversed().map((one) => [one.recipient.toLowerCase(), one])).values(),
  ].toReversed()
}

/** Whom nothing can reach although they were to be told, and why: each is kept as a record. */
export function skippedReadersOf(
  { kind, guest }: Pick<Telling, 'kind' | 'guest'>,
  { preferences, owners }: Pick<Audience, 'preferences' | 'owners'>,
  canText: boolean,
): (To & { skipped: SkipReason })[] {
  const wanted = preferences.kinds[kind]
  const isForThem = isForOwners(kind) || preferences.emails.length === 0
  const unmailable = wanted.email && isForThem ? owners.filter((owner) => !isMailAddress(owner)) : []
  const guests = guest && preferences.guests && !isMailAddress(guest) ? [guest] : []
  return [
    ...guests.map(
      (recipient) => ({ channel: 'email', reader: 'guest', recipient, skipped: noMail }) as const,
    ),
    ...unmailable.map(
      (recipient) => ({ channel: 'email', reader: 'operator', recipient, skipped: noMail }) as const,
    ),
    ...(wanted.sms && !canText ? preferences.phones : []).map(
      (recipient) => ({ channel: 'sms', reader: 'operator', recipient, skipped: noSms }) as const,
    ),
  ]
}

const noMail: SkipReason = {
  code: 'invalid_address',
  message: 'Mail cannot reach this address. Correct it; later messages go to the corrected one.',
}
const noSms: SkipReason = { code: 'not_configured', message: 'No SMS account is configured.' }
