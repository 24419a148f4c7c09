import type { Config } from '#config/config.ts'
import { semanticError } from '#errors.ts'
import { assertOrganization, applySettings, type SettingChanges } from './organization-settings.ts'
import { asOwner, withOwner } from './provision.ts'
import {
  insertAccount,
  insertOrganization,
  listOrganizationRows,
  lockOrganization,
  updateOrganization,
} from './queries.ts'

type DatabaseConfig = Pick<Config, 'database'>

export interface OrganizationOptions {
  name: string
  tier?: string
  currency?: string
  timezone?: string
}

/** @throws Invalid */
export async function createOrganization(config: DatabaseConfig, options: OrganizationOptions) {
  const { name, tier = 'free', currency = 'usd', timezone = 'UTC' } = options
  assertOrganization({ name, tier })
  const settings = applySettings({}, { currency, timezone })
  return await withOwner(config, async (owner) => {
    const organization = await insertOrganization(owner, { name: name.trim(), tier, settings })
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
}

export interface OrganizationChanges extends SettingChanges {
  readonly name?: string
  readonly tier?: string
}

export const listOrganizations = (config: DatabaseConfig) => asOwner(config, listOrganizationRows)

/** @throws NotFound */
export const showOrganization = (config: DatabaseConfig, orgId: string): Promise<OrganizationRecord> =>
  asOwner(config, async (connection) => parseOrganization(await lockOrganization(connection, orgId)))

/** Changes the given settings. The API processes read the organization again. @throws NotFound, Invalid */
export const changeOrganization = (
  config: DatabaseConfig,
  orgId: string,
  { name, tier, ...settings }: OrganizationChanges,
): Promise<OrganizationRecord> =>
  asOwner(config, async (connection) => {
    if (Object.values({ name, tier, ...settings }).every((value) => value === undefined))
      throw semanticError('settings', 'Name at least one setting to change: see vacancy org set --help.')
    assertOrganization({ name, tier })
    const before = await lockOrganization(connection, orgId)
    const after = {
      name: name?.trim() ?? before.name,
      tier: tier ?? before.tier,
      settings: applySettings(before.settings, settings),
    }
    return parseOrganization(await updateOrganization(connection, before, after))
  })

const parseOrganization = ({ json }: { json: string }) => JSON.parse(json) as OrganizationRecord
