import { InvalidArgumentError, Option, type Command } from 'commander'

/** Options of every command that calls the API: where it is, and as whom. */
export const withAccess = (command: Command, roles: readonly string[]): Command =>
  command
    .option('--url <url>', 'address of the API; else VACANCY_URL, else what runs here', address)
    .option('--token <token>', 'bearer token; else VACANCY_TOKEN, else one of the development provider')
    .addOption(
      new Option('--as <role>', 'role, for the development provider').choices(roles).default('owner'),
    )
    .addOption(
      new Option('--org <org>', 'organization, for the development provider')
        .choices(['first', 'second'])
        .default('first'),
    )

function address(text: string) {
  if (URL.canParse(text) && /^https?:/.test(text)) return text
  throw new InvalidArgumentError('An address begins with http:// or https://.')
}
