import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { startNodeProcess, type NodeProcess } from './node-process.ts'
import type { World } from './world.ts'

/** Starts the API or a worker. Tests exceed the rate limits, so there are none. */
export const startTestProcess = (
  entrance: 'api' | 'worker',
  env: Record<string, string>,
): Promise<NodeProcess> =>
  startNodeProcess({ file: `server/bin/${entrance}.ts`, env: { RATE_LIMITS: 'false', ...env } })

/** Starts a worker of a queue with the database and the PMS of a world. */
export const startWorkerProcess = (
  { config, pms }: World,
  secretKeys: string,
  queue = 'sync',
): Promise<NodeProcess> =>
  startNodeProcess({
    file: 'server/bin/worker.ts',
    args: [queue],
    env: {
      DATABASE_URL: config.database.url,
      OIDC_ISSUER: config.identity.issuer,
      OIDC_AUDIENCE: config.identity.audience,
      SECRET_KEYS: secretKeys,
      GENERIC_PMS_URL: pms.url,
      ALLOW_PRIVATE_ADDRESSES: 'true',
      LOG_LEVEL: 'error',
    },
  })

/** Runs a command; returns its exit code and output. */
export async function runCommand(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../bin/vacancy.ts'), ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}
