/** The commands of `vacancy import`: take over a portfolio, or a whole organization; and `vacancy export`. */
import { InvalidArgumentError, Option } from 'commander'
import { parseId, withApiOptions, type CommandGroup } from './command-group.ts'
import type { ApiOptions } from './api-client.ts'
import type { FileOptions, MappedColumn } from './import-file.ts'
import type { ImportOptions } from './import-pms.ts'
import type { ExportCommandOptions } from './transfer-organization.ts'

export function addImportCommands({
  program,
  context,
  roles,
  asJson,
  print,
  setExitCode,
}: CommandGroup): void {
  const group = program.command('import').description('take over a portfolio from another system')
  const finish = ([facts, text, isOk]: [facts: object, text: string, isOk: boolean]) => {
    print().result(facts, text)
    if (!isOk) setExitCode(1)
  }
  withApiOptions(group.command('pms'), roles)
    .description('plan an import from a connected PMS, show what it will do, and run it')
    .requiredOption('--target <id>', 'the channel target that is connected to the PMS', parseId)
    .addOption(
      new Option('--include <parts...>', 'what else than units; bookings are in any case').choices([
        'bookings',
        'photos',
      ]),
    )
    .option('--yes', 'run it without asking')
    .option('--plan-only', 'only show what it will do')
    .action(async (options: ApiOptions & ImportOptions) => {
      const { importFromPms } = await import('./import-pms.ts')
      finish(await importFromPms(context, options, asJson()))
    })
  withApiOptions(group.command('run'), roles)
    .description('run a planned import, or continue one that failed, and wait for it')
    .argument('<import>', 'its id', parseId)
    .action(async (id: string, options: ApiOptions) => {
      const { runImport } = await import('./import-pms.ts')
      finish(await runImport(context, id, options, asJson()))
    })
  withApiOptions(group.command('file'), roles)
    .description('import units, rates or bookings from a CSV or JSON file, and print the rows with errors')
    .argument('<path>', 'the file')
    .addOption(
      new Option('--kind <kind>', 'what its rows are')
        .choices(['units', 'rates', 'bookings'])
        .makeOptionMandatory(),
    )
    .option('--map <column=field>', 'the column of a field, where its name does not say it', addMapped)
    .addOption(new Option('--date-order <order>', 'day or month first').choices(['dmy', 'mdy']))
    .option('--dry-run', 'only show what it will do')
    .action(async (path: string, options: ApiOptions & FileOptions) => {
      const { importFile } = await import('./import-file.ts')
      finish(await importFile(context, path, options, asJson()))
    })
  group
    .command('export')
    .description(
      'import an organization that another installation has exported; uses the database, not the API',
    )
    .argument('<folder>', 'the folder of the export')
    .option('--checksum <sha256>', 'the checksum that the export printed')
    .action(async (folder: string, { checksum }: { checksum?: string }) => {
      const { importExport } = await import('./transfer-organization.ts')
      print().result(...(await importExport(context, folder, { checksum, asJson: asJson() })))
    })
  program
    .command('export')
    .description('export everything of an organization into a folder; uses the database, not the API')
    .addHelpText('after', '\nWithout access to the database, owners export with vacancy exports save <path>.')
    .requiredOption('--org <id>', 'id of the organization', parseId)
    .requiredOption('--to <folder>', 'a new or empty folder')
    .option('--with-sealed-secrets', 'export credentials as they are stored, sealed with SECRET_KEYS')
    .action(async (options: ExportCommandOptions) => {
      const { exportToFolder } = await import('./transfer-organization.ts')
      print().result(...(await exportToFolder(context, { ...options, asJson: asJson() })))
    })
}

/** Added to the generated commands of exports, when they exist. */
export function addExportCommands({ program, context, roles, asJson, print }: CommandGroup): void {
  const exports = program.commands.find((command) => command.name() === 'exports')
  if (!exports) return
  withApiOptions(exports.command('save'), roles)
    .description('export everything of the organization, wait for it, and download its file')
    .argument('<path>', 'a new file, such as export.tar')
    .action(async (path: string, options: ApiOptions) => {
      const { saveExport } = await import('./save-export.ts')
      print().result(...(await saveExport(context, path, options, asJson())))
    })
}

/** The names of columns may contain the sign too. */
function addMapped(text: string, mapped: MappedColumn[] = []): MappedColumn[] {
  const [, column, field] = /^(.+)=([a-z_]+)$/.exec(text) ?? []
  if (column && field) return [...mapped, { column, field }]
  throw new InvalidArgumentError('Write it as column=field, such as "Preis pro Nacht=base_price".')
}
