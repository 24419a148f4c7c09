import type { Connection } from '#db/connect.ts'
import { Conflict, NotFound, semanticError } from '#errors.ts'
import { isUuid } from '#fields.ts'
import { isRole, roles } from '#http/permissions.ts'
import { hasOtherOwner, type Member } from './member-queries.ts'
import { lockOrganization, type LockedOrganization } from './queries.ts'

/** Changes of one organization and its members follow each other from here on. @throws NotFound */
export async function lockOrganizationOrThrow(
  connection: Connection,
  orgId: string,
): Promise<LockedOrganization> {
  const found = isUuid(orgId) ? await lockOrganization(connection, orgId) : undefined
  if (!found) throw new NotFound('organization', orgId)
  return found
}

/** Somebody must be left who may do everything. `role` is what the member becomes; null is removed. @throws Conflict */
export async function assertOwnerStays(
  connection: Connection,
  member: Member,
  role: string | null,
): Promise<void> {
  if (member.role !== 'owner' || member.status !== 'active' || role === 'owner') return
  if (await hasOtherOwner(connection, member)) return
  throw new Conflict(
    'conflict',
    `${member.email} is the last owner of this organization. Make somebody else an owner first: vacancy member role.`,
  )
}

/** @throws Invalid */
export function assertRole(role: string): void {
  if (!isRole(role)) throw semanticError('role', `The role must be one of ${roles.join(', ')}.`)
}
