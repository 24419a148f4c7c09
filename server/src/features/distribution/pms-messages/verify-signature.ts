import { Webhook } from 'standardwebhooks'
import { InvalidSignature } from '#errors.ts'
import type { NoticeHeaders, NoticeReader } from '#integrations/pms/pms-notice.ts'

/**
 * Verifies that the sender knows one of the secrets: by a Standard Webhooks signature over the bytes as received, not
 * more than five minutes old, or in the way of its provider. @throws InvalidSignature
 */
export function assertSignature(
  bytes: Buffer,
  headers: NoticeHeaders,
  secrets: readonly string[],
  { verify }: NoticeReader,
): void {
  const isSigned = headers['webhook-signature'] !== undefined
  const isVerified = secrets.some((secret) =>
    isSigned ? hasValidSignature(bytes, headers, secret) : (verify?.(headers, secret, bytes) ?? false),
  )
  if (isVerified) return
  throw new InvalidSignature(
    isSigned
      ? 'The signature does not match the body, or its timestamp is more than five minutes off.'
      : 'The message is not signed, but a secret is configured for it. Sign the message with that secret.',
  )
}

function hasValidSignature(bytes: Buffer, headers: NoticeHeaders, secret: string): boolean {
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  return signingKeys(secret).some((key) => {
    try {
      new Webhook(key, { format: 'raw' }).verify(bytes, texts, { jsonParse: false })
      return true
    } catch {
      return false
    }
  })
}

/** The standard encodes a key as base64 after `whsec_`. Without that prefix, some senders use the text as the key. */
function signingKeys(secret: string): Uint8Array[] {
  const base64 = secret.replace(/^whsec_/, '')
  const decoded = /^[\w+/-]+=*$/.test(base64)
    ? new Uint8Array(Buffer.from(base64, 'base64'))
    : new Uint8Array()
  const keys = secret === base64 ? [new Uint8Array(Buffer.from(secret)), decoded] : [decoded]
  return keys.filter(({ length }) => length > 0)
}
