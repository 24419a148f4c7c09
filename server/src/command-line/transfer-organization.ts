/** Exports an organization into a folder, and imports such a folder into another installation. */
import { exportOrganization } from '#features/operations/organization-export/export-organization.ts'
import { importOrganization } from '#features/operations/organization-export/import-organization.ts'
import { openVault } from '#secrets/vault.ts'
import type { Config } from '#config/config.ts'
import type { Storage } from '#integrations/storage/storage.ts'
import { openStorage } from '../resources.ts'
import type { CommandContext } from './command-context.ts'
import { configOf } from './product-config.ts'
import { openProgressIndicator } from './progress-indicator.ts'

type CommandResult = [facts: object, text: string]

export interface ExportCommandOptions {
  org: string
  to: string
  withSealedSecrets?: boolean
}

export const exportToFolder = (
  context: CommandContext,
  { org, to: folder, withSealedSecrets = false, asJson }: ExportCommandOptions & { asJson: boolean },
): Promise<CommandResult> =>
  withTransfer(context, asJson, async ({ config, storage, progress }) => {
    const options = { orgId: org, folder, withSealedSecrets, progress }
    const { manifest, checksum, missing } = await exportOrganization(config, storage, options)
    const { organization, tables, media } = manifest
    const rows = tables.reduce((total, table) => total + table.rows, 0)
    const lines = [
      `Exported ${organization.name} to ${folder}: ${rows} records, ${media.files} media files.`,
      `Checksum: ${checksum}`,
      ...missing.map((key) => `The storage does not have media/${key}.`),
    ]
    return [{ ...manifest, folder, checksum, missing }, lines.join('\n')]
  })

export const importExport = (
  context: CommandContext,
  folder: string,
  { checksum, asJson }: { checksum: string | undefined; asJson: boolean },
): Promise<CommandResult> =>
  withTransfer(context, asJson, async ({ config, storage, progress }) => {
    const vault = openVault(config.secrets.keys)
    const options = { folder, checksum, progress }
    const { manifest, isNew } = await importOrganization({ config, storage, vault }, options)
    const { id, name } = manifest.organization
    const text = isNew
      ? `Imported ${name} (${id}). Channel targets and calendars are inactive, listings paused and webhooks disabled: ` +
        'enter their credentials, then switch them on.'
      : `${name} (${id}) is here already, with the content of the export.`
    return [{ organization: manifest.organization, imported: isNew }, text]
  })

interface Transfer {
  readonly config: Config
  readonly storage: Storage
  progress(what: string, count: number): void
}

async function withTransfer(
  context: CommandContext,
  asJson: boolean,
  work: (transfer: Transfer) => Promise<CommandResult>,
): Promise<CommandResult> {
  const config = configOf(context)
  const storage = openStorage(config)
  const indicator = openProgressIndicator(context, asJson)
  try {
    return await work({
      config,
      storage,
      progress: (what, count) =>
        indicator.showSpinner(`${what.replaceAll('_', ' ')}: ${count.toLocaleString('en')}`),
    })
  } finally {
    indicator.clear()
    storage.close()
  }
}
