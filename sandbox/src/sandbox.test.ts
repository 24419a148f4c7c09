import assert from 'node:assert/strict'
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, test } from 'node:test'

type Ready = { ready: true; issuer: string; pms_url: string; payments_url: string }

const entrance = join(import.meta.dirname, '../bin/sandbox.ts')

let last: ChildProcess | undefined
afterEach(() => last?.kill('SIGKILL'))

function start(stdio: StdioOptions, env: Record<string, string> = {}) {
  last = spawn(process.execPath, [entrance], { stdio, env: { ...process.env, ...env } })
  return last
}

test('with a parent: sends that it is ready, serves all three, prints nothing, stops on SIGTERM', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sandbox-'))
  const list = join(home, 'people.json')
  const person = { id: 'p', email: 'p@x.test', name: 'P', role: 'owner', org_id: 'o', account_id: 'a' }
  writeFileSync(list, JSON.stringify([{ ...person, org: 'first', org_name: 'O' }]))
  const child = start(['ignore', 'pipe', 'pipe', 'ipc'], {
    SANDBOX_HOME: join(home, 'deep'),
    SANDBOX_PEOPLE: list,
  })
  const printed = Promise.all([text(child.stdout as never), text(child.stderr as never)])
  const [{ ready, issuer, pms_url, payments_url }] = (await once(child, 'message')) as [Ready]
  assert.equal(ready, true)
  for (const url of [`${pms_url}/health`, `${payments_url}/health`, `${issuer}/jwks`]) {
    assert.equal((await fetch(url)).status, 200)
  }
  const fields = {
    grant_type: 'urn:vacancy:development',
    client_id: 'vacancy-cli',
    role: 'owner',
    org: 'first',
  }
  const token = await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(fields) })
  assert.equal(token.status, 200)
  child.kill('SIGTERM')
  assert.deepEqual(await ended(child), [0, null])
  assert.deepEqual(await printed, ['', ''])
  rmSync(home, { recursive: true })
})

test('ends by itself when its parent is gone', { timeout: 30_000 }, async () => {
  const child = start(['ignore', 'ignore', 'inherit', 'ipc'])
  await once(child, 'message')
  child.disconnect()
  assert.deepEqual(await ended(child), [0, null])
})

test('without a parent: prints one line of JSON, stops on SIGINT', async () => {
  const child = start(['ignore', 'pipe', 'inherit'])
  const [line] = (await once(child.stdout as never, 'data')) as [Buffer]
  assert.equal((JSON.parse(line.toString()) as Ready).ready, true)
  child.kill('SIGINT')
  assert.deepEqual(await ended(child), [0, null])
})

function ended(child: ChildProcess) {
  return child.exitCode === null ? once(child, 'exit') : [child.exitCode, child.signalCode]
}
