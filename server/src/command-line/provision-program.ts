// The commands of `vacancy org` and `vacancy member`.
import { InvalidArgumentError, Option, type Command } from 'commander'
import { isMailAddress } from '#mail-address.ts'
import type { MemberOptions, OrganizationOptions } from './provision.ts'
import type { printer, Surroundings } from './surroundings.ts'

interface Program {
  program: Command
  around: Surroundings
  print: () => ReturnType<typeof printer>
  roles: readonly string[]
}

export function describeProvisioning(described: Program): void {
  describeOrganizations(described)
  describeMembers(described)
}

function describeOrganizations({ program, around, print }: Program) {
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
    .action(async (options: OrganizationOptions) => {
      const { createOrganizationFor } = await import('./provision.ts')
      print().answer(...(await createOrganizationFor(around, options)))
    })
  org
    .command('list')
    .description('every organization, with its tier and its members')
    .action(async () => {
      const { listOrganizationsFor } = await import('./provision.ts')
      print().answer(...(await listOrganizationsFor(around)))
    })
  org
    .command('show')
    .description('one organization with all its settings')
    .argument('<org>', 'id of the organization')
    .action(async (orgId: string) => {
      const { showOrganizationFor } = await import('./provision.ts')
      print().answer(...(await showOrganizationFor(around, orgId)))
    })
  org
    .command('set')
    .description('change an organization; "default" gives a setting back to its default')
    .argument('<org>', 'id of the organization')
    .option('--name <name>', 'name of the organization')
    .option('--tier <tier>', 'rate limits: free, paid or enterprise')
    .option('--currency <code>', 'currency of new spaces, such as eur')
    .option('--timezone <zone>', 'time zone of new spaces, such as Europe/Paris')
    .option('--locale <locale>', 'language of messages, such as pt-PT')
    .option('--hold-minutes <minutes>', 'how long a quote or a pending booking holds rooms')
    .option('--free-until-days <days>', 'cancelled this many days before arrival or earlier, all is refunded')
    .option('--refund-percent <percent>', 'what is refunded of a later cancellation')
    .option('--guest-retention-days <days>', "how long after the stay a guest's data is kept")
    .action(async (orgId: string, changes: Record<string, string>) => {
      const { setOrganizationFor } = await import('./provision.ts')
      print().answer(...(await setOrganizationFor(around, orgId, changes)))
    })
}

function describeMembers({ program, around, print, roles }: Program) {
  const member = program.command('member').description('people who may act for an organization')
  const command = (name: string, description: string) =>
    member.command(name).description(description).requiredOption('--org <id>', 'id of the organization')
  const ofPerson = (described: Command) =>
    described.requiredOption('--email <email>', 'address of the person', email)
  const role = () =>
    new Option('--role <role>', 'what the person may do').choices(roles).makeOptionMandatory()
  ofPerson(command('add', 'let a person act for an organization, or bring back one who was removed'))
    .addOption(role())
    .option('--name <name>', 'name of the person')
    .option('--subject <sub>', 'subject of the person at the identity provider')
    .action(async (options: MemberOptions) => {
      const { addMemberFor } = await import('./provision.ts')
      print().answer(...(await addMemberFor(around, options)))
    })
  command('list', 'who may act for an organization, and who may no longer').action(
    async ({ org }: { org: string }) => {
      const { listMembersFor } = await import('./provision.ts')
      print().answer(...(await listMembersFor(around, org)))
    },
  )
  ofPerson(command('role', 'change what a person may do'))
    .addOption(role())
    .action(async (options: MemberOptions) => {
      const { changeRoleFor } = await import('./provision.ts')
      print().answer(...(await changeRoleFor(around, options)))
    })
  ofPerson(command('remove', 'refuse a person from now on')).action(async (options: MemberOptions) => {
    const { removeMemberFor } = await import('./provision.ts')
    print().answer(...(await removeMemberFor(around, options)))
  })
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
  if (isMailAddress(text)) return text
  throw new InvalidArgumentError('An address looks like name@example.com.')
}
