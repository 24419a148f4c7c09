/** The commands that follow what happens: `events tail`, `webhooks listen` and `trigger`, `logs`. */
import { InvalidArgumentError, Option } from 'commander'
import type { ApiOptions } from './api-client.ts'
import { withApiOptions, type CommandGroup } from './command-group.ts'
import type { ForwardOptions } from './forward-webhooks.ts'
import type { LogOptions } from './logs.ts'
import type { TailOptions } from './tail-events.ts'

export function addLogCommand({ program, context, roles, asJson }: CommandGroup): void {
  withApiOptions(program.command('logs'), roles)
    .description('show what happened in the organization: changes, syncs and webhooks')
    .addOption(new Option('--source <source>', 'only one source').choices(['audit', 'sync', 'webhooks']))
    .option('--limit <count>', 'how many entries of each source', parseCount, 20)
    .option('-f, --follow', 'go on until Ctrl-C')
    .action(async (options: ApiOptions & LogOptions) => {
      const { showLogs } = await import('./logs.ts')
      await showLogs(context, options, asJson())
    })
}

/** Added to the generated commands of these resources, when they exist. */
export function addEventCommands({ program, context, roles, asJson }: CommandGroup): void {
  const types = () => new Option('--types <types...>', 'only events of these types, such as booking.created')
  const events = program.commands.find((command) => command.name() === 'events')
  const webhooks = program.commands.find((command) => command.name() === 'webhooks')
  if (events)
    withApiOptions(events.command('tail'), roles)
      .description('print each event as it happens, until Ctrl-C')
      .addOption(types())
      .option('--after <cursor>', 'continue after this cursor, which an earlier run printed', 'latest')
      .action(async (options: ApiOptions & TailOptions) => {
        const { tailEvents } = await import('./tail-events.ts')
        await tailEvents(context, options, asJson())
      })
  if (!webhooks) return
  withApiOptions(webhooks.command('listen'), roles)
    .description('send each event to a URL of this machine, signed as webhooks are, until Ctrl-C')
    .requiredOption('--forward-to <url>', 'where your program receives webhooks', parseUrlOrPort)
    .addOption(types())
    .option('--after <cursor>', 'continue after this cursor, which an earlier run printed', 'latest')
    .action(async (options: ApiOptions & ForwardOptions & TailOptions) => {
      const { forwardWebhooks } = await import('./forward-webhooks.ts')
      await forwardWebhooks(context, options, asJson())
    })
  withApiOptions(webhooks.command('trigger'), roles)
    .description('send an earlier event of a type to a URL of this machine, with a new id')
    .argument('<type>', 'such as booking.created')
    .requiredOption('--forward-to <url>', 'where your program receives webhooks', parseUrlOrPort)
    .action(async (type: string, options: ApiOptions & ForwardOptions) => {
      const { triggerWebhook } = await import('./forward-webhooks.ts')
      await triggerWebhook(context, type, options, asJson())
    })
}

function parseCount(text: string): number {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 100) return Number(text)
  throw new InvalidArgumentError('It is a number from 1 to 100.')
}

/** `3000/hooks` is short for `http://localhost:3000/hooks`. */
function parseUrlOrPort(text: string): string {
  const url = /^\d+(\/|$)/.test(text) ? `http://localhost:${text}` : text
  if (URL.canParse(url) && /^https?:/.test(url)) return url
  throw new InvalidArgumentError('It is a URL such as http://localhost:3000/hooks.')
}
