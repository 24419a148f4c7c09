import { randomBytes } from 'node:crypto'
import type { Vault } from '#secrets/vault.ts'
import { addressContext, hashToken } from '#features/distribution/calendar-feeds/calendar-feed.ts'
import { generateSecret, placeOf } from '#features/messaging/webhooks/webhook-endpoint.ts'

/** The address of an imported calendar until the operator enters it again. */
const unknownAddress = 'https://address-not-exported.invalid/calendar.ics'

/**
 * Gives a record a new secret, where a record cannot be without one and the export leaves it out: no one knows the new one,
 * so the operator creates or enters another before switching the record on.
 */
export function withPlaceholderSecret(vault: Vault, orgId: string, table: string, line: string): string {
  if (table !== 'calendar_feeds' && table !== 'webhook_endpoints') return line
  const record = JSON.parse(line) as { id: string; direction?: string }
  if (table === 'webhook_endpoints')
    return JSON.stringify({
      ...record,
      secret: toHex(vault.seal(generateSecret(), placeOf(orgId, record.id))),
    })
  const token = record.direction === 'export' ? randomBytes(32).toString('base64url') : null
  return JSON.stringify({
    ...record,
    address: toHex(vault.seal(token ?? unknownAddress, addressContext(orgId, record.id))),
    token_hash: token === null ? null : toHex(hashToken(token)),
  })
}

/** As PostgreSQL reads a `bytea`. */
const toHex = (bytes: Buffer) => `\\x${bytes.toString('hex')}`
