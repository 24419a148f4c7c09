import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '#http/idempotency.ts'

/** Of a preview, after which the change must be previewed again. */
const confirmationMinutes = 15

/** Which change is confirmed, by whom, and what its preview showed. */
export interface Change {
  readonly orgId: string
  readonly userId: string
  readonly tool: string
  readonly values: object
  readonly preview: unknown
}

export type Confirmations = ReturnType<typeof openConfirmations>

/**
 * Confirmations of previewed changes: the time until which one is valid, and a keyed hash of the change and its preview.
 * They are not stored. A confirmation fits only the same caller, arguments and preview.
 *
 * @param keys the secret keys of the service, the current one first
 */
export function openConfirmations(keys: readonly { readonly bytes: Uint8Array }[]) {
  const derived = keys.map(({ bytes }) => Buffer.from(hkdfSync('sha256', bytes, '', 'confirmation', 32)))
  const sign = (change: Change, until: string, key: Buffer) =>
    createHmac('sha256', key)
      .update(canonicalJson([until, change]))
      .digest('base64url')
  return {
    issue(change: Change): { confirmation: string; valid_until: string } {
      const until = new Date(Date.now() + confirmationMinutes * 60_000).toISOString()
      return { confirmation: `${Date.parse(until)}.${sign(change, until, derived[0]!)}`, valid_until: until }
    },
    /** An Idempotency-Key. Only the same confirmation and arguments of the same caller have it, whatever a preview shows now. */
    keyOf(confirmation: string, { userId, tool, values }: Omit<Change, 'preview'>): string {
      const confirmed = canonicalJson([confirmation, userId, tool, values])
      return `agent.${hash('sha256', confirmed, 'base64url')}`
    },
    isValid(confirmation: string, change: Change): boolean {
      const [milliseconds, signature] = confirmation.split('.')
      const time = Number(milliseconds)
      if (!signature || !Number.isSafeInteger(time) || time < Date.now()) return false
      const given = Buffer.from(signature)
      return derived
        .map((key) => Buffer.from(sign(change, new Date(time).toISOString(), key)))
        .some((expected) => expected.length === given.length && timingSafeEqual(expected, given))
    },
  }
}
