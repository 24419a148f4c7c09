/** Freezes an organization, and moves it to another cell. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { readConfig, type Config } from '#config/config.ts'
import type { Cell } from '#features/operations/organization-moves/cell.ts'
import {
  freezeOrganization,
  thawOrganization,
} from '#features/operations/organization-moves/freeze-organization.ts'
import {
  abortMove,
  finishMove,
  moveOrganization,
} from '#features/operations/organization-moves/move-organization.ts'
import { openStorage } from '../resources.ts'
import type { CommandContext } from './command-context.ts'
import { setInMap } from './haproxy-map.ts'
import { configOf } from './product-config.ts'
import { openProgressIndicator } from './progress-indicator.ts'

type CommandResult = [facts: object, text: string]

export interface MoveCommandOptions {
  to?: string
  environment?: string
  map?: string
  router: string[]
  abort?: boolean
  finish?: boolean
}

export async function freezeFor(context: CommandContext, orgId: string): Promise<CommandResult> {
  await freezeOrganization(configOf(context), orgId)
  return [{ org_id: orgId, status: 'frozen' }, `${orgId} is frozen: only reads are possible, no job runs.`]
}

export async function thawFor(context: CommandContext, orgId: string): Promise<CommandResult> {
  await thawOrganization(configOf(context), orgId)
  return [{ org_id: orgId, status: 'usual' }, `${orgId} can be changed again.`]
}

export async function moveFor(
  context: CommandContext,
  orgId: string,
  { to, environment, map, router: sockets, abort, finish, asJson }: MoveCommandOptions & { asJson: boolean },
): Promise<CommandResult> {
  await using source = await openCell(configOf(context))
  if (finish) {
    await finishMove({ orgId, source })
    return [{ org_id: orgId, status: 'finished' }, `What was left of ${orgId} here is deleted.`]
  }
  if (!to || !environment) throw new Error('Name the other cell with --to and --environment.')
  await using target = await openCell(readConfig(parseEnv(readFileSync(environment, 'utf8'))))
  const indicator = openProgressIndicator(context, asJson)
  const progress = (what: string, count: number) =>
    indicator.showSpinner(`${what.replaceAll('_', ' ')}: ${count.toLocaleString('en')}`)
  const options = { orgId, to, source, target, progress }
  try {
    if (abort) {
      await abortMove(options)
      return [{ org_id: orgId, status: 'usual' }, `${orgId} stays here.`]
    }
    if (!map || sockets.length === 0)
      throw new Error('Name the map of the router with --map, and its socket with --router.')
    const switchRoute = (keys: readonly string[]) => setInMap({ path: map, sockets }, keys, to)
    const { frozenMs } = await moveOrganization({ ...options, switchRoute })
    const seconds = frozenMs === null ? '' : ` It was frozen for ${(frozenMs / 1_000).toFixed(1)} s.`
    return [
      { org_id: orgId, status: 'moved', cell: to, frozen_ms: frozenMs },
      `${to} serves ${orgId} now.${seconds} Delete what is left here with: npx vacancy org move ${orgId} --finish`,
    ]
  } catch (error) {
    indicator.clear()
    if (!asJson)
      context.err.write(
        'Repeat the command to go on with the move; --abort undoes one that was not switched.\n',
      )
    throw error
  } finally {
    indicator.clear()
  }
}

async function openCell(config: Config): Promise<Cell & AsyncDisposable> {
  const storage = openStorage(config)
  return { config, storage, [Symbol.asyncDispose]: async () => storage.close() }
}
