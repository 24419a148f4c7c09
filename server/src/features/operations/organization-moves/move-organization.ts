import type { Database } from '#db/connect.ts'
import { Conflict, NotFound } from '#errors.ts'
import { assertNoErasureRuns } from '#features/operations/organization-export/export-organization.ts'
import { readSchemaVersion } from '#features/operations/organization-export/table-rows.ts'
import { asOwner, withOwner } from '#features/tenancy/provisioning/provision.ts'
import type { Cell, MoveOptions } from './cell.ts'
import { assertOwnStorage, copyFiles, readFrom, removeFiles } from './cell-files.ts'
import { copyRecords } from './copy-records.ts'
import { deleteJobs, deleteRecords } from './delete-organization.ts'
import { freezeOrganization } from './freeze-organization.ts'
import { movedTables } from './moved-tables.ts'
import {
  advanceMove,
  deleteMove,
  findMove,
  hasOrganization,
  keepIdentityId,
  listRoutedKeys,
  lockMove,
  saveMove,
  type Move,
} from './queries.ts'

/** Each takes less time than the one before, because less has changed. */
const maxCopies = 3
const fewRecords = 1_000

/**
 * Moves an organization to another cell. The row in `organization_moves` of the source says how far it came: after an
 * interruption the same call goes on from there. Until the source has the status `moved`, `abortMove` undoes it.
 * @throws NotFound, Conflict, Invalid
 */
export const moveOrganization = (options: MoveOptions): Promise<{ frozenMs: number | null }> =>
  withCells(options, async ({ source, target }) => {
    const { orgId, to, switchRoute, progress } = options
    let frozenAt: number | null = null
    if ((await findMove(source, orgId))?.status !== 'moved') {
      assertSameKeys(options)
      await assertMayArrive(source, target, options)
      await assertSameSchema(options)
      await assertOwnStorage(options)
      await readFrom(options.source, orgId, assertNoErasureRuns)
      await saveMove(target, orgId, { status: 'arriving', cell: null })
      if (!(await findMove(source, orgId))) await copyAhead(options)
      progress('freeze', 1)
      frozenAt = performance.now()
      await freezeOrganization(options.source.config, orgId, { cell: to })
      await copyRest(options)
      await advanceMove(source, orgId, { from: 'frozen', to: 'copied' })
      progress('switch', 1)
      await advanceMove(source, orgId, { from: 'copied', to: 'moved' })
    }
    await assertMovesTo(source, options)
    await deleteJobs(options.source.config, orgId)
    // From the other cell: what is left here may have been deleted before an interrupted switch is repeated.
    const keys = await readFrom(options.target, orgId, listRoutedKeys)
    await switchRoute(keys.map(({ key }) => key))
    // Only now: until then, requests and jobs of the organization are refused in both cells.
    if ((await findMove(target, orgId))?.status === 'arriving') await deleteMove(target, orgId)
    return { frozenMs: frozenAt && Math.round(performance.now() - frozenAt) }
  })

/** Undoes a move that has not been switched. @throws Conflict */
export const abortMove = (options: Omit<MoveOptions, 'switchRoute'>): Promise<void> =>
  withCells(options, async ({ source, target }) => {
    const { orgId } = options
    const move = await findMove(source, orgId)
    // Interrupted before the freeze, only the other cell knows of the move.
    if (move || (await findMove(target, orgId))?.status !== 'arriving') await assertMovesTo(source, options)
    if (move?.status === 'moved')
      throw new Conflict('conflict', 'The other cell serves the organization. Move it back instead.')
    if ((await findMove(target, orgId))?.status === 'arriving') {
      await removeFiles(options.target, orgId)
      await deleteRecords(options.target.config, orgId)
      await deleteMove(target, orgId)
    }
    await deleteMove(source, orgId)
  })

/** Deletes what is left in the cell that an organization has moved away from. @throws Conflict */
export const finishMove = ({ orgId, source }: { orgId: string; source: Cell }): Promise<void> =>
  withOwner(source.config, async (owner) => {
    if ((await findMove(owner, orgId))?.status !== 'moved')
      throw new Conflict('conflict', 'The organization has not moved to another cell.')
    await keepIdentityId(owner, orgId)
    await removeFiles(source, orgId)
    await deleteRecords(source.config, orgId)
  })

/** One command moves an organization at a time: an import that ends after an abort would leave it in two cells. */
const withCells = <T>(
  { orgId, source, target }: Pick<MoveOptions, 'orgId' | 'source' | 'target'>,
  work: (owners: { source: Database; target: Database }) => Promise<T>,
): Promise<T> =>
  withOwner(source.config, (sourceOwner) =>
    withOwner(target.config, (targetOwner) =>
      // In the target, because the freeze waits for the transactions that are open in the source.
      lockMove(targetOwner, orgId, () => work({ source: sourceOwner, target: targetOwner })),
    ),
  )

/**
 * Copies what is there while the organization is in use, so that little is left to copy when it is frozen. Without its jobs,
 * which the other cell would count as late.
 */
async function copyAhead(options: MoveOptions): Promise<void> {
  const tables = movedTables.filter(({ name }) => name !== 'queue.jobs')
  for (let copies = 0; copies < maxCopies; copies++) {
    const changed = await copyRecords(options, tables)
    await copyFiles(options)
    if (changed <= fewRecords) return
  }
}

/** Until both cells are found to have the same. @throws Conflict */
async function copyRest(options: MoveOptions): Promise<void> {
  for (let copies = 0; (await copyRecords(options, movedTables)) > 0; copies++)
    if (copies === maxCopies) throw new Conflict('conflict', 'The records of the other cell stay different.')
  await copyFiles(options)
}

/** Sealed values are moved as they are. @throws Conflict */
function assertSameKeys({ source, target }: MoveOptions): void {
  const known = target.config.secrets.keys.map(
    ({ id, bytes }) => `${id} ${Buffer.from(bytes).toString('hex')}`,
  )
  for (const { id, bytes } of source.config.secrets.keys)
    if (!known.includes(`${id} ${Buffer.from(bytes).toString('hex')}`))
      throw new Conflict('conflict', `SECRET_KEYS of the other cell must have the key ${id} of this one.`)
}

/** @throws Conflict */
async function assertSameSchema({ source, target }: MoveOptions): Promise<void> {
  const [here, there] = [source, target].map(({ config }) => asOwner(config, readSchemaVersion))
  if ((await here) !== (await there))
    throw new Conflict('conflict', 'Both cells must run the same release, and be migrated by it.')
}

/** @throws NotFound, Conflict */
async function assertMayArrive(source: Database, target: Database, options: MoveOptions): Promise<void> {
  const { orgId } = options
  if (!(await hasOrganization(source, orgId))) throw new NotFound('organization', orgId)
  const [left, arriving] = [await findMove(source, orgId), await findMove(target, orgId)]
  if (left?.status === 'arriving')
    throw new Conflict('conflict', 'The organization is still arriving here: end that move first.')
  if (left) await assertMovesTo(source, options)
  if (arriving?.status !== 'arriving' && (await hasOrganization(target, orgId)))
    throw new Conflict(
      'conflict',
      'The other cell has the organization: finish its earlier move there first.',
    )
}

/** @throws Conflict */
async function assertMovesTo(
  source: Database,
  { orgId, to }: Pick<MoveOptions, 'orgId' | 'to'>,
): Promise<void> {
  const move: Move | undefined = await findMove(source, orgId)
  if (move?.cell === to) return
  throw new Conflict(
    'conflict',
    move?.cell ? `The organization moves to ${move.cell}, not to ${to}.` : 'The organization does not move.',
  )
}
