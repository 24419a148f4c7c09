// People and organizations come into being here, since the API has no calls for it.
import { addMember, createOrganization } from '#features/provisioning/provision.ts'
import { configOf } from './product.ts'
import type { Surroundings } from './surroundings.ts'

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

export async function addMemberFor(
  around: Surroundings,
  { org, ...options }: MemberOptions,
): Promise<Answer> {
  const added = await addMember(configOf(around), { orgId: org, ...options })
  return [added, `${options.email} may now act for ${org} as ${options.role}.`]
}
