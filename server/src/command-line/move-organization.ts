/** Freezes an organization, and moves it to another cell. */
import {
  freezeOrganization,
  thawOrganization,
} from '#features/operations/organization-moves/freeze-organization.ts'
import type { CommandContext } from './command-context.ts'
import { configOf } from './product-config.ts'

type CommandResult = [facts: object, text: string]

export async function freezeFor(context: CommandContext, orgId: string): Promise<CommandResult> {
  await freezeOrganization(configOf(context), orgId)
  return [{ org_id: orgId, status: 'frozen' }, `${orgId} is frozen: only reads are possible, no job runs.`]
}

export async function thawFor(context: CommandContext, orgId: string): Promise<CommandResult> {
  await thawOrganization(configOf(context), orgId)
  return [{ org_id: orgId, status: 'usual' }, `${orgId} can be changed again.`]
}
