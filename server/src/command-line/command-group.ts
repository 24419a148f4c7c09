import { InvalidArgumentError, Option, type Command } from 'commander'
import type { CommandContext, printer } from './command-context.ts'

/** What a group of commands is added with. */
export interface CommandGroup {
  readonly program: Command
  readonly context: CommandContext
  readonly roles: readonly string[]
  /** Known only when a command runs. */
  readonly asJson: () => boolean
  readonly print: () => ReturnType<typeof printer>
  readonly setExitCode: (code: number) => void
}

/** Adds the options of every command that calls the API. */
export const withApiOptions = (command: Command, roles: readonly string[]): Command =>
  command
    .option(
      '--url <url>',
      'URL of the API (default: VACANCY_URL, the last login, or the product that runs here)',
      parseUrl,
    )
    .addOption(
      new Option(
        '--profile <name>',
        'the installation that you signed in to (default: VACANCY_PROFILE, or the last)',
      ).conflicts('token'),
    )
    .option(
      '--token <token>',
      'bearer token (default: VACANCY_TOKEN; other users of this machine can see it)',
    )
    .option('--org <org>', 'id of the organization to act for (default: VACANCY_ORG)', parseOrganization)
    .addOption(
      new Option('--as <role>', 'role at the development identity provider of the product that runs here')
        .choices(roles)
        .conflicts(['token', 'url', 'profile']),
    )

export function parseUrl(text: string) {
  if (URL.canParse(text) && /^https?:/.test(text)) return text
  throw new InvalidArgumentError('The URL must begin with http:// or https://.')
}

const parseOrganization = (text: string) => (/^(first|second)$/.test(text) ? text : parseId(text))

export function parseId(text: string) {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase()
  throw new InvalidArgumentError('The id must be a UUID.')
}
