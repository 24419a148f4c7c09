/** The commands of `vacancy org` and `vacancy member`. */
import { InvalidArgumentError, Option, type Command } from 'commander'
import { parseId, type CommandGroup } from './command-group.ts'
import type { MoveCommandOptions } from './move-organization.ts'
import type { MemberOptions, OrganizationOptions } from './provision.ts'

export function addProvisioningCommands(group: CommandGroup): void {
  addOrganizationCommands(group)
  addMemberCommands(group)
}

function addOrganizationCommands(group: CommandGroup) {
  const { program, context, print } = group
  const org = program.command('org').description('organizations and their settings')
  org
    .command('create')
    .description('create an organization with its first account')
    .requiredOption('--name <name>', 'name of the organization')
    .addOption(
      new Option('--tier <tier>', 'rate limits').choices(['free', 'paid', 'enterprise']).default('free'),
    )
    .option('--currency <code>', 'default currency, such as eur', currency)
    .option('--timezone <zone>', 'default time zone, such as Europe/Paris', timezone)
    .option('--identity-id <id>', 'id of the organization at the identity provider')
    .action(async (options: OrganizationOptions) => {
      const { createOrganizationFor } = await import('./provision.ts')
      print().result(...(await createOrganizationFor(context, options)))
    })
  org
    .command('list')
    .description('list all organizations with their tier and number of members')
    .action(async () => {
      const { listOrganizationsFor } = await import('./provision.ts')
      print().result(...(await listOrganizationsFor(context)))
    })
  org
    .command('show')
    .description('show an organization with all its settings')
    .argument('<org>', 'id of the organization')
    .action(async (orgId: string) => {
      const { showOrganizationFor } = await import('./provision.ts')
      print().result(...(await showOrganizationFor(context, orgId)))
    })
  org
    .command('set')
    .description('change an organization; the value "default" resets a setting')
    .argument('<org>', 'id of the organization')
    .option('--name <name>', 'name of the organization')
    .option('--tier <tier>', 'rate limits: free, paid or enterprise')
    .option('--identity-id <id>', 'id of the organization at the identity provider')
    .option('--currency <code>', 'currency of new spaces, such as eur')
    .option('--timezone <zone>', 'time zone of new spaces, such as Europe/Paris')
    .option('--locale <locale>', 'language of messages, such as pt-PT')
    .option('--hold-minutes <minutes>', 'how long a quote or a pending booking holds its rooms')
    .option('--free-until-days <days>', 'full refund when cancelled at least this many days before arrival')
    .option('--refund-percent <percent>', 'refund for a later cancellation')
    .option('--guest-retention-days <days>', "days after the stay that a guest's data is kept")
    .action(async (orgId: string, changes: Record<string, string>) => {
      const { setOrganizationFor } = await import('./provision.ts')
      print().result(...(await setOrganizationFor(context, orgId, changes)))
    })
  addMoveCommands(org, group)
}

function addMoveCommands(org: Command, { context, print, asJson }: CommandGroup) {
  org
    .command('freeze')
    .description('let only reads of an organization through, and run none of its jobs, until it is thawed')
    .argument('<org>', 'id of the organization', parseId)
    .action(async (orgId: string) => {
      const { freezeFor } = await import('./move-organization.ts')
      print().result(...(await freezeFor(context, orgId)))
    })
  org
    .command('thaw')
    .description('end the freeze of an organization')
    .argument('<org>', 'id of the organization', parseId)
    .action(async (orgId: string) => {
      const { thawFor } = await import('./move-organization.ts')
      print().result(...(await thawFor(context, orgId)))
    })
  org
    .command('move')
    .description('move an organization to another cell; an interrupted move goes on when it is repeated')
    .argument('<org>', 'id of the organization', parseId)
    .option('--to <cell>', 'name of the other cell in the map of the router')
    .option('--environment <file>', 'file with the settings of the other cell')
    .option('--map <file>', 'map of HAProxy from organizations to cells')
    .option('--router <socket...>', 'sockets of HAProxy: paths, or host:port', [])
    .option('--abort', 'undo a move that has not been switched')
    .option('--finish', 'delete what is left in this cell after a move')
    .action(async (orgId: string, options: MoveCommandOptions) => {
      const { moveFor } = await import('./move-organization.ts')
      print().result(...(await moveFor(context, orgId, { ...options, asJson: asJson() })))
    })
}

function addMemberCommands({ program, context, print, roles }: CommandGroup) {
  const member = program.command('member').description('people who may act for an organization')
  const command = (name: string, description: string) =>
    member.command(name).description(description).requiredOption('--org <id>', 'id of the organization')
  const withEmail = (command: Command) =>
    command.requiredOption('--email <email>', 'address of the person', email)
  const role = () => new Option('--role <role>', 'role of the person').choices(roles).makeOptionMandatory()
  withEmail(command('add', 'add a person to an organization, or add one again who was removed'))
    .addOption(role())
    .option('--name <name>', 'name of the person')
    .option('--subject <sub>', 'subject of the person at the identity provider')
    .action(async (options: MemberOptions) => {
      const { addMemberFor } = await import('./provision.ts')
      print().result(...(await addMemberFor(context, options)))
    })
  command('list', 'list the members of an organization, also removed ones').action(
    async ({ org }: { org: string }) => {
      const { listMembersFor } = await import('./provision.ts')
      print().result(...(await listMembersFor(context, org)))
    },
  )
  withEmail(command('role', 'change the role of a person'))
    .addOption(role())
    .action(async (options: MemberOptions) => {
      const { changeRoleFor } = await import('./provision.ts')
      print().result(...(await changeRoleFor(context, options)))
    })
  withEmail(command('remove', 'remove a person; requests are refused from then on')).action(
    async (options: MemberOptions) => {
      const { removeMemberFor } = await import('./provision.ts')
      print().result(...(await removeMemberFor(context, options)))
    },
  )
}

function currency(text: string) {
  if (/^[a-z]{3}$/i.test(text)) return text.toLowerCase()
  throw new InvalidArgumentError('A currency is three letters, such as eur.')
}

function timezone(text: string) {
  if (Intl.supportedValuesOf('timeZone').includes(text) || text === 'UTC') return text
  throw new InvalidArgumentError('A time zone is a name such as Europe/Paris.')
}

function email(text: string) {
  if (/^[^@\s]+@[^@\s]+$/.test(text)) return text
  throw new InvalidArgumentError('An address looks like name@example.com.')
}
