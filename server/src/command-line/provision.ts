// Organizations, their settings and their members, since the API has no calls to change them.
import { changeRole, listMembers, removeMember } from '#features/provisioning/members.ts'
import {
  changeOrganization,
  listOrganizations,
  showOrganization,
  type OrganizationChanges,
  type OrganizationRecord,
} from '#features/provisioning/organizations.ts'
import { describeSettings } from '#features/provisioning/organization-settings.ts'
import { addMember, createOrganization } from '#features/provisioning/provision.ts'
import { configOf } from './product.ts'
import type { Surroundings } from './surroundings.ts'
import { table } from './table.ts'

type Answer = [facts: object, text: string]
export type OrganizationOptions = {
  name: string
  tier: 'free' | 'paid' | 'enterprise'
  currency?: string
  timezone?: string
}
export type MemberOptions = { org: string; email: string; role: string; name?: string; subject?: string }

export async function createOrganizationFor(
  around: Surroundings,
  options: OrganizationOptions,
): Promise<Answer> {
  const created = await createOrganization(configOf(around), options)
  const { organization, account } = created
  const next = `npx vacancy member add --org ${organization.id} --email <email> --role owner`
  return [
    created,
    `Created ${organization.name}: organization ${organization.id}, account ${account.id}.\nNext: ${next}`,
  ]
}

export async function listOrganizationsFor(around: Surroundings): Promise<Answer> {
  const organizations = await listOrganizations(configOf(around))
  const lines = organizations.map(({ id, name, tier, members }) => [id, name, tier, String(members)])
  return [{ organizations }, table([['Id', 'Name', 'Tier', 'Members'], ...lines])]
}

export async function showOrganizationFor(around: Surroundings, orgId: string): Promise<Answer> {
  return described(await showOrganization(configOf(around), orgId))
}

export async function setOrganizationFor(
  around: Surroundings,
  orgId: string,
  changes: OrganizationChanges,
): Promise<Answer> {
  return described(await changeOrganization(configOf(around), orgId, changes))
}

const described = (organization: OrganizationRecord): Answer => {
  const { id, name, tier, settings } = organization
  return [
    { organization },
    table([['Organization', `${name} (${id})`], ['Tier', tier], ...describeSettings(settings)]),
  ]
}

export async function addMemberFor(
  around: Surroundings,
  { org, ...options }: MemberOptions,
): Promise<Answer> {
  const added = await addMember(configOf(around), { orgId: org, ...options })
  return [added, `${options.email} may now act for ${org} as ${options.role}.`]
}

export async function listMembersFor(around: Surroundings, orgId: string): Promise<Answer> {
  const members = await listMembers(configOf(around), orgId)
  const lines = members.map(({ email, name, role, status, subject }) => [
    email,
    name ?? '',
    role,
    status === 'active' && subject === null ? 'not signed in yet' : status,
  ])
  const text =
    lines.length > 0
      ? table([['Address', 'Name', 'Role', 'Status'], ...lines])
      : 'No members on record: whoever acts for it does so by the claims of their tokens.'
  return [{ members }, text]
}

export async function changeRoleFor(
  around: Surroundings,
  { org, email, role }: MemberOptions,
): Promise<Answer> {
  const member = await changeRole(configOf(around), { orgId: org, email, role })
  return [{ member }, `${member.email} now acts for ${org} as ${member.role}.`]
}

export async function removeMemberFor(around: Surroundings, { org, email }: MemberOptions): Promise<Answer> {
  const member = await removeMember(configOf(around), { orgId: org, email })
  return [{ member }, `${member.email} may no longer act for ${org}.`]
}
