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
    .option('--url <url>', 'URL of the API (default: VACANCY_URL, or the product that runs here)', parseUrl)
    .option(
      '--token <token>',
      'bearer token (default: VACANCY_TOKEN, or one of the development identity provider)',
    )
    .addOption(
      new Option('--as <role>', 'role at the development identity provider').choices(roles).default('owner'),
    )
    .addOption(
      new Option('--org <org>', 'organization at the development identity provider')
        .choices(['first', 'second'])
        .default('first'),
    )

function parseUrl(text: string) {
  if (URL.canParse(text) && /^https?:/.test(text)) return text
  throw new InvalidArgumentError('The URL must begin with http:// or https://.')
}
