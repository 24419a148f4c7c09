/** The commands about the person who calls the API. */
import { Option } from 'commander'
import { parseId, parseUrl, withApiOptions, type CommandGroup } from './command-group.ts'
import type { ApiOptions } from './api-client.ts'
import type { LoginOptions } from './login.ts'

export function addSessionCommands({ program, context, roles, print }: CommandGroup) {
  program
    .command('login')
    .description('sign in to an installation, in a browser of this machine or on another device')
    .option('--url <url>', 'URL of the API (default: VACANCY_URL, or the product that runs here)', parseUrl)
    .option('--profile <name>', 'the name under which the sign-in is kept (default: the host of the URL)')
    .option('--org <org>', 'id of the organization that commands act for', parseId)
    .addOption(new Option('--device', 'print a code to enter on another device').conflicts('browser'))
    .option('--no-browser', 'print the address without opening a browser')
    .action(async (options: LoginOptions) => {
      const { login } = await import('./login.ts')
      print().result(...(await login(context, options)))
    })
  program
    .command('logout')
    .description('sign out, and remove the tokens from this machine')
    .option('--profile <name>', 'the sign-in to end (default: VACANCY_PROFILE, or the last)')
    .action(async ({ profile }: { profile?: string }) => {
      const { logout } = await import('./login.ts')
      print().result(...(await logout(context, profile)))
    })
  withApiOptions(program.command('whoami'), roles)
    .description('show who calls the API, for which organization and with which role')
    .action(async (options: ApiOptions) => {
      const { showSession } = await import('./session.ts')
      print().result(...(await showSession(context, options)))
    })
  const profiles = program.command('profiles').description('the installations that you signed in to')
  profiles
    .command('list', { isDefault: true })
    .description('list them; commands use the one with *')
    .action(async () => {
      const { listProfiles } = await import('./login.ts')
      print().result(...listProfiles(context))
    })
  profiles
    .command('use')
    .description('use another one from now on')
    .argument('<profile>', 'its name')
    .action(async (name: string) => {
      const { useProfile } = await import('./login.ts')
      print().result(...useProfile(context, name))
    })
}
