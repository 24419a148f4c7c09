import type { Config } from '#config/config.ts'
import { semanticError } from '#errors.ts'
import { assertOrganization, applySettings, type SettingChanges } from './organization-settings.ts'
import { asOwner, withOwner } from './provision.ts'
import {
  assertIdentityIdIsFree,
  insertAccount,
  insertOrganization,
  listOrganizationRows,
  lockOrganization,
  updateOrganization,
  type LockedOrganization,
} from './queries.ts'

type DatabaseConfig = Pick<Config, 'database'>

export interface OrganizationOptions {
  name: string
  tier?: string
  currency?: string
  timezone?: string
  /** The id of the organization at the identity provider. */
  identityId?: string
}

/** @throws Invalid, Conflict */
export async function createOrganization(config: DatabaseConfig, options: OrganizationOptions) {
  const { name, tier = 'free', currency = 'usd', timezone = 'UTC', identityId } = options
  assertOrganization({ name, tier, identityId })
  const settings = applySettings({}, { currency, timezone })
  if (identityId !== undefined)
    await asOwner(config, (connection) => assertIdentityIdIsFree(connection, identityId))
  return await withOwner(config, async (owner) => {
    const organization = await insertOrganization(owner, { name: name.trim(), tier, settings, identityId })
    const account = await insertAccount(owner, organization.id, organization.name)
    return { organization, account }
  })
}

/** An organization as the API returns it. */
export interface OrganizationRecord {
  readonly id: string
  readonly name: string
  readonly tier: string
  readonly settings: Record<string, unknown>
  /** The id of the organization at the identity provider. */
  readonly identity_id: string | null
}

export interface OrganizationChanges extends SettingChanges {
  readonly name?: string
  readonly tier?: string
  /** `default` removes it. */
  readonly identityId?: string
}

export const listOrganizations = (config: DatabaseConfig) => asOwner(config, listOrganizationRows)

/** @throws NotFound */
export const showOrganization = (config: DatabaseConfig, orgId: string): Promise<OrganizationRecord> =>
  asOwner(config, async (connection) => parseOrganization(await lockOrganization(connection, orgId)))

/** Changes the given settings. The API processes read the organization again. @throws NotFound, Invalid, Conflict */
export const changeOrganization = (
  config: DatabaseConfig,
  orgId: string,
  { name, tier, identityId, ...settings }: OrganizationChanges,
): Promise<OrganizationRecord> =>
  asOwner(config, async (connection) => {
    if (Object.values({ name, tier, identityId, ...settings }).every((value) => value === undefined))
      throw semanticError('settings', 'Name at least one setting to change: see vacancy org set --help.')
    assertOrganization({ name, tier, identityId })
    const before = await lockOrganization(connection, orgId)
    if (identityId !== undefined) await assertIdentityIdIsFree(connection, identityId, orgId)
    const after = {
      name: name?.trim() ?? before.name,
      tier: tier ?? before.tier,
      settings: applySettings(before.settings, settings),
      identity_id: identityId === 'default' ? null : (identityId ?? before.identity_id),
    }
    return parseOrganization(await updateOrganization(connection, before, after))
  })

const parseOrganization = ({ json, identity_id }: LockedOrganization): OrganizationRecord => ({
  ...(JSON.parse(json) as Omit<OrganizationRecord, 'identity_id'>),
  identity_id,
})
