import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '#config/config.ts'
import type { Database } from '#db/connect.ts'
import { Conflict, NotFound } from '#errors.ts'
import { openTransferDatabase } from '#features/operations/organization-export/transfer-database.ts'
import { withOwner } from '#features/tenancy/provisioning/provision.ts'
import {
  countRunningJobs,
  deleteMove,
  findMove,
  hasOrganization,
  listOpenTransactions,
  saveMove,
} from './queries.ts'

type DatabaseConfig = Pick<Config, 'database'>

/** Longer than a push to a slow PMS takes. An import of photos takes longer: it must end before. */
const maxDrainMs = 30_000
const pollMs = 50

/**
 * Lets only reads of an organization through, and runs no job of it. When this returns, everything that was written before
 * has been committed or refused, and no worker calls another system for it. @throws NotFound, Conflict
 */
export const freezeOrganization = (
  config: DatabaseConfig,
  orgId: string,
  { cell = null, drainMs = maxDrainMs }: { cell?: string | null; drainMs?: number } = {},
): Promise<void> =>
  withOwner(config, async (owner) => {
    if (!(await hasOrganization(owner, orgId))) throw new NotFound('organization', orgId)
    const found = await findMove(owner, orgId)
    if (found && (found.cell !== cell || found.status === 'moved' || found.status === 'arriving'))
      throw new Conflict('conflict', `The organization is ${found.status}, cell ${found.cell ?? 'none'}.`)
    // It may have been interrupted before the last wait.
    if (found && found.status !== 'draining')
      return await waitForOpenTransactions(owner, Date.now() + drainMs)
    await saveMove(owner, orgId, { status: 'draining', cell })
    try {
      const until = Date.now() + drainMs
      // A worker whose claim began before may have claimed a job.
      await waitForOpenTransactions(owner, until)
      await waitForJobs(config, orgId, until)
      await saveMove(owner, orgId, { status: 'frozen', cell })
      await waitForOpenTransactions(owner, Date.now() + drainMs)
    } catch (error) {
      await deleteMove(owner, orgId)
      throw error
    }
  })

/** @throws Conflict */
export const thawOrganization = (config: DatabaseConfig, orgId: string): Promise<void> =>
  withOwner(config, async (owner) => {
    const found = await findMove(owner, orgId)
    if (!found) throw new Conflict('conflict', 'The organization is not frozen.')
    if (found.cell !== null)
      throw new Conflict('conflict', `The organization is being moved: vacancy org move ${orgId} --abort.`)
    await deleteMove(owner, orgId)
  })

/** Waits until every transaction that is open now has ended. @throws Conflict */
async function waitForOpenTransactions(owner: Database, until: number): Promise<void> {
  let open = await listOpenTransactions(owner)
  while (open.length > 0) {
    if (Date.now() > until) throw new Conflict('conflict', 'A transaction of the database does not end.')
    await sleep(pollMs)
    const current = new Set(await listOpenTransactions(owner))
    open = open.filter((id) => current.has(id))
  }
}

/** @throws Conflict */
async function waitForJobs(config: DatabaseConfig, orgId: string, until: number): Promise<void> {
  await using transfer = openTransferDatabase(config, 'vacancy_app')
  for (;;) {
    const [running] = await transfer.transaction({ orgId }, countRunningJobs)
    if (running!.count === 0) return
    if (Date.now() > until)
      throw new Conflict(
        'conflict',
        `${running!.count} jobs of the organization still run: wait for imports and exports to end.`,
      )
    await sleep(pollMs)
  }
}
