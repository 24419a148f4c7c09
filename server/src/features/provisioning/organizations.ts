import type { Config } from '#config.ts'
import { semanticError } from '#errors.ts'
import { lockOrganizationOrThrow } from './member-rules.ts'
import { assertOrganization, changedSettings, type SettingChanges } from './organization-settings.ts'
import { asOwner } from './provision.ts'
import { listOrganizationRows, updateOrganization } from './queries.ts'

type Settings = Pick<Config, 'database'>

/** The organization as the API shows it. */
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

export const listOrganizations = (config: Settings) => asOwner(config, listOrganizationRows)

/** @throws NotFound */
export const showOrganization = (config: Settings, orgId: string): Promise<OrganizationRecord> =>
  asOwner(config, async (connection) => recordOf(await lockOrganizationOrThrow(connection, orgId)))

/** Changes what is named, and has every API process read it anew. @throws NotFound, Invalid */
export const changeOrganization = (
  config: Settings,
  orgId: string,
  { name, tier, ...settings }: OrganizationChanges,
): Promise<OrganizationRecord> =>
  asOwner(config, async (connection) => {
    if (Object.values({ name, tier, ...settings }).every((value) => value === undefined))
      throw semanticError('settings', 'Name at least one setting to change: see vacancy org set --help.')
    assertOrganization({ name, tier })
    const before = await lockOrganizationOrThrow(connection, orgId)
    const after = {
      name: name?.trim() ?? before.name,
      tier: tier ?? before.tier,
      settings: changedSettings(before.settings, settings),
    }
    return recordOf(await updateOrganization(connection, before, after))
  })

const recordOf = ({ json }: { json: string }) => JSON.parse(json) as OrganizationRecord
