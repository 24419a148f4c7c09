import { sql } from '#db/sql.ts'
import { atomically, first, type Scope } from '#db/scope.ts'
import type { StoredRecord } from '#db/records.ts'
import { Conflict, NotFound } from '#errors.ts'
import { isMailAddress } from '#schema/fields.ts'
import { enqueue } from '#queue/job.ts'
import { testKind } from './notification.ts'
import { SendNotification } from './jobs.ts'
import { findNotification, insertNotifications, type NewNotification } from './queries.ts'

type Sent = Omit<NewNotification, 'event_id' | 'event_position' | 'skipped'> & {
  readonly status: string
  readonly is_erased: boolean
  /** What the guest of the booking has now. */
  readonly guest_email: string | null
}

/** Sends the text of a notification once more, to the current address of the guest. @throws NotFound, Conflict */
export const resendNotification = (scope: Scope, id: string): Promise<StoredRecord> =>
  atomically(scope, async (transaction) => {
    const found = await first(
      transaction,
      sql<Sent>`
        select
          notification.account_id, notification.subject_id, notification.kind, notification.channel,
          notification.audience, notification.recipient, notification.locale, notification.subject,
          notification.story as data, notification.status, notification.story = '{}' as is_erased,
          booking.guest_email
        from notifications notification
        left join bookings booking
          on booking.org_id = notification.org_id and booking.id = notification.subject_id
        where notification.org_id = ${scope.orgId} and notification.id = ${id}`,
    )
    if (!found) throw new NotFound('notification', id)
    const { status, is_erased, guest_email, ...sent } = found
    if (status === 'queued') throw cannotResend('The notification is still being sent.')
    if (sent.kind === testKind) throw cannotResend('A test message is not sent again; send a new one.')
    if (is_erased) throw cannotResend('The text was erased with the data of the guest.')
    const isForGuest = sent.audience === 'guest' && sent.channel === 'email'
    const recipient = isForGuest ? guest_email : sent.recipient
    if (recipient === null)
      throw cannotResend(
        'The booking has no e-mail address of the guest. Enter one, then send the notification again.',
      )
    if (sent.channel === 'email' && !isMailAddress(recipient))
      throw cannotResend(
        `${recipient} is not an e-mail address. Correct it, then send the notification again.`,
      )
    const [added] = await insertNotifications(transaction, [
      { ...sent, recipient, event_id: null, event_position: null, skipped: null },
    ])
    await enqueue(transaction, SendNotification, [{ payload: { notificationId: added!.id } }])
    return await findNotification(transaction, added!.id)
  })

const cannotResend = (message: string) => new Conflict('invalid-status-transition', message)
