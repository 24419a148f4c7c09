/** Checks every configured system, and reports faults with their remedies. */
import { ConfigError, readConfig, type Config } from '#config/config.ts'
import { freeBytes, minFreeBytes } from '#process/full-disk.ts'
import { runCheck, type DoctorCheck, type Finding } from './doctor-check.ts'
import { checkDatabase } from './doctor-database.ts'
import { checkSecretAges, checkSecrets } from './doctor-secrets.ts'
import { checkFiles, checkMail, checkSms } from './doctor-outgoing.ts'
import { checkPayments } from './doctor-payments.ts'
import { checkApi, checkIssuer, checkPms, checkRedis } from './doctor-services.ts'
import { environmentOf, homeOf } from './product.ts'
import { errorMessage, type CommandContext } from './command-context.ts'

const lowFreeBytes = 1_000_000_000

export async function runDoctor(context: CommandContext): Promise<Finding[]> {
  const [environment, product] = findEnvironment(context)
  const [config, configuration] = environment ? findConfig(environment) : [undefined, []]
  const running = homeOf(context).readRunning()
  const checks = [
    checkNode,
    checkDisk(homeOf(context).path),
    ...(config
      ? [
          ...checkDatabase(config),
          checkSecrets(config),
          checkSecretAges(config),
          checkRedis(config),
          checkIssuer(config),
          checkPms(config),
          ...checkPayments(config),
          checkFiles(config),
          checkMail(config),
          checkSms(config),
        ]
      : []),
    ...(running ? [checkApi(running.api_url)] : []),
  ]
  const findings = await Promise.all(checks.filter((check) => check !== undefined).map(runCheck))
  return [...product, ...configuration, ...findings]
}

/** One line for each check, and one more for the remedy of a failed one. */
export function formatFindings(findings: Finding[]) {
  const width = Math.max(...findings.map(({ name }) => name.length)) + 2
  return findings
    .map(({ ok, name, detail, advice }) => {
      const line = `${ok ? '✓' : '✗'} ${name.padEnd(width)}${detail}`
      return ok || !advice ? line : `${line}\n  ${''.padEnd(width)}→ ${advice}`
    })
    .join('\n')
}

function findEnvironment(context: CommandContext) {
  const name = 'Product'
  try {
    const environment = environmentOf(context)
    const detail = context.env['DATABASE_URL']
      ? 'given by the environment'
      : `running in ${homeOf(context).path}`
    return [environment, [{ name, ok: true, detail }]] as const
  } catch (error) {
    return [undefined, [{ name, ok: false, detail: errorMessage(error) }]] as const
  }
}

function findConfig(environment: Record<string, string | undefined>): [Config | undefined, Finding[]] {
  const name = 'Configuration'
  try {
    return [readConfig(environment), [{ name, ok: true, detail: 'all settings are valid' }]]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const advice = 'docs/operations.md lists every setting.'
    return [undefined, error.faults.map((detail) => ({ name, ok: false, detail, advice }))]
  }
}

const checkNode: DoctorCheck = {
  name: 'Node',
  advice: 'Run the command through npx vacancy, which brings its own Node.',
  run: async () => {
    if (Number(process.versions.node.split('.')[0]) < 24)
      throw new Error(`${process.versions.node} is older than 24`)
    return process.versions.node
  },
}

const checkDisk = (folder: string): DoctorCheck => ({
  name: 'Disk',
  advice: 'Free some space, or set VACANCY_HOME to a folder on another disk.',
  run: async () => {
    const bytes = await freeBytes(folder)
    if (bytes === undefined) return 'unknown on this system'
    const free = `${(bytes / 1e9).toFixed(1)} GB free`
    if (bytes < minFreeBytes) throw new Error(`full: ${free}`)
    if (bytes < lowFreeBytes) throw new Error(`only ${free}`)
    return free
  },
})
