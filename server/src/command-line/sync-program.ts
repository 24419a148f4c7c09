// The commands of `vacancy sync`: their names, options and help.
import { InvalidArgumentError, Option, type Command } from 'commander'
import { withAccess } from './access-options.ts'
import type { Access } from './call-api.ts'
import { CommandFailure } from './command-failure.ts'
import type { Outcome } from './sync-actions.ts'
import { printer, type Surroundings } from './surroundings.ts'

type Options = Access & {
  target?: string
  all?: boolean
  full?: boolean
  failed?: boolean
  stale?: boolean
  wait: boolean
  from?: string
  to?: string
}

interface Program {
  program: Command
  around: Surroundings
  asJson: () => boolean
  ends: (code: number) => void
  roles: readonly string[]
}

export function describeSync({ program, around, asJson, ends, roles }: Program) {
  const sync = program.command('sync').description('what the PMS has been told, and what it has not')
  const command = (name: string, description: string) =>
    withAccess(sync.command(name), roles).description(description)

  const run = async (options: Options, work: (parts: Parts) => Promise<Outcome>) => {
    const parts = await openParts(around, options, asJson())
    try {
      const [facts, text, isWell] = await work(parts)
      parts.meter.clear()
      printer(around, asJson()).answer(facts, text)
      if (!isWell) ends(1)
    } finally {
      parts.meter.clear()
    }
  }

  command('status', 'how far the PMS is: one listing, a target, or everything')
    .argument('[listing]', 'id of a listing', id)
    .option('--target <id>', 'listings of this target', id)
    .option('--failed', 'only what has failed')
    .option('--stale', 'only what is behind for too long')
    .action((listing: string | undefined, options: Options) => {
      if (listing && options.target)
        throw new CommandFailure('usage', 'Name a listing or --target, not both.')
      return run(options, ({ actions, api, meter }) =>
        actions.tellStatus(api, meter, { ...options, ...named(listing) }),
      )
    })
  command('trigger', 'bring listings up to date now, and wait until they are')
    .argument('[listing]', 'id of a listing', id)
    .option('--target <id>', 'all listings of this target', id)
    .option('--all', 'all listings')
    .option('--full', 'send everything, not only what differs')
    .addOption(new Option('--failed', 'only what has failed').conflicts('full'))
    .option('--no-wait', 'do not wait for the PMS')
    .action((listing: string | undefined, options: Options) => {
      oneOf(listing, options.target, options.all)
      return run(options, ({ actions, api, meter }) =>
        actions.trigger(api, meter, { ...options, ...named(listing) }),
      )
    })
  command('watch', 'each change of a state as it happens, one line each, until Ctrl-C').action(
    async (options: Options) => {
      const { api } = await openParts(around, options, asJson())
      const { watchSyncs } = await import('./sync-watch.ts')
      await watchSyncs(api, around.out, asJson())
    },
  )
  command('diff', 'what is wanted against what the PMS shows now; ends with 1 when they differ')
    .argument('<listing>', 'id of a listing', id)
    .option('--from <date>', 'first night', date)
    .option('--to <date>', 'last night', date)
    .action((listing: string, options: Options) =>
      run(options, ({ actions, api, meter }) => actions.tellDifferences(api, meter, { ...options, listing })),
    )
  command('replay', 'send everything of a listing or of a target again, and wait until it is there')
    .argument('[listing]', 'id of a listing', id)
    .option('--target <id>', 'all listings of this target', id)
    .option('--no-wait', 'do not wait for the PMS')
    .action((listing: string | undefined, options: Options) => {
      oneOf(listing, options.target)
      return run(options, ({ actions, api, meter }) =>
        actions.replayAll(api, meter, { ...options, ...named(listing) }),
      )
    })
}

type Parts = Awaited<ReturnType<typeof openParts>>

async function openParts(around: Surroundings, access: Access, asJson: boolean) {
  const [{ openApi }, { openMeter }, actions] = await Promise.all([
    import('./call-api.ts'),
    import('./meter.ts'),
    import('./sync-actions.ts'),
  ])
  const meter = openMeter(around.complain, { isQuiet: asJson, hasColor: !around.env['NO_COLOR'] })
  return { api: await openApi(around, access), meter, actions }
}

const named = (listing: string | undefined) => (listing ? { listing } : {})

/** Commander has no word for a choice between an argument and options. */
function oneOf(...given: unknown[]) {
  const count = given.filter(Boolean).length
  if (count === 1) return
  const choices = given.length === 3 ? 'a listing, --target or --all' : 'a listing or --target'
  throw new CommandFailure('usage', count === 0 ? `Name ${choices}.` : `Name only one: ${choices}.`)
}

function id(text: string) {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase()
  throw new InvalidArgumentError('An id is a UUID.')
}

function date(text: string) {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))) return text
  throw new InvalidArgumentError('A night is a date such as 2027-05-01.')
}
