import type { Config } from '#config/config.ts'
import { openTransferDatabase } from '#features/operations/organization-export/transfer-database.ts'
import { movedTables, tablesNotMoved } from './moved-tables.ts'

type DatabaseConfig = Pick<Config, 'database'>

/** Deletes every record of an organization that another cell serves, in one transaction. */
export async function deleteRecords(config: DatabaseConfig, orgId: string): Promise<void> {
  await using transfer = openTransferDatabase(config, 'vacancy_import')
  await transfer.transaction({ orgId }, async ({ raw }) => {
    for (const { name, later = [] } of movedTables)
      if (later.length > 0)
        await raw(`update ${name} set ${later.map((column) => `${column} = null`).join(', ')}
          where org_id = current_org()`)
    const own = Object.keys(tablesNotMoved).filter((name) => name !== 'organization_moves')
    for (const name of [...movedTables.map(({ name }) => name), ...own].reverse())
      await raw(`delete from ${name} where ${name === 'organizations' ? 'id' : 'org_id'} = current_org()`)
  })
}

/** The other cell has them, and runs them. */
export async function deleteJobs(config: DatabaseConfig, orgId: string): Promise<void> {
  await using transfer = openTransferDatabase(config, 'vacancy_import')
  await transfer.transaction({ orgId }, ({ raw }) =>
    raw(`delete from queue.jobs where org_id = current_org()`),
  )
}
