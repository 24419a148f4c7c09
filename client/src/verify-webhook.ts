import type { WebhookEvent } from './contract/types.gen.ts'

/** The message was not sent by Vacancy with this secret, or it was sent too long ago. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
}

type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>

export interface VerifyWebhookOptions {
  /** How old a message may be, and how far in the future: 300 by default. */
  toleranceSeconds?: number
}

/**
 * Verifies the signature of a webhook, as Standard Webhooks specifies it, and returns its event. `body` is the body as
 * it was received, before any parsing. While a secret is rotated, give both.
 * @throws WebhookVerificationError
 */
export const verifyWebhook = async (
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300 }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> => {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  const ageSeconds = Math.abs(Date.now() / 1_000 - Number(timestamp))
  if (!/^\d+$/.test(timestamp) || ageSeconds > toleranceSeconds)
    throw new WebhookVerificationError(
      `The header webhook-timestamp is not within ${toleranceSeconds} s of now`,
    )
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  for (const one of typeof secret === 'string' ? [secret] : secret)
    if (await isSignedWith(one, signed, signatures)) return JSON.parse(text) as WebhookEvent
  throw new WebhookVerificationError('No signature in the header webhook-signature matches')
}

const headerOf = (headers: WebhookHeaders, name: string): string => {
  const given = headers instanceof Headers ? headers.get(name) : findHeader(headers, name)
  const value = [given].flat().join(' ')
  if (!value) throw new WebhookVerificationError(`The header ${name} is missing`)
  return value
}

const findHeader = (headers: Exclude<WebhookHeaders, Headers>, name: string) =>
  Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]

/** The header has a signature for each secret that is valid at the moment. */
const isSignedWith = async (
  secret: string,
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
): Promise<boolean> => {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (!bytes) throw new TypeError('The secret of a webhook is whsec_ and Base64')
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',')
    const given = version === 'v1' ? fromBase64(value) : null
    // Compares in constant time.
    if (given && (await crypto.subtle.verify('HMAC', key, given, signed))) return true
  }
  return false
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | null => {
  try {
    const binary = atob(text)
    return binary === '' ? null : Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
