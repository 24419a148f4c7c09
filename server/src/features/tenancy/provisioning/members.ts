import type { Config } from '#config/config.ts'
import { Conflict, NotFound, semanticError } from '#errors.ts'
import { isRole, roles } from '#http/permissions.ts'
import { isMailAddress } from '#schema/fields.ts'
import { asOwner } from './provision.ts'
import {
  assertOwnerStays,
  findMember,
  findMemberOfSubject,
  listMemberRows,
  lockOrganization,
  oldestAccount,
  updateMember,
  upsertMember,
  type Member,
} from './queries.ts'

type DatabaseConfig = Pick<Config, 'database'>
type MemberKey = Pick<MemberOptions, 'orgId' | 'email'>

export interface MemberOptions {
  orgId: string
  email: string
  role: string
  name?: string
  /** The `sub` of the person's tokens. Without it, the first sign-in with the verified e-mail address sets it. */
  subject?: string
}

/**
 * Adds a member, brings back one who was removed, or changes the one with that e-mail address.
 * @throws NotFound, Invalid, Conflict
 */
export async function addMember(
  config: Pick<Config, 'database' | 'identity'>,
  { orgId, email, role, name, subject }: MemberOptions,
): Promise<{ member: Member }> {
  if (!isMailAddress(email)) throw semanticError('email', `${email} is not a deliverable e-mail address.`)
  assertRole(role)
  const { issuer } = config.identity
  return await asOwner(config, async (connection) => {
    await lockOrganization(connection, orgId)
    const before = await findMember(connection, orgId, email)
    if (before) await assertOwnerStays(connection, before, role)
    const memberOfSubject = subject
      ? await findMemberOfSubject(connection, orgId, { issuer, subject })
      : undefined
    if (memberOfSubject && memberOfSubject.id !== before?.id)
      throw new Conflict(
        'conflict',
        `The subject ${subject} already belongs to the member ${memberOfSubject.email}.`,
      )
    const accountId = await oldestAccount(connection, orgId)
    const identity = subject ? { issuer, subject } : { issuer: null, subject: null }
    return {
      member: await upsertMember(connection, {
        orgId,
        accountId: accountId!,
        email,
        name: name ?? null,
        role,
        ...identity,
      }),
    }
  })
}

/** @throws NotFound */
export const listMembers = (config: DatabaseConfig, orgId: string): Promise<Member[]> =>
  asOwner(config, async (connection) => {
    await lockOrganization(connection, orgId)
    return await listMemberRows(connection, orgId)
  })

/** @throws NotFound, Invalid, or Conflict when no owner would be left or the member was removed. */
export async function changeRole(
  config: DatabaseConfig,
  options: MemberKey & { role: string },
): Promise<Member> {
  const { role, ...name } = options
  assertRole(role)
  return await changeMember(config, name, { role })
}

/** The record stays, so that a token that names this organization is still rejected. @throws NotFound, Conflict */
export const removeMember = (config: DatabaseConfig, name: MemberKey): Promise<Member> =>
  changeMember(config, name, { status: 'removed' })

const changeMember = (
  config: DatabaseConfig,
  { orgId, email }: MemberKey,
  change: { role?: string; status?: 'removed' },
): Promise<Member> =>
  asOwner(config, async (connection) => {
    await lockOrganization(connection, orgId)
    const before = await findMember(connection, orgId, email)
    if (!before)
      throw new NotFound('member', email, `${email} is not a member of this organization: see member list.`)
    if (change.role && before.status === 'removed')
      throw new Conflict('conflict', `${before.email} was removed; member add brings a member back.`)
    await assertOwnerStays(connection, before, change.role ?? null)
    return await updateMember(connection, before, change)
  })

/** @throws Invalid */
function assertRole(role: string): void {
  if (!isRole(role)) throw semanticError('role', `The role must be one of ${roles.join(', ')}.`)
}
