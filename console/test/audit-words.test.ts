import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'

import { codeWords } from '../src/pages/audit/code-words.ts'
import { eventWords } from '../src/pages/audit/event-words.ts'
import { fieldWords } from '../src/pages/audit/field-words.ts'
import { auditMessages } from '../src/pages/audit/messages.ts'
import { unitTypeMessages } from '../src/i18n/record-messages.ts'

interface Schema {
  readonly $ref?: string
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
}

const file = new URL('../../openapi.json', import.meta.url)
const { schemas } = (
  JSON.parse(readFileSync(file, 'utf8')) as { components: { schemas: Record<string, Schema> } }
).components

/** The records that the audit log is about. */
const records = [
  ...[
    'Account',
    'CalendarFeed',
    'ChannelListing',
    'ChannelTarget',
    'Charge',
    'Media',
    'Member',
    'Organization',
  ],
  ...['RatePlan', 'Season', 'Space', 'Unit', 'WebhookEndpoint', 'PaymentIntent', 'PaymentRefund', 'Booking'],
]
/** Members that the audit log leaves out, or shows without their name. */
const unnamed = new Set([
  ...['id', 'org_id', 'created_at', 'updated_at', 'createdAt', 'updatedAt', 'url', 'date_from', 'date_to'],
  ...['error_message', 'last_health_check_at', 'last_fetched_at', 'last_synced_at', 'last_delivery_at'],
  ...['failing_since', 'blocks', 'held', 'checksum', 'renditions', 'client_secret', 'dispute'],
  ...['unit', 'space', 'channel_target', 'api_key', 'webhook_secret', 'webhook_secret_previous'],
])
/** Values that are names of formats, or have words of their own. */
const wordless = new Set(['content_type', 'name', 'event_types', 'weekdays'])

const members = new Set<string>()
const codes: [string, string][] = []

function collect(schema: Schema, name: string, seen: readonly string[]) {
  if (schema.$ref) {
    if (seen.includes(schema.$ref)) return
    collect(schemas[schema.$ref.split('/').at(-1) as string] as Schema, name, [...seen, schema.$ref])
  }
  for (const code of schema.enum ?? []) if (typeof code === 'string') codes.push([name, code])
  for (const part of [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])])
    collect(part, name, seen)
  if (schema.items) collect(schema.items, name, seen)
  for (const [member, inner] of Object.entries(schema.properties ?? {})) {
    members.add(member)
    if (!unnamed.has(member)) collect(inner, member, seen)
  }
}
for (const record of records) collect({ $ref: `#/components/schemas/${record}` }, '', [])

const known = (words: { en: object }, name: string) => Object.hasOwn(words.en, name)

suite('words of the audit log', () => {
  test('every member of a record has a name', () => {
    assert.deepEqual(
      [...members].filter((name) => !unnamed.has(name) && !known(fieldWords, name)),
      [],
    )
  })

  test('every code has a word', () => {
    assert.deepEqual(
      codes.filter(
        ([name, code]) =>
          !wordless.has(name) &&
          !known(codeWords, code) &&
          !known(codeWords, `${name}_${code}`) &&
          !(name === 'type' && known(unitTypeMessages, code)),
      ),
      [],
    )
  })

  test('every part of the type of an event has a word', () => {
    const parts = codes.flatMap(([name, code]) => (name === 'event_types' ? code.split('.') : []))
    assert.deepEqual(
      parts.filter((part) => part !== '*' && !known(eventWords, part) && !known(codeWords, part)),
      [],
    )
  })

  test('every kind of record has a word', () => {
    const kinds = schemas['AuditLogEntry']?.properties?.['kind']?.enum as string[]
    assert.deepEqual(
      kinds.filter((kind) => !known(auditMessages, kind)),
      [],
    )
  })
})
