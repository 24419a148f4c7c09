/** Creates and changes organizations and members, for which the API has no operations. */
import { addMember, changeRole, listMembers, removeMember } from '#features/tenancy/provisioning/members.ts'
import {
  changeOrganization,
  createOrganization,
  listOrganizations,
  showOrganization,
  type OrganizationChanges,
  type OrganizationRecord,
} from '#features/tenancy/provisioning/organizations.ts'
import { describeSettings } from '#features/tenancy/provisioning/organization-settings.ts'
import type { Member } from '#features/tenancy/provisioning/queries.ts'
import { addSandboxPerson } from '#start/sandbox-people.ts'
import { homeOf } from './product.ts'
import { configOf } from './product-config.ts'
import type { CommandContext } from './command-context.ts'
import { table } from './command-context.ts'

type CommandResult = [facts: object, text: string]
export interface OrganizationOptions {
  name: string
  tier: 'free' | 'paid' | 'enterprise'
  currency?: string
  timezone?: string
  identityId?: string
}
export interface MemberOptions {
  org: string
  email: string
  role: string
  name?: string
  subject?: string
}

export async function createOrganizationFor(
  context: CommandContext,
  options: OrganizationOptions,
): Promise<CommandResult> {
  const created = await createOrganization(configOf(context), options)
  const { organization, account } = created
  const next = `npx vacancy member add --org ${organization.id} --email <email> --role owner`
  return [
    created,
    `Created ${organization.name}: organization ${organization.id}, account ${account.id}.\nNext: ${next}`,
  ]
}

export async function listOrganizationsFor(context: CommandContext): Promise<CommandResult> {
  const organizations = await listOrganizations(configOf(context))
  const lines = organizations.map(({ id, name, tier, members }) => [id, name, tier, String(members)])
  return [{ organizations }, table([['Id', 'Name', 'Tier', 'Members'], ...lines])]
}

export async function showOrganizationFor(context: CommandContext, orgId: string): Promise<CommandResult> {
  return organizationResult(await showOrganization(configOf(context), orgId))
}

export async function setOrganizationFor(
  context: CommandContext,
  orgId: string,
  changes: OrganizationChanges,
): Promise<CommandResult> {
  return organizationResult(await changeOrganization(configOf(context), orgId, changes))
}

const organizationResult = (organization: OrganizationRecord): CommandResult => {
  const { id, name, tier, settings, identity_id } = organization
  const rows: [string, string][] = [
    ['Organization', `${name} (${id})`],
    ['Tier', tier],
    ['At the identity provider', identity_id ?? 'none'],
  ]
  return [{ organization }, table([...rows, ...describeSettings(settings)])]
}

export async function addMemberFor(
  context: CommandContext,
  { org, ...options }: MemberOptions,
): Promise<CommandResult> {
  const config = configOf(context)
  const added = await addMember(config, { orgId: org, ...options })
  const text = `${options.email} may now act for ${org} as ${options.role}.`
  if (context.env['DATABASE_URL']) return [added, text]
  const { name } = await showOrganization(config, org)
  return [added, [text, ...letSignIn(context, added.member, name)].join('\n')]
}

/** A product with the sandbox knows its people only by a list. */
function letSignIn(context: CommandContext, member: Member, orgName: string): string[] {
  const home = homeOf(context)
  const person = addSandboxPerson(home, { ...member, org_name: orgName })
  if (!person) return []
  return [person, ...(person.other_orgs ?? [])].some(({ org_id }) => org_id === member.org_id)
    ? [`Sign in as ${person.name} at ${home.readRunning()?.api_url}, or with npx vacancy login.`]
    : [`At the sandbox ${person.name} signs in to ${person.org_name} only: add another address.`]
}

export async function listMembersFor(context: CommandContext, orgId: string): Promise<CommandResult> {
  const members = await listMembers(configOf(context), orgId)
  const lines = members.map(({ email, name, role, status, subject }) => [
    email,
    name ?? '',
    role,
    status === 'active' && subject === null ? 'not signed in yet' : status,
  ])
  const text =
    lines.length > 0
      ? table([['Address', 'Name', 'Role', 'Status'], ...lines])
      : 'No stored members: access is decided by the claims of the tokens.'
  return [{ members }, text]
}

export async function changeRoleFor(
  context: CommandContext,
  { org, email, role }: MemberOptions,
): Promise<CommandResult> {
  const member = await changeRole(configOf(context), { orgId: org, email, role })
  return [{ member }, `${member.email} now acts for ${org} as ${member.role}.`]
}

export async function removeMemberFor(
  context: CommandContext,
  { org, email }: MemberOptions,
): Promise<CommandResult> {
  const member = await removeMember(configOf(context), { orgId: org, email })
  return [{ member }, `${member.email} may no longer act for ${org}.`]
}
