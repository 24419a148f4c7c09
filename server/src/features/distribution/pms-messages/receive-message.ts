import { randomUUID } from 'node:crypto'
import { atomically, violates, type Scope } from '#db/scope.ts'
import { Unavailable, InvalidSignature } from '#errors.ts'
import { events } from '#telemetry/log.ts'
import { isUuid } from '#schema/fields.ts'
import type { Notice, NoticeHeaders } from '#integrations/pms/pms-notice.ts'
import {
  planSupport,
  type PmsDirectory,
  type Provider,
  type ProviderName,
} from '#integrations/pms/pms-provider.ts'
import { enqueue, jobVariant } from '#queue/job.ts'
import type { Vault } from '#secrets/vault.ts'
import {
  credentialsContext,
  type Credentials,
} from '#features/distribution/channel-targets/target-credentials.ts'
import { providerOf } from '#features/distribution/pms-access/connect.ts'
import { getTargetConnection, type TargetConnection } from '#features/distribution/channel-targets/queries.ts'
import { ProcessMessage } from './jobs.ts'
import { assertSignature } from './verify-signature.ts'
import {
  isStored,
  listCandidateTargets,
  saveMessage,
  saveUnroutedMessage,
  type NewMessage,
  type TargetRef,
} from './queries.ts'
import { messageIdFor, parseBody, type ParsedBody } from './parse-body.ts'

/** What receiving a message needs. */
export interface InboxContext extends Pick<Scope, 'database'> {
  /** The organization of a target, from a cache. */
  targetOwner(targetId: string): Promise<{ orgId: string } | null>
  readonly vault: Vault
  readonly pms: PmsDirectory
  /** For targets without a secret of their own. */
  readonly secrets: readonly string[]
  readonly allowsUnsigned: boolean
}

export interface IncomingMessage {
  readonly bytes: Buffer
  readonly headers: NoticeHeaders
  /** The target in the address, as the sender wrote it. */
  readonly targetId: string | undefined
  readonly traceparent: string | null
  /** Counts the message for its target, or for no target; false when the rate limit is reached. */
  admit(targetId: string | null): Promise<boolean>
}

/** The generic format matches any body. */
const ownFormats = (Object.keys(planSupport) as ProviderName[]).filter((name) => name !== 'generic')

/**
 * Stores a message with the job that processes it, in one transaction: once this returns true, the message cannot be
 * lost. Returns false when the rate limit of its target is reached.
 * @throws BadRequest, InvalidSignature
 */
export async function receiveMessage(context: InboxContext, message: IncomingMessage): Promise<boolean> {
  const body = parseBody(message.bytes)
  const givenId = message.targetId ?? body.value['channel_target_id']
  const assumedProvider = context.pms.getProvider(
    ownFormats.find((name) => context.pms.getProvider(name).noticeReader.matches(body.value)) ?? 'generic',
  )
  const targetId = typeof givenId === 'string' && isUuid(givenId) ? givenId : null
  const isInvalidId = message.targetId !== undefined && targetId === null
  const candidate = isInvalidId
    ? undefined
    : await findTarget(context, targetId, assumedProvider.noticeReader.parse(body.value))
  if (!(await message.admit(candidate?.channel_target_id ?? null))) return false
  const scope: Scope = {
    orgId: '',
    accountId: null,
    actor: { type: 'service', id: 'pms', name: 'PMS' },
    traceparent: message.traceparent,
    database: context.database,
  }
  let isRouted = false
  try {
    isRouted =
      candidate !== undefined &&
      (await atomically({ ...scope, orgId: candidate.org_id }, async (transaction) => {
        const target = await getTargetConnection(transaction, candidate.channel_target_id)
        // It was deleted a moment ago.
        if (!target) return false
        const provider = providerOf(context, target)
        await storeMessage(transaction, context, message, { body, provider, target })
        return true
      }))
  } catch (error) {
    // It was deleted meanwhile.
    if (!violates(error, '23503')) throw error
  }
  if (!isRouted) await storeMessage(scope, context, message, { body, provider: assumedProvider })
  return true
}

/** The only target that the message may be for. One that it names is looked up in a cache first. */
async function findTarget(
  { database, targetOwner }: InboxContext,
  targetId: string | null,
  notice: Notice,
): Promise<TargetRef | undefined> {
  const owner = targetId === null ? null : await targetOwner(targetId)
  if (owner) return { org_id: owner.orgId, channel_target_id: targetId! }
  const candidates = await listCandidateTargets(database, targetId, notice)
  return candidates.length === 1 ? candidates[0] : undefined
}

interface ParsedMessage {
  readonly body: ParsedBody
  readonly provider: Provider
  readonly target?: TargetConnection | undefined
}

async function storeMessage(
  scope: Scope,
  context: InboxContext,
  { bytes, headers }: IncomingMessage,
  { body, provider, target }: ParsedMessage,
): Promise<void> {
  const signed = verifySender(context, bytes, headers, provider, secretsFor(context, scope.orgId, target))
  const notice = provider.noticeReader.parse(body.value)
  const message: NewMessage = {
    source: provider.name,
    kind: notice.kind,
    messageId: messageIdFor(bytes, headers, notice),
    body: body.text,
    signed,
    occurredAt: notice.occurredAt,
  }
  await atomically(scope, async (transaction) => {
    const process = jobVariant(ProcessMessage, message.kind)
    if (target) {
      const id = randomUUID()
      const payload = { messageId: id, targetId: target.id, body: body.value }
      saveMessage(transaction, target, message, id)
      const owned = { ...transaction, accountId: target.account_id }
      return await enqueue(owned, { ...process, onlyIf: isStored(transaction, id) }, [{ payload }])
    }
    const id = await saveUnroutedMessage(transaction, message)
    if (id === undefined) return
    events.pmsMessageUnrouted({ source: message.source, kind: message.kind })
    await enqueue(transaction, process, [{ payload: { messageId: id, body: body.value } }])
  })
}

let hasWarned = false

/** Returns whether the message is signed. @throws InvalidSignature when a required signature is missing or wrong */
function verifySender(
  { allowsUnsigned }: InboxContext,
  bytes: Buffer,
  headers: NoticeHeaders,
  { noticeReader }: Provider,
  secrets: readonly string[],
): boolean {
  if (secrets.length > 0) {
    assertSignature(bytes, headers, secrets, noticeReader)
    return true
  }
  if (!allowsUnsigned)
    throw new InvalidSignature(
      'No secret is configured for this sender, and unsigned messages are not accepted.',
    )
  if (!hasWarned) events.unsignedMessagesAccepted()
  hasWarned = true
  return false
}

/** The secrets of the target, else those of the installation. Two are valid at a time, so that they can be rotated. */
function secretsFor({ vault, secrets }: InboxContext, orgId: string, target: TargetConnection | undefined) {
  if (!target?.credentials) return secrets
  let credentials: Credentials
  try {
    credentials = vault.open<Credentials>(target.credentials, credentialsContext(orgId, target.id))
  } catch (cause) {
    throw new Unavailable('The webhook secret of the channel target cannot be decrypted.', cause)
  }
  const own = [credentials.webhook_secret, credentials.webhook_secret_previous].filter(
    (one) => one !== undefined,
  )
  return own.length > 0 ? own : secrets
}
