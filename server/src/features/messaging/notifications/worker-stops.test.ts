import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import { sql } from '#db/sql.ts'
import { startMail } from '../../../../../sandbox/src/mail/server.ts'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { childEnvironment } from '#test/node-process.ts'
import { expireHeartbeats } from '#test/test-process.ts'
import { openWorld, type World } from '#test/world.ts'

let catcher: Awaited<ReturnType<typeof startMail>>
let beforeAccept: ((to: readonly string[]) => Promise<void>) | undefined
const office = 'office@casa.example'

before(async () => {
  catcher = await startMail({ beforeAccept: async (to) => await beforeAccept?.(to) })
})
after(() => catcher.close())

suite('a worker stops while it sends', () => {
  test('a killed worker loses no e-mail, and the repetition has the same Message-ID', async (t) => {
    await using alone = await openWorld({ env: { SMTP_URL: catcher.smtpUrl } })
    const caller = await alone.home.as('owner')
    const first = await worker(alone)
    const exited = once(first, 'exit')
    t.after(() => first.kill('SIGKILL'))
    const seen: string[] = []
    beforeAccept = async (to) => {
      seen.push(to.join())
      if (seen.length > 1) return
      first.kill('SIGKILL')
      await exited
      throw Object.assign(new Error('Too late'), { responseCode: 451 })
    }
    const body = { to: office, subject: 'Twice tried', body: 'Hello' }
    const { job_id } = expectStatus(await caller.post('/api/v1/test/send-email', body), 201)
    await exited
    await expireHeartbeats(alone)
    await alone.resources.database.pipelined({ orgId: alone.home.id }, [
      sql`update notifications set claimed_until = now() where id = ${job_id}`,
    ])
    const second = await worker(alone)
    t.after(() => second.kill('SIGKILL'))
    const sent = await until(
      async () => expectStatus(await caller.get(`/api/v1/notifications/${job_id}`), 200).notification,
      ({ status }) => status === 'sent',
      60,
    )
    assert.deepEqual([sent.attempts, seen.length, catcher.messages().length], [2, 2, 1])
    assert.match(catcher.messages()[0]!.message_id!, new RegExp(`^<${job_id}@`))
    second.kill('SIGTERM')
    await once(second, 'exit')
  })

  test('a worker that goes on after another has taken over does not have the e-mail sent once more', async (t) => {
    await using alone = await openWorld({ env: { SMTP_URL: catcher.smtpUrl } })
    const caller = await alone.home.as('owner')
    const [arrived, accepts] = [1, 2].map(() => Promise.withResolvers<void>()) as [Gate, Gate]
    let attempts = 0
    catcher.clear()
    const first = await worker(alone)
    t.after(() => first.kill('SIGKILL'))
    beforeAccept = async () => {
      if (++attempts === 1) {
        first.kill('SIGSTOP')
        arrived.resolve()
        throw Object.assign(new Error('Later'), { responseCode: 451 })
      }
      if (attempts === 2) {
        first.kill('SIGCONT')
        await accepts.promise
      }
    }
    const body = { to: office, subject: 'Stopped', body: 'Hello' }
    const { job_id } = expectStatus(await caller.post('/api/v1/test/send-email', body), 201)
    await arrived.promise
    await expireHeartbeats(alone)
    await alone.resources.database.pipelined({ orgId: alone.home.id }, [
      sql`update notifications set claimed_until = now() where id = ${job_id}`,
    ])
    const second = await worker(alone)
    t.after(() => second.kill('SIGKILL'))
    // The first worker has saved its result when it has ended.
    await until(
      () => Promise.resolve(attempts),
      (count) => count === 2,
      60,
    )
    first.kill('SIGTERM')
    await once(first, 'exit')
    const [[row]] = await alone.resources.database.pipelined({ orgId: alone.home.id }, [
      sql<{ is_claimed: boolean }>`
        select claimed_until > now() as is_claimed from notifications where id = ${job_id}`,
    ])
    assert.ok(row!.is_claimed, 'the attempt of the second worker goes on')
    accepts.resolve()
    const sent = await until(
      async () => expectStatus(await caller.get(`/api/v1/notifications/${job_id}`), 200).notification,
      ({ status }) => status === 'sent',
      60,
    )
    assert.deepEqual([sent.attempts, attempts, catcher.messages().length], [2, 2, 1])
    second.kill('SIGTERM')
    await once(second, 'exit')
  })
})

type Gate = PromiseWithResolvers<void>

/** A worker of its own process that works notifications. */
async function worker({ config }: World) {
  const child = fork(new URL('../../../../bin/worker.ts', import.meta.url), ['notifications'], {
    env: childEnvironment({
      DATABASE_URL: config.database.url,
      OIDC_ISSUER: config.identity.issuer,
      OIDC_AUDIENCE: config.identity.audience,
      SECRET_KEYS: `test:${config.secrets.keys[0]!.bytes.toString('base64')}`,
      SMTP_URL: config.mail!.url,
      LOG_LEVEL: 'error',
    }),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  return child
}
