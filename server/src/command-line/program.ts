// The commands of `vacancy`: their names, options and help. What they do is loaded when one is called.
import { Command, CommanderError, Option } from 'commander'
import { exitCodeOf } from './command-failure.ts'
import { describeGuests } from './guest-program.ts'
import { describeKeys } from './keys-program.ts'
import { describeProvisioning } from './provision-program.ts'
import { describeSync } from './sync-program.ts'
import { version } from './version.ts'
import { failureOf, printer, type Surroundings } from './surroundings.ts'

const roles = ['owner', 'admin', 'manager', 'staff', 'viewer']

/** Returns the exit code: 0 done, 1 failed, 2 not understood; the rest stands in `command-failure.ts`. */
export async function runCommandLine(args: string[], around: Surroundings): Promise<number> {
  let code = 0
  const program = describeProgram(around, (ended) => (code = ended))
  const failed = printer(around, args.includes('--json'))
  try {
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    failed.complain(failureOf(error))
    return exitCodeOf(error)
  }
}

function describeProgram(around: Surroundings, ends: (code: number) => void) {
  const program = new Command('vacancy')
    .description('Channel and inventory management for operators of rentable properties.')
    .version(version(around.root))
    .option('--json', 'answer in JSON')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeErr: (text) => around.complain.write(text),
      writeOut: (text) => around.out.write(text),
    })
    .exitOverride()
    .addHelpText('after', examples)
  const command = (name: string, description: string) => program.command(name).description(description)
  const asJson = () => program.opts<{ json?: boolean }>().json === true
  const print = () => printer(around, asJson())

  command('start', 'start everything: database, API, workers, identity provider and stand-ins')
    .option('--single-worker', 'one worker process for all queues (the default below 4 GB of memory)')
    .option('--no-single-worker', 'a worker process each for the PMS, payments and notifications')
    .action(async ({ singleWorker }: { singleWorker?: boolean }) => {
      const { supervise } = await import('#start/supervise.ts')
      const choice = singleWorker === undefined ? {} : { hasSingleWorker: singleWorker }
      ends(await supervise({ ...around, asJson: asJson(), ...choice }))
    })
  command('api', 'serve the API and the console').action(async () => {
    const { environmentOf } = await import('./product.ts')
    await around.enter('api', [], environmentOf(around))
  })
  command('worker', 'work on queues; on all of them when none is named')
    .argument('[queue...]', 'names of queues, such as sync')
    .action(async (queues: string[]) => {
      const { environmentOf } = await import('./product.ts')
      await around.enter('worker', queues, environmentOf(around))
    })
  command('migrate', 'bring the database up to date').action(async () => {
    const { migrateDatabase } = await import('./database.ts')
    print().answer(...(await migrateDatabase(around)))
  })
  command('seed', 'add the demonstration portfolio, once').action(async () => {
    const { seedDatabase } = await import('./database.ts')
    print().answer(...(await seedDatabase(around)))
  })
  command('token', 'print a bearer token of the development identity provider')
    .addOption(new Option('--as <role>', 'role of the user').choices(roles).default('owner'))
    .addOption(
      new Option('--org <org>', 'demonstration organization').choices(['first', 'second']).default('first'),
    )
    .action(async ({ as, org }: { as: string; org: string }) => {
      const { requestToken } = await import('./token.ts')
      const token = await requestToken(around, { role: as, org })
      print().answer(token, token.access_token)
    })
  describeProvisioning({ program, print, around, roles })
  describeKeys({ program, around, asJson, ends })
  describeGuests({ program, around, asJson, ends, roles })
  describeSync({ program, around, asJson, ends, roles })
  command('openapi', 'print the contract of the API').action(async () => {
    const { readContract } = await import('./contract.ts')
    around.out.write(readContract(around.root))
  })
  command('doctor', 'check every part that is configured and say what is wrong').action(async () => {
    const { examine, tabulate } = await import('./doctor.ts')
    const findings = await examine(around)
    print().answer({ ok: findings.every(({ ok }) => ok), checks: findings }, tabulate(findings))
    if (!findings.every(({ ok }) => ok)) ends(1)
  })
  return program
}

const examples = `
Examples:
  npx vacancy start                                everything on this machine; Ctrl-C stops it
  npx vacancy token --as manager --org second      a bearer token, and nothing else
  npx vacancy org create --name "Harbour Stays" --currency eur --timezone Europe/Lisbon
  npx vacancy org set <id> --hold-minutes 45 --refund-percent 50
  npx vacancy member add --org <id> --email ana@example.com --role admin
  npx vacancy member remove --org <id> --email ana@example.com
  DATABASE_URL=postgres://… npx vacancy doctor     checks what this environment names
  npx vacancy worker sync                          one queue in a process of its own

  npx vacancy sync trigger --all --failed          tries again what has failed, and waits

Exit codes: 0 done, 1 failed, 2 not understood, 5 not found, 6 in conflict; of sync also 4 not allowed,
8 too many requests.
Without DATABASE_URL the commands act on the product that runs in VACANCY_HOME (./.vacancy).`
