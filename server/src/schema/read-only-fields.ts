import { isDeepStrictEqual } from 'node:util'
import { BadRequest } from '#errors.ts'

/**
 * A client may send a record back as it read it. Read-only fields are then ignored, but another id or organization is
 * rejected. @throws BadRequest
 */
export function assertSameIdentity(scope: { readonly orgId: string }, body: object, id?: string): void {
  const { id: givenId, org_id: givenOrg } = body as { id?: unknown; org_id?: unknown }
  if (givenId !== undefined && givenId !== null && givenId !== id) throw readOnly('id')
  if (givenOrg !== undefined && givenOrg !== null && givenOrg !== scope.orgId) throw readOnly('org_id')
}

/**
 * Read-only fields in a body must equal those of the record before or after the change. Any other value would be dropped
 * silently. @throws BadRequest
 */
export function assertUnchanged(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
  ...records: readonly object[]
): void {
  const other = names.find(
    (name) =>
      isGiven(given[name]) &&
      records.every((record) => !isDeepStrictEqual(given[name], (record as Record<string, unknown>)[name])),
  )
  if (other) throw readOnly(other)
}

const isGiven = (value: unknown) => value !== undefined && value !== null

const readOnly = (member: string) => {
  const message = `${member} is decided by the service and cannot be set.`
  return new BadRequest('validation-error', message, {
    errors: [{ pointer: `/${member}`, code: 'read_only', message }],
  })
}

const readOnlyMembers = [
  'id',
  'org_id',
  'created_at',
  'updated_at',
  'last_synced_at',
  'last_health_check_at',
  'error_message',
  'space',
  'unit',
  'channel_target',
] as const

/** The fields that a client may change. */
export function withoutReadOnlyFields<Body extends object>(
  body: Body,
): Omit<Body, (typeof readOnlyMembers)[number]> {
  const rest = { ...body } as Record<string, unknown>
  for (const member of readOnlyMembers) delete rest[member]
  return rest as unknown as Omit<Body, (typeof readOnlyMembers)[number]>
}
