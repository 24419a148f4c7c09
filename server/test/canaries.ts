import { hash } from 'node:crypto'

/** Secrets that are found wherever they leak to, whole or in part: each has the same unlikely beginning. */

const mark = /qZ7\w{3}4K/
const canary = (name: string) => `qZ7${name}4K-+/=%&"'<key>`

export const canaries = {
  sandbox: canary('sbx'),
  channex: canary('chx'),
  hostaway: canary('hwy'),
  /** What Hostaway gives for the key. */
  token: 'qZ7tok4K.given-for-a-key',
  feed: 'qZ7fee4K-in-the-address',
  internal: 'qZ7int4K-of-neighbours',
  payments: 'qZ7pay4K-of-payments',
  notices: 'qZ7not4K-of-notices',
  webhooks: 'qZ7whk4K-of-webhooks',
  mail: 'qZ7sml4K-of-mail',
  sms: 'qZ7sms4K-of-texts',
  bucket: 'qZ7s3b4K-of-the-bucket',
  figures: 'qZ7met4K-of-the-figures',
  collector: 'qZ7otl4K-of-the-collector',
  redis: 'qZ7red4K-of-redis',
} as const

export const hostawayAccount = '10777'

/** What can be made of a secret without knowing it, and would give it away. */
const disguises = Object.values(canaries).flatMap((secret) => [
  Buffer.from(secret.slice(0, 9)).toString('hex'),
  ...[0, 1, 2].map((shift) => insideOf(Buffer.from(`${'.'.repeat(shift)}${secret}`).toString('base64'))),
  hash('sha256', secret),
])

/** The hash of a message of which all but the key is known is as good as the key, for who has guesses. */
const tokenRequest = new URLSearchParams({
  grant_type: 'client_credentials',
  client_id: hostawayAccount,
  client_secret: canaries.hostaway,
  scope: 'general',
})

const traces = [...disguises, hash('sha256', tokenRequest.toString())]

/** Where a secret shows in a text, with what stands around it; null when none does. */
export function secretIn(text: string, others: readonly string[] = []): string | null {
  const at = [text.search(mark), ...[...traces, ...others].map((trace) => text.indexOf(trace))].find(
    (found) => found >= 0,
  )
  return at === undefined ? null : text.slice(Math.max(0, at - 200), at + 80)
}

/** The part of the base64 that does not depend on what stands before and after. */
function insideOf(base64: string): string {
  return base64.slice(4, 12)
}
