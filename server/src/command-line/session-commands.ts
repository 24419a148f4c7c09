/** The commands about the person who calls the API. */
import { withApiOptions, type CommandGroup } from './command-group.ts'
import type { ApiOptions } from './api-client.ts'

export function addSessionCommands({ program, context, roles, print }: CommandGroup) {
  withApiOptions(program.command('whoami'), roles)
    .description('show who calls the API, for which organization and with which role')
    .action(async (options: ApiOptions) => {
      const { showSession } = await import('./session.ts')
      print().result(...(await showSession(context, options)))
    })
}
