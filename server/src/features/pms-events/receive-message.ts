import { atomically, type Scope, type Transaction } from '#db/scope.ts'
import { Unavailable, Unproven } from '#errors.ts'
import { events } from '#events.ts'
import { isUuid } from '#fields.ts'
import type { NoticeHeaders } from '#outside/pms/pms-notice.ts'
import type { PmsDirectory, Provider } from '#outside/pms/pms.ts'
import { enqueue, oneOfThem } from '#queue/job.ts'
import type { Vault } from '#secrets.ts'
import type { Credentials } from '../channel-targets/target-credentials.ts'
import { lookForTarget, placeOf, type TargetConnection } from '../channel-targets/queries.ts'
import { ActOnMessage } from './message-jobs.ts'
import { proveSender } from './prove-sender.ts'
import { keepMessage, keepUnrouted, targetsFor, type NewMessage } from './queries.ts'
import { messageIdOf, readBody, type ReadBody } from './read-body.ts'

/** What the door of the inbox needs. */
export interface Inbox extends Pick<Scope, 'database' | 'outbox'> {
  readonly vault: Vault
  readonly pms: PmsDirectory
  /** For targets without a secret of their own. */
  readonly secrets: readonly string[]
  readonly allowsUnsigned: boolean
}

export interface Received {
  readonly bytes: Buffer
  readonly headers: NoticeHeaders
  /** The target in the address, as it was written there. */
  readonly targetId: string | undefined
  readonly traceparent: string | null
  /** Counts the message for its target, or for none; false when no more are taken. */
  admit(targetId: string | null): Promise<boolean>
}

const knownForms = ['hostaway', 'channex', 'sandbox'] as const

/**
 * Keeps a message with the job that acts on it, in one transaction: when this returns true, nothing can lose it.
 * False when no more messages are taken for its target.
 * @throws Malformed, Unproven
 */
export async function receiveMessage(inbox: Inbox, received: Received): Promise<boolean> {
  const body = readBody(received.bytes)
  const given = received.targetId ?? body.value['channel_target_id']
  const guess = inbox.pms.provider(
    knownForms.find((name) => inbox.pms.provider(name).notices.knows(body.value)) ?? 'sandbox',
  )
  const named = typeof given === 'string' && isUuid(given) ? given : null
  const isMisnamed = received.targetId !== undefined && named === null
  const found = isMisnamed ? [] : await targetsFor(inbox.database, named, guess.notices.read(body.value))
  const [first, ...others] = found
  const only = others.length === 0 ? first : undefined
  if (!(await received.admit(only?.channel_target_id ?? null))) return false
  const scope: Scope = {
    orgId: '',
    accountId: null,
    actor: { type: 'service', id: 'pms', name: 'PMS' },
    traceparent: received.traceparent,
    database: inbox.database,
    outbox: inbox.outbox,
  }
  if (!only) {
    await keep(scope, inbox, received, { body, provider: guess })
    return true
  }
  await atomically({ ...scope, orgId: only.org_id }, async (transaction) => {
    const target = await lookForTarget(transaction, only.channel_target_id)
    const provider = target ? inbox.pms.provider(target.config.provider ?? 'sandbox') : guess
    await keep(transaction, inbox, received, { body, provider, target })
  })
  return true
}

interface Understood {
  readonly body: ReadBody
  readonly provider: Provider
  readonly target?: TargetConnection | undefined
}

async function keep(
  scope: Scope,
  inbox: Inbox,
  { bytes, headers }: Received,
  { body, provider, target }: Understood,
): Promise<void> {
  const signed = refuseUnproven(inbox, bytes, headers, provider, secretsFor(inbox, scope.orgId, target))
  const notice = provider.notices.read(body.value)
  const message: NewMessage = {
    source: provider.name,
    kind: notice.kind,
    messageId: messageIdOf(bytes, headers, notice),
    body: body.text,
    signed,
    occurredAt: notice.occurredAt,
  }
  const put = async (transaction: Transaction) => {
    const id = target
      ? await keepMessage(transaction, target, message)
      : await keepUnrouted(transaction, message)
    if (id === undefined) return
    if (!target) events.webhookUnrouted({ source: message.source, kind: message.kind })
    const owned = target ? { ...transaction, accountId: target.account_id } : transaction
    await enqueue(owned, oneOfThem(ActOnMessage, message.kind), [
      { payload: { messageId: id, ...(target && { targetId: target.id }), body: body.value } },
    ])
  }
  await atomically(scope, put)
}

let hasWarned = false

/** Whether the sender proved who it is. @throws Unproven when it must, and did not. */
function refuseUnproven(
  { allowsUnsigned }: Inbox,
  bytes: Buffer,
  headers: NoticeHeaders,
  { notices }: Provider,
  secrets: readonly string[],
): boolean {
  if (secrets.length > 0) {
    proveSender(bytes, headers, secrets, notices)
    return true
  }
  if (!allowsUnsigned)
    throw new Unproven('No secret is configured for this sender, and messages without one are not accepted.')
  if (!hasWarned) events.unsignedWebhooks()
  hasWarned = true
  return false
}

/** The secrets of the target, else those of the installation; two at a time, so that they rotate without a pause. */
function secretsFor({ vault, secrets }: Inbox, orgId: string, target: TargetConnection | undefined) {
  if (!target?.credentials) return secrets
  let credentials: Credentials
  try {
    credentials = vault.open<Credentials>(target.credentials, placeOf(orgId, target.id))
  } catch (cause) {
    throw new Unavailable('The secret of the webhook cannot be opened.', cause)
  }
  const own = [credentials.webhook_secret, credentials.webhook_secret_previous].filter(
    (one) => one !== undefined,
  )
  return own.length > 0 ? own : secrets
}
