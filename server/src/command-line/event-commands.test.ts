import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { after, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { verifyWebhook } from '../../../client/src/verify-webhook.ts'
import { expectStatus } from '#test/expect.ts'
import { until } from '#test/linked-units.ts'
import { addSpace } from '#test/records.ts'
import { followCommand, outputOf, runCommand, startCommand } from '#test/run-command.ts'
import { shareWorld } from '#test/share-world.ts'

const { world, owner } = shareWorld({ workers: true })
const home = mkdtempSync(join(tmpdir(), 'vacancy-events-'))
after(() => rmSync(home, { recursive: true, force: true }))

const env = () => ({ VACANCY_HOME: home, VACANCY_URL: world.url, VACANCY_TOKEN: owner.token! })
const vacancy = (...args: string[]) => runCommand(args, env())

interface Event {
  subject_id: string
}

/** Starts a command that follows something, and waits until it does. */
async function follow(pattern: RegExp, ...args: string[]) {
  const child = startCommand(args, env())
  let written = ''
  const output = outputOf(child)
  const isReady = Promise.withResolvers<RegExpExecArray>()
  child.stderr!.on('data', (chunk) => {
    written += String(chunk)
    const match = pattern.exec(written)
    if (match) isReady.resolve(match)
  })
  void output.then(({ err }) => isReady.reject(new Error(`It ended: ${err}`)))
  const match = await isReady.promise
  const nextLine = () => once(child.stdout!, 'data').then(([chunk]) => String(chunk))
  const stop = async () => (child.kill('SIGINT'), await output)
  return { match, nextLine, stop }
}

suite('vacancy events tail', () => {
  test('prints new events as they happen, and continues after a cursor', async () => {
    const before = await addSpace(owner)
    // An event is in the feed, and before its end, when no older transaction of the server is open.
    await until(
      async () => (await owner.get('/api/v1/events?limit=100')).body.events as Event[],
      (events) => events.some(({ subject_id: id }) => id === before.id),
    )
    const tail = await follow(/Waiting/, 'events', 'tail', '--types', 'space.created')
    const line = tail.nextLine()
    const space = await addSpace(owner)
    assert.match(await line, new RegExp(`^\\S+Z +space\\.created +${space.id}\n$`))
    const { code, out, err } = await tail.stop()
    assert.equal(code, 0)
    assert.equal(out.trim().split('\n').length, 1, 'the events before are not printed')
    const [, cursor = ''] = /--after (\S+)/.exec(err) ?? []
    const missed = await addSpace(owner)
    const list = async () => {
      const { out } = await vacancy('events', 'list', '--after', cursor, '--json')
      return (JSON.parse(out) as { events: Event[] }).events.map(({ subject_id: id }) => id)
    }
    assert.deepEqual(await until(list, ({ length }) => length > 0), [missed.id])
  })
})

suite('vacancy webhooks listen and trigger', () => {
  test('forward events to a program, with a signature that it can verify', async () => {
    const received: { body: string; headers: Record<string, string | string[] | undefined> }[] = []
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        received.push({ body, headers: request.headers })
        response.writeHead(received.length === 1 ? 204 : 500).end()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
    const listening = await follow(/(whsec_\S+)/, 'webhooks', 'listen', '--forward-to', url)
    const [, secret = ''] = listening.match
    const line = listening.nextLine()
    const space = await addSpace(owner)
    assert.match(await line, /space\.created +\S+ +204 in \d+ ms/)
    assert.equal((await listening.stop()).code, 0)
    const event = await verifyWebhook(received[0]!.body, received[0]!.headers, secret)
    assert.partialDeepStrictEqual(event, {
      type: 'space.created',
      subject_id: space.id,
      org_id: world.home.id,
    })

    const failed = await vacancy('webhooks', 'trigger', 'space.created', '--forward-to', url)
    assert.equal(failed.code, 1)
    assert.match(failed.err, /responded with 500\.$/m)
    await verifyWebhook(received[1]!.body, received[1]!.headers, secret)
    assert.notEqual(received[1]!.headers['webhook-id'], received[0]!.headers['webhook-id'])
    server.close()
    const never = await vacancy('webhooks', 'trigger', 'payment.failed', '--forward-to', url)
    assert.equal(never.code, 5)
  })
})

suite('vacancy logs', () => {
  test('shows changes of the organization, also as JSON', async () => {
    const { name } = await addSpace(owner)
    const { code, out } = await vacancy('logs', '--limit', '100')
    assert.equal(code, 0)
    assert.match(out, new RegExp(`Z +audit +.*created +space +${name}`))
    const one = await vacancy('logs', '--source', 'audit', '--limit', '1', '--json')
    assert.partialDeepStrictEqual(JSON.parse(one.out), { source: 'audit', name })
  })

  test('prints what is new while it follows, all of it and nothing else', async () => {
    await addSpace(owner)
    const logs = followCommand(['logs', '--source', 'audit', '--limit', '1', '--follow', '--json'], env())
    await logs.written(/\n/)
    const names = Array.from({ length: 120 }, (_, at) => `Room ${at}`)
    await Promise.all(names.map((name) => addSpace(owner, { name })))
    await addSpace(owner, { name: 'The last' })
    await logs.written(/The last/)
    process.emit('SIGINT')
    const { code, out } = await logs.outcome
    assert.equal(code, 0)
    const [, ...found] = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { name: string }).name)
    assert.deepEqual(found.toSorted(), [...names, 'The last'].toSorted())
  })

  test('goes on when the API was away for a moment', async () => {
    const entry = {
      id: '1',
      created_at: '2026-01-01T00:00:00Z',
      kind: 'space',
      changes: [],
      name: 'Back again',
    }
    let requests = 0
    const api = createServer((_, response) => {
      const body = { audit_entries: ++requests > 2 ? [entry] : [], next_cursor: null }
      response.writeHead(requests === 2 ? 500 : 200).end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    await once(api, 'listening')
    const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
    const logs = followCommand(['logs', '--source', 'audit', '-f'], { ...env(), VACANCY_URL: url })
    await logs.written(/Back again/)
    process.emit('SIGINT')
    assert.equal((await logs.outcome).code, 0)
    api.close()
  })

  test('shows why a webhook was not delivered', async () => {
    const endpoint = { url: 'http://127.0.0.1:9/hooks', event_types: ['space.created'] }
    const { id } = expectStatus(await owner.post('/api/v1/webhook-endpoints', endpoint), 201).webhook_endpoint
    await owner.post(`/api/v1/webhook-endpoints/${id}/test`)
    await until(
      () => vacancy('logs', '--source', 'webhooks'),
      ({ out }) => out.includes('The endpoint could not be reached.'),
    )
    expectStatus(await owner.delete(`/api/v1/webhook-endpoints/${id}`), 204)
  })
})

suite('vacancy completion', () => {
  test('completes commands, resources, options and choices in bash', async () => {
    const program = join(import.meta.dirname, '../../bin/vacancy.ts')
    const bin = join(home, 'vacancy')
    writeFileSync(bin, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 })
    const completed = async (...words: string[]) => {
      const quoted = words.map((word) => `'${word}'`).join(' ')
      const script = `source <(vacancy completion bash); COMP_WORDS=(vacancy ${quoted}); COMP_CWORD=${words.length}; _vacancy; echo "\${COMPREPLY[*]}"`
      const PATH = `${home}${delimiter}${process.env['PATH']}`
      return (await promisify(execFile)('bash', ['-c', script], { env: { PATH } })).stdout.trim().split(/\s+/)
    }
    assert.deepEqual(
      await Promise.all([
        completed('comp'),
        completed('listing'),
        completed('webhooks', 'tr'),
        completed('units', 'list', '--space'),
        completed('units', 'list', '--as', 'ma'),
      ]),
      [['completion'], ['listings'], ['trigger'], ['--space-id'], ['manager']],
    )
  })

  test('prints a script for each shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      assert.match((await vacancy('completion', shell)).out, /complete-words/)
    assert.equal((await vacancy('completion', 'tcsh')).code, 2)
  })
})
