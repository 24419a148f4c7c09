import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from './world.ts'

export interface WorkerProcess extends AsyncDisposable {
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

/** Starts a worker process with the database and the PMS of a world. */
export async function startWorkerProcess({ config, pms }: World, secretKeys: string): Promise<WorkerProcess> {
  const child: ChildProcess = fork(new URL('../bin/worker.ts', import.meta.url), ['sync'], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: config.database.url,
      OIDC_ISSUER: config.identity.issuer,
      OIDC_AUDIENCE: config.identity.audience,
      SECRET_KEYS: secretKeys,
      GENERIC_PMS_URL: pms.url,
      ALLOW_PRIVATE_ADDRESSES: 'true',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const [message] = (await Promise.race([
    once(child, 'message'),
    ended.then((code) => Promise.reject(new Error(`The worker ended with ${code}.`))),
  ])) as [{ ready?: boolean }]
  if (!message.ready) throw new Error('The worker did not say that it is ready.')
  const kill = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal)
    return await ended
  }
  return {
    kill,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null)
        await Promise.race([kill('SIGTERM'), sleep(10_000)])
    },
  }
}
