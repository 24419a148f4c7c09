import { Webhook } from 'standardwebhooks'
import { Unproven } from '#errors.ts'
import type { NoticeHeaders, NoticeReader } from '#outside/pms/pms-notice.ts'

/**
 * Whether the sender knows one of the secrets: by a signature as Standard Webhooks has it, over the very bytes and not
 * more than five minutes old, or in its provider's own way. @throws Unproven
 */
export function proveSender(
  bytes: Buffer,
  headers: NoticeHeaders,
  secrets: readonly string[],
  { proves }: NoticeReader,
): void {
  const isSigned = headers['webhook-signature'] !== undefined
  const isProved = secrets.some((secret) =>
    isSigned ? verifies(bytes, headers, secret) : (proves?.(headers, secret) ?? false),
  )
  if (isProved) return
  throw new Unproven(
    isSigned
      ? 'The signature does not fit the body, or its timestamp is more than five minutes off.'
      : 'The message is not signed, and a secret is configured for it.',
  )
}

function verifies(bytes: Buffer, headers: NoticeHeaders, secret: string): boolean {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  return keysOf(secret).some((key) => {
    try {
      new Webhook(key, { format: 'raw' }).verify(bytes, given, { jsonParse: false })
      return true
    } catch {
      return false
    }
  })
}

/** The standard writes a key in base64 behind `whsec_`; without that, some senders mean the text itself. */
function keysOf(secret: string): Uint8Array[] {
  const base64 = secret.replace(/^whsec_/, '')
  const decoded = /^[\w+/-]+=*$/.test(base64)
    ? new Uint8Array(Buffer.from(base64, 'base64'))
    : new Uint8Array()
  const keys = secret === base64 ? [new Uint8Array(Buffer.from(secret)), decoded] : [decoded]
  return keys.filter(({ length }) => length > 0)
}
