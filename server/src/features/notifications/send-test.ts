import { Type, type Static } from 'typebox'
import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { Failure, semanticError } from '#errors.ts'
import { Id, MailAddress, oneOf } from '#fields.ts'
import { enqueue } from '#queue/job.ts'
import { findAudience } from './people-queries.ts'
import { insertNotifications, testsOfTheHour } from './queries.ts'
import { SendNotification } from './send-job.ts'

export const TestMail = Type.Object(
  {
    to: MailAddress,
    subject: Type.String({
      minLength: 1,
      maxLength: 150,
      // One line, and none that is written from the other side.
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]*\\S$',
      example: 'Does it arrive?',
    }),
    body: Type.String({ minLength: 1, maxLength: 10_000, pattern: '^[^\\u0000]*$', example: 'It does.' }),
  },
  {
    additionalProperties: false,
    title: 'TestMail',
    example: { to: 'office@example.com', subject: 'Does it arrive?', body: 'It does.' },
  },
)
export type TestMail = Static<typeof TestMail>

export const QueuedMail = Type.Object(
  { job_id: Id, status: oneOf('queued'), to: MailAddress },
  { title: 'QueuedMail', description: 'The job is the id of the notification too.' },
)

/** So many were sent that it looks like abuse. */
export class TooManyTests extends Failure {
  declare readonly retryAfter: Date
  constructor(retryAfter: Date) {
    super('too-many-requests', 'No more test mails in this hour.', { retryAfter })
  }
}

export interface Limits {
  readonly perHour: number
  /** Where test mails may go; anywhere when empty. */
  readonly domains: readonly string[]
}

/**
 * Puts one mail on its way, in the caller's own words. One that is not counted is neither refused nor takes the place
 * of another. @throws Invalid, TooManyTests
 */
export const sendTest = (scope: Scope, limits: Limits, { to, subject, body }: TestMail, isCounted: boolean) =>
  atomically(scope, async (transaction): Promise<{ job_id: string; status: 'queued'; to: string }> => {
    refuseDomain(limits, to)
    if (isCounted) await assertFewTests(transaction, limits)
    const { name, locale } = await findAudience(transaction)
    const [row] = await insertNotifications(transaction, [
      {
        account_id: scope.accountId,
        event_id: null,
        event_position: null,
        subject_id: null,
        kind: 'test',
        channel: 'email',
        audience: 'operator',
        recipient: to,
        locale,
        subject,
        story: { organization: name, subject, body, ...(!isCounted && { uncounted: true }) },
        skipped: null,
      },
    ])
    const { id } = row!
    await enqueue(transaction, SendNotification, [{ id, payload: { notificationId: id } }])
    return { job_id: id, status: 'queued', to }
  })

async function assertFewTests(transaction: Transaction, { perHour }: Limits): Promise<void> {
  const { count, eases_at } = await testsOfTheHour(transaction)
  if (count >= perHour) throw new TooManyTests(new Date(eases_at ?? Date.now() + 3_600_000))
}

function refuseDomain({ domains }: Limits, to: string): void {
  const domain = to.slice(to.lastIndexOf('@') + 1).toLowerCase()
  if (domains.length > 0 && !domains.some((allowed) => allowed.toLowerCase() === domain))
    throw semanticError('to', 'Test mails may not be sent to this domain here.', 'domain_refused')
}
