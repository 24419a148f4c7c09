import type { Config } from '#config.ts'
import { Conflict, NotFound } from '#errors.ts'
import { findMember, listMemberRows, updateMember, type Member } from './member-queries.ts'
import { assertOwnerStays, assertRole, lockOrganizationOrThrow } from './member-rules.ts'
import { asOwner, type MemberOptions } from './provision.ts'

type Settings = Pick<Config, 'database'>
type MemberName = Pick<MemberOptions, 'orgId' | 'email'>

/** @throws NotFound */
export const listMembers = (config: Settings, orgId: string): Promise<Member[]> =>
  asOwner(config, async (connection) => {
    await lockOrganizationOrThrow(connection, orgId)
    return await listMemberRows(connection, orgId)
  })

/** @throws NotFound, Invalid, or Conflict when no owner would be left or the member was removed. */
export async function changeRole(config: Settings, options: MemberName & { role: string }): Promise<Member> {
  const { role, ...name } = options
  assertRole(role)
  return await changeMember(config, name, { role })
}

/** The record stays: a token whose claims name this organization opens nothing. @throws NotFound, Conflict */
export const removeMember = (config: Settings, name: MemberName): Promise<Member> =>
  changeMember(config, name, { status: 'removed' })

const changeMember = (
  config: Settings,
  { orgId, email }: MemberName,
  change: { role?: string; status?: 'removed' },
): Promise<Member> =>
  asOwner(config, async (connection) => {
    await lockOrganizationOrThrow(connection, orgId)
    const before = await findMember(connection, orgId, email)
    if (!before)
      throw new NotFound('member', email, `${email} is not a member of this organization: see member list.`)
    if (change.role && before.status === 'removed')
      throw new Conflict('conflict', `${before.email} was removed; member add brings a member back.`)
    await assertOwnerStays(connection, before, change.role ?? null)
    return await updateMember(connection, before, change)
  })
