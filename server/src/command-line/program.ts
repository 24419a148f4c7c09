/** The commands of `vacancy` with their options and help. The code of a command is loaded when it runs. */
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '#process/version.ts'
import { Command, CommanderError, Option } from 'commander'
import { CommandError, exitCodeOf } from './command-error.ts'
import type { CommandGroup } from './command-group.ts'
import { addCompletionCommands, completeCommand, completionsOf } from './completion-commands.ts'
import { addEventCommands, addLogCommand } from './event-commands.ts'
import { addGuestCommands } from './guest-commands.ts'
import { addExportCommands, addImportCommands } from './import-commands.ts'
import { addKeyCommands } from './key-commands.ts'
import { addProvisioningCommands } from './provisioning-commands.ts'
import { addRequestCommands } from './request-commands.ts'
import { addSessionCommands } from './session-commands.ts'
import { addSyncCommands } from './sync-commands.ts'
import { errorMessage, printer, type CommandContext } from './command-context.ts'

const roles = ['owner', 'admin', 'manager', 'staff', 'viewer']

/** Returns the exit code: 0 success, 1 failure, 2 usage error; the others are in `command-error.ts`. */
export async function runCommandLine(args: string[], context: CommandContext): Promise<number> {
  let code = 0
  const group = buildProgram(context, (exitCode) => (code = exitCode))
  const { program } = group
  const output = printer(context, args.includes('--json'))
  try {
    const isCompletion = args[0] === completeCommand
    const words = isCompletion ? args.slice(2) : args
    const named = words.find((arg) => !arg.startsWith('-'))
    // Reading the contract takes longer than the rest of a start.
    if (!program.commands.some((command) => command.name() === named)) {
      const { addResourceCommands } = await import('./resource-commands.ts')
      addResourceCommands(group, named)
      addEventCommands(group)
      addExportCommands(group)
    }
    if (isCompletion) return printCompletions(group, words)
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    output.error(errorMessage(error), error instanceof CommandError ? error.facts : {})
    return exitCodeOf(error)
  }
}

function printCompletions({ program, context }: CommandGroup, words: readonly string[]): number {
  for (const word of completionsOf(program, words)) context.out.write(`${word}\n`)
  return 0
}

/** All commands but those of the resources. */
function buildProgram(context: CommandContext, setExitCode: (code: number) => void): CommandGroup {
  const program = new Command('vacancy')
    .description('Channel and inventory management for operators of rentable properties.')
    .version(version)
    .option('--json', 'print JSON')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeErr: (text) => context.err.write(text),
      writeOut: (text) => context.out.write(text),
    })
    .exitOverride()
    .addHelpText('after', examples)
  const command = (name: string, description: string) => program.command(name).description(description)
  const asJson = () => program.opts<{ json?: boolean }>().json === true
  const print = () => printer(context, asJson())

  command('start', 'start everything: database, API, workers, identity provider and sandbox')
    .option('--single-worker', 'one worker process for all queues (the default below 4 GB of memory)')
    .option('--no-single-worker', 'a worker process each for the PMS, payments and notifications')
    .action(async ({ singleWorker }: { singleWorker?: boolean }) => {
      const { supervise } = await import('#start/supervise.ts')
      const choice = singleWorker === undefined ? {} : { singleWorker }
      setExitCode(await supervise({ ...context, asJson: asJson(), ...choice }))
    })
  command('api', 'serve the API and the console').action(async () => {
    const { environmentOf } = await import('./product.ts')
    await context.runEntryPoint('api', [], environmentOf(context))
  })
  command('worker', 'run the jobs of the given queues, or of all')
    .argument('[queue...]', 'names of queues, such as sync')
    .action(async (queues: string[]) => {
      const { isQueue, workedQueues } = await import('#workers.ts')
      const unknown = queues.find((name) => !isQueue(name))
      if (unknown !== undefined)
        throw new CommandError(
          'usage',
          `There is no queue named ${unknown}. The queues are ${workedQueues.join(', ')}.`,
        )
      const { environmentOf } = await import('./product.ts')
      await context.runEntryPoint('worker', queues, environmentOf(context))
    })
  command('ready', 'ask the API or the worker of this container whether it is ready').action(async () => {
    const { isReady } = await import('./ready.ts')
    if (!(await isReady(context.env))) setExitCode(1)
  })
  command('build', 'build the console, as npm start does').action(async () => {
    const { buildConsole } = await import('#start/console-build.ts')
    const built = await buildConsole(context.root, join(tmpdir(), 'vacancy-console-build.log'))
    if (typeof built === 'object') throw new Error(built.failedBecause)
    print().result({ console: built }, `The console is ${built}.`)
  })
  command('migrate', 'apply pending migrations').action(async () => {
    const { runMigrations } = await import('./database.ts')
    print().result(...(await runMigrations(context)))
  })
  command('seed', 'add the demonstration data, once').action(async () => {
    const { seedDatabase } = await import('./database.ts')
    print().result(...(await seedDatabase(context)))
  })
  command('token', 'print a bearer token of the development identity provider')
    .addOption(new Option('--as <role>', 'role of the user').choices(roles).default('owner'))
    .addOption(
      new Option('--org <org>', 'demonstration organization').choices(['first', 'second']).default('first'),
    )
    .action(async ({ as, org }: { as: string; org: string }) => {
      const { requestToken } = await import('./token.ts')
      const token = await requestToken(context, { role: as, org })
      print().result(token, token.access_token)
    })
  const group = { program, context, roles, asJson, print, setExitCode }
  addSessionCommands(group)
  addRequestCommands(group)
  addLogCommand(group)
  addImportCommands(group)
  addCompletionCommands(group)
  addProvisioningCommands(group)
  addKeyCommands(group)
  addGuestCommands(group)
  addSyncCommands(group)
  command('openapi', 'print the OpenAPI document of the API').action(async () => {
    // A test keeps the committed document equal to the routes.
    context.out.write(readFileSync(join(context.root, 'openapi.json'), 'utf8'))
  })
  command('doctor', 'check every configured system and report how to fix faults').action(async () => {
    const { runDoctor, formatFindings } = await import('./doctor.ts')
    const findings = await runDoctor(context)
    print().result({ ok: findings.every(({ ok }) => ok), checks: findings }, formatFindings(findings))
    if (!findings.every(({ ok }) => ok)) setExitCode(1)
  })
  return group
}

const examples = `
Examples:
  npx vacancy start                                everything on this machine; Ctrl-C stops it
  npx vacancy token --as manager --org second      prints a bearer token
  npx vacancy units list --status active           the resources of the API
  npx vacancy get units status=active              any request of the API
  npx vacancy patch units/<id> base_price_cents=12900
  npx vacancy webhooks listen --forward-to http://localhost:3000/hooks
  npx vacancy import pms --target <id>             plan, run and report
  npx vacancy org create --name "Harbour Stays" --currency eur --timezone Europe/Lisbon
  npx vacancy org set <id> --hold-minutes 45 --refund-percent 50
  npx vacancy member add --org <id> --email ana@example.com --role admin
  npx vacancy member remove --org <id> --email ana@example.com
  DATABASE_URL=postgres://… npx vacancy doctor     checks the systems of this environment
  npx vacancy worker sync                          one queue in a process of its own

  npx vacancy sync trigger --all --failed          retries failed syncs and waits for them

Exit codes: 0 success, 1 failure, 2 usage error, 4 not authorized, 5 not found, 6 conflict,
8 too many requests.
Without DATABASE_URL the commands act on the product that runs in VACANCY_HOME (./.vacancy).`
