import { isDeepStrictEqual } from 'node:util'
import type { Scope } from '#db/scope.ts'
import { Malformed } from '#errors.ts'

/**
 * A client may send a record back as it read it. Members that the service decides are then ignored, but an
 * identity that differs is refused: nobody moves a record to another id or organization by accident.
 */
export function refuseForeignIdentity(scope: Scope, body: object, id?: string): void {
  const { id: givenId, org_id: givenOrg } = body as { id?: unknown; org_id?: unknown }
  if (givenId !== undefined && givenId !== null && givenId !== id) throw readOnly('id')
  if (givenOrg !== undefined && givenOrg !== null && givenOrg !== scope.orgId) throw readOnly('org_id')
}

/**
 * Members that a body repeats although the service decides them must be as the record has them, before the change or after
 * it: anything else would be dropped without a word. @throws Malformed
 */
export function assertRepeats(
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
  return new Malformed('validation-error', message, {
    faults: [{ pointer: `/${member}`, code: 'read_only', message }],
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

/** The members that a client may change. */
export function withoutEchoes<Body extends object>(body: Body): Omit<Body, (typeof readOnlyMembers)[number]> {
  const rest = { ...body } as Record<string, unknown>
  for (const member of readOnlyMembers) delete rest[member]
  return rest as unknown as Omit<Body, (typeof readOnlyMembers)[number]>
}
