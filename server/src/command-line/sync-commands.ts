/** The commands of `vacancy sync` with their options and help. */
import { InvalidArgumentError, Option } from 'commander'
import { parseId, withApiOptions, type CommandGroup } from './command-group.ts'
import type { ApiOptions } from './api-client.ts'
import { CommandError } from './command-error.ts'
import type { CommandResult } from './sync-actions.ts'
import type { CommandContext } from './command-context.ts'

type Options = ApiOptions & {
  target?: string
  all?: boolean
  full?: boolean
  failed?: boolean
  stale?: boolean
  wait: boolean
  from?: string
  to?: string
}

export function addSyncCommands({ program, context, print, asJson, setExitCode, roles }: CommandGroup) {
  const sync = program.command('sync').description('the synchronization with the PMS')
  const command = (name: string, description: string) =>
    withApiOptions(sync.command(name), roles).description(description)

  const run = async (options: Options, work: (tools: SyncTools) => Promise<CommandResult>) => {
    const tools = await openSyncTools(context, options, asJson())
    try {
      const [facts, text, isOk] = await work(tools)
      tools.progress.clear()
      print().result(facts, text)
      if (!isOk) setExitCode(1)
    } finally {
      tools.progress.clear()
    }
  }

  command('status', 'show the sync status of a listing, a target, or everything')
    .argument('[listing]', 'id of a listing', parseId)
    .option('--target <id>', 'listings of this target', parseId)
    .option('--failed', 'only failed listings')
    .option('--stale', 'only stale listings')
    .action((listing: string | undefined, options: Options) => {
      if (listing && options.target) throw new CommandError('usage', 'Give a listing or --target, not both.')
      return run(options, ({ actions, api, progress }) =>
        actions.showStatus(api, progress, { ...options, ...listingOption(listing) }),
      )
    })
  command('trigger', 'sync listings now and wait until they are in sync')
    .argument('[listing]', 'id of a listing', parseId)
    .option('--target <id>', 'all listings of this target', parseId)
    .option('--all', 'all listings')
    .option('--full', 'send everything, not only the differences')
    .addOption(new Option('--failed', 'only failed listings').conflicts('full'))
    .option('--no-wait', 'do not wait for the PMS')
    .action((listing: string | undefined, options: Options) => {
      assertOneGiven(listing, options.target, options.all)
      return run(options, ({ actions, api, progress }) =>
        actions.triggerSync(api, progress, { ...options, ...listingOption(listing) }),
      )
    })
  command('watch', 'print each change of a sync status until Ctrl-C').action(async (options: Options) => {
    const { api } = await openSyncTools(context, options, asJson())
    const { watchSyncs } = await import('./sync-events.ts')
    await watchSyncs(api, context.out, asJson())
  })
  command('diff', 'compare a listing with the PMS; exits with 1 when they differ')
    .argument('<listing>', 'id of a listing', parseId)
    .option('--from <date>', 'first night', parseDate)
    .option('--to <date>', 'last night', parseDate)
    .action((listing: string, options: Options) =>
      run(options, ({ actions, api, progress }) =>
        actions.showDifferences(api, progress, { ...options, listing }),
      ),
    )
  command('replay', 'send everything of a listing or a target again and wait until it is in sync')
    .argument('[listing]', 'id of a listing', parseId)
    .option('--target <id>', 'all listings of this target', parseId)
    .option('--no-wait', 'do not wait for the PMS')
    .action((listing: string | undefined, options: Options) => {
      assertOneGiven(listing, options.target)
      return run(options, ({ actions, api, progress }) =>
        actions.replaySync(api, progress, { ...options, ...listingOption(listing) }),
      )
    })
}

type SyncTools = Awaited<ReturnType<typeof openSyncTools>>

async function openSyncTools(context: CommandContext, access: ApiOptions, asJson: boolean) {
  const [{ openApiClient }, { openProgressIndicator }, actions] = await Promise.all([
    import('./api-client.ts'),
    import('./progress-indicator.ts'),
    import('./sync-actions.ts'),
  ])
  const progress = openProgressIndicator(context, asJson)
  return { api: await openApiClient(context, access), progress, actions }
}

const listingOption = (listing: string | undefined) => (listing ? { listing } : {})

/** Commander cannot express a choice between an argument and options. */
function assertOneGiven(...given: unknown[]) {
  const count = given.filter(Boolean).length
  if (count === 1) return
  const choices = given.length === 3 ? 'a listing, --target or --all' : 'a listing or --target'
  throw new CommandError('usage', count === 0 ? `Give ${choices}.` : `Give only one of ${choices}.`)
}

function parseDate(text: string) {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))) return text
  throw new InvalidArgumentError('The night must be a date such as 2027-05-01.')
}
