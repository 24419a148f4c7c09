// Checks every part that is configured, and says of what is wrong how to mend it.
import { ConfigError, readConfig, type Config } from '#config.ts'
import { freeBytes, fullBelowBytes } from '#full-disk.ts'
import type { Check } from './check.ts'
import { checkDatabase } from './doctor-database.ts'
import { checkSecretAges, checkSecrets } from './doctor-secrets.ts'
import { checkApi, checkIssuer, checkPayments, checkPms, checkRedis } from './doctor-outside.ts'
import { environmentOf, homeOf } from './product.ts'
import { failureOf, type Surroundings } from './surroundings.ts'

export type Finding = { name: string; ok: boolean; detail: string; advice?: string }

const deadlineMs = 8_000
const smallestFreeBytes = 1_000_000_000

export async function examine(around: Surroundings): Promise<Finding[]> {
  const [environment, product] = findEnvironment(around)
  const [config, configuration] = environment ? findConfig(environment) : [undefined, []]
  const running = homeOf(around).readRunning()
  const checks = [
    checkNode,
    checkDisk(homeOf(around).path),
    ...(config
      ? [
          ...checkDatabase(config),
          checkSecrets(config),
          checkSecretAges(config),
          checkRedis(config),
          checkIssuer(config),
          checkPms(config),
          checkPayments(config),
        ]
      : []),
    ...(running ? [checkApi(running.api_url)] : []),
  ]
  const findings = await Promise.all(checks.filter((check) => check !== undefined).map(run))
  return [...product, ...configuration, ...findings]
}

/** For a person: what is fine in one line, what is not with what to do. */
export function tabulate(findings: Finding[]) {
  const width = Math.max(...findings.map(({ name }) => name.length)) + 2
  return findings
    .map(({ ok, name, detail, advice }) => {
      const line = `${ok ? '✓' : '✗'} ${name.padEnd(width)}${detail}`
      return ok || !advice ? line : `${line}\n  ${''.padEnd(width)}→ ${advice}`
    })
    .join('\n')
}

function findEnvironment(around: Surroundings) {
  const name = 'Product'
  try {
    const environment = environmentOf(around)
    const detail = around.env['DATABASE_URL']
      ? 'as the environment names it'
      : `runs in ${homeOf(around).path}`
    return [environment, [{ name, ok: true, detail }]] as const
  } catch (error) {
    return [undefined, [{ name, ok: false, detail: failureOf(error) }]] as const
  }
}

function findConfig(environment: Record<string, string | undefined>): [Config | undefined, Finding[]] {
  const name = 'Configuration'
  try {
    return [readConfig(environment), [{ name, ok: true, detail: 'every setting is usable' }]]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const advice = 'docs/operations.md lists every setting.'
    return [undefined, error.faults.map((detail) => ({ name, ok: false, detail, advice }))]
  }
}

async function run({ name, advice, look }: Check): Promise<Finding> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`no answer within ${deadlineMs / 1000} s`)),
    deadlineMs,
  )
  try {
    return { name, ok: true, detail: await Promise.race([look(), late.promise]) }
  } catch (error) {
    return { name, ok: false, detail: failureOf(error), advice }
  } finally {
    clearTimeout(timer)
  }
}

const checkNode: Check = {
  name: 'Node',
  advice: 'Run the command through npx vacancy, which brings its own Node.',
  look: async () => {
    if (Number(process.versions.node.split('.')[0]) < 24)
      throw new Error(`${process.versions.node} is older than 24`)
    return process.versions.node
  },
}

const checkDisk = (folder: string): Check => ({
  name: 'Disk',
  advice: 'Make room, or set VACANCY_HOME to a folder on another disk.',
  look: async () => {
    const bytes = await freeBytes(folder)
    if (bytes === undefined) return 'cannot be asked here'
    const free = `${(bytes / 1e9).toFixed(1)} GB free`
    if (bytes < fullBelowBytes) throw new Error(`full: ${free}`)
    if (bytes < smallestFreeBytes) throw new Error(`only ${free}`)
    return free
  },
})
