import { Type, type Static } from 'typebox'
import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { DomainError, semanticError } from '#errors.ts'
import { Id, MailAddress, oneOf } from '#schema/fields.ts'
import { enqueue } from '#queue/job.ts'
import { findRecipients } from './preferences.ts'
import { insertNotifications, countRecentTests } from './queries.ts'
import { SendNotification } from './jobs.ts'

export const TestMail = Type.Object(
  {
    to: MailAddress,
    subject: Type.String({
      minLength: 1,
      maxLength: 150,
      // One line, without marks that change the direction of the text.
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
  { title: 'QueuedMail', description: '`job_id` is also the id of the notification.' },
)

/** The limit of test e-mails per hour is reached. */
export class TooManyTests extends DomainError {
  declare readonly retryAfter: Date
  constructor(retryAfter: Date) {
    super('too-many-requests', 'The limit of test e-mails per hour is reached.', { retryAfter })
  }
}

export interface TestMailLimits {
  readonly perHour: number
  /** Domains that test e-mails may be sent to; any when empty. */
  readonly domains: readonly string[]
}

/**
 * Queues an e-mail with the caller's own text. With `isCounted` false it ignores the limit and does not count towards it.
 * @throws Invalid, TooManyTests
 */
export const sendTest = (
  scope: Scope,
  limits: TestMailLimits,
  { to, subject, body }: TestMail,
  isCounted: boolean,
) =>
  atomically(scope, async (transaction): Promise<{ job_id: string; status: 'queued'; to: string }> => {
    assertAllowedDomain(limits, to)
    if (isCounted) await assertBelowLimit(transaction, limits)
    const { name, locale } = await findRecipients(transaction)
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
        data: { organization: name, subject, body, ...(!isCounted && { uncounted: true }) },
        skipped: null,
      },
    ])
    const { id } = row!
    await enqueue(transaction, SendNotification, [{ id, payload: { notificationId: id } }])
    return { job_id: id, status: 'queued', to }
  })

async function assertBelowLimit(transaction: Transaction, { perHour }: TestMailLimits): Promise<void> {
  const { count, retry_at } = await countRecentTests(transaction)
  if (count >= perHour) throw new TooManyTests(new Date(retry_at ?? Date.now() + 3_600_000))
}

function assertAllowedDomain({ domains }: TestMailLimits, to: string): void {
  const domain = to.slice(to.lastIndexOf('@') + 1).toLowerCase()
  if (domains.length > 0 && !domains.some((allowed) => allowed.toLowerCase() === domain))
    throw semanticError('to', 'Test e-mails to this domain are not allowed.', 'domain_refused')
}
