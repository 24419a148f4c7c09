import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { waitForExit, isAlive } from '#start/processes.ts'
import { until } from './linked-units.ts'
import { reservePort } from './reserve-port.ts'
import { removeFolder } from './remove-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const home = mkdtempSync(join(tmpdir(), 'vacancy-start-'))
const port = await reservePort()
const started: ChildProcess[] = []

after(() => {
  for (const child of started) if (child.pid && isAlive(child.pid)) child.kill('SIGKILL')
  removeFolder(home)
})

suite('vacancy start', () => {
  const api = `http://localhost:${port}`

  suite('with a process for each group of queues', () => {
    let product: Product
    before(async () => (product = await start('--no-single-worker')))

    test('starts everything', async () => {
      assert.equal(product.running.api_url, api)
      assert.equal((await fetch(`${api}/health`)).status, 200)
      const processes = familyOf(product.child.pid!)
      assert.ok(processes.length >= 7, `only ${processes.length} processes`)
      assert.deepEqual(workersOf(product.child.pid!), ['notifications webhooks upkeep', 'payments', 'sync'])
      for (const { queues, url } of product.running.workers) {
        // A check fails after two seconds, which may be too few for a busy machine.
        const health = await until(
          async () => (await (await fetch(`${url}/health`)).json()) as Record<string, unknown>,
          ({ status }) => status === 'healthy',
        )
        assert.deepEqual(health['queues'], queues)
        assert.match(await (await fetch(`${url}/metrics`)).text(), /^# TYPE vacancy_jobs_total counter$/m)
      }
      const ports = product.running.workers.map(({ url }) => Number(new URL(url).port))
      assert.equal(new Set(ports).size, 3)
      assert.ok(Math.min(...ports) >= 1_024, `a port for the administrator: ${ports.join()}`)
    })

    test('the other commands act on it', async () => {
      const token = await run(['token', '--as', 'manager', '--org', 'second'])
      assert.equal(token.code, 0)
      assert.match(token.out, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
      const session = await ask(`${api}/api/v1/auth/session`, token.out.trim())
      assert.equal(session['role'], 'manager')
      const owner = (await run(['token'])).out.trim()
      assert.notDeepEqual(
        (await ask(`${api}/api/v1/auth/session`, owner))['organization'],
        session['organization'],
      )
      const { units } = await ask(`${api}/api/v1/units?limit=3`, owner)
      assert.equal((units as unknown[]).length, 3)
      await renameSpace(owner, 'Renamed')

      const synced = await run(['sync', 'status', '--as', 'viewer', '--json'])
      assert.equal(synced.code, 0, synced.err)
      assert.ok((JSON.parse(synced.out) as { sync_statuses: unknown[] }).sync_statuses.length > 0)

      const doctor = await run(['doctor', '--json'])
      assert.equal(doctor.code, 0, doctor.out)
      const reseal = await run(['secrets', 'reseal'])
      assert.deepEqual([reseal.code, reseal.out], [0, 'Resealed 0 of 6 stored secrets with the key local.\n'])
    })

    test('only this user can read its secrets', async () => {
      for (const name of ['secrets.json', 'ports.json'])
        assert.equal(statSync(join(home, name)).mode & 0o777, 0o600)
    })

    test('a second start reports that it already runs, and where', async () => {
      const second = await run(['start'])
      assert.equal(second.code, 1)
      assert.match(
        second.err,
        new RegExp(`^Vacancy already runs in ${home} at http://localhost:${port}: .*\\d+\\.\n$`),
      )
    })

    test('restarts a killed worker', async () => {
      const worker = familyOf(product.child.pid!).find((pid) => commandOf(pid).includes('worker.ts'))
      process.kill(worker!, 'SIGKILL')
      assert.match(await product.says(/worker ended/), /SIGKILL/)
    })

    test('stops everything on SIGTERM', async () => {
      const processes = familyOf(product.child.pid!)
      await product.stop()
      assert.deepEqual(processes.filter(isAlive), [])
    })
  })

  test('reports a busy port and what to do', async () => {
    const other = createServer().listen(port, '127.0.0.1')
    await new Promise((listening) => other.once('listening', listening))
    const { code, err } = await run(['start'])
    other.close()
    assert.equal(code, 1)
    assert.equal(
      err,
      `Port ${port} is in use: stop the other program or start with PORT=${port + 1} npm start.\n`,
    )
  })

  test('ends on SIGTERM while a worker fails to start', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const product = launch(['--single-worker'], {
      METRICS_PORT: String((other.address() as AddressInfo).port),
    })
    await product.says(/worker ended .* is being restarted/)
    await product.stop()
    other.close()
  })

  test('keeps the data, the addresses and the tokens, also when the supervisor is killed', async () => {
    const first = await start('--single-worker')
    assert.deepEqual(workersOf(first.child.pid!), [''])
    const token = (await run(['token'])).out.trim()
    assert.equal((await firstSpace(token)).name, 'Renamed')
    await renameSpace(token, 'Kept')
    const processes = familyOf(first.child.pid!)
    first.child.kill('SIGKILL')
    for (const pid of processes) assert.equal(await waitForExit(pid, 10_000), true, commandOf(pid))

    const second = await start()
    assert.deepEqual({ ...second.running, ...first.varying }, { ...first.running, ...first.varying })
    assert.equal((await firstSpace(token)).name, 'Kept')
    await second.stop()
  })

  /** The order of the list does not depend on the name. */
  async function firstSpace(token: string) {
    const { spaces } = await ask(`${api}/api/v1/spaces?limit=1`, token)
    return (spaces as { id: string; name: string }[])[0]!
  }

  async function renameSpace(token: string, name: string) {
    const { id } = await firstSpace(token)
    const changed = await fetch(`${api}/api/v1/spaces/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    })
    assert.equal(changed.status, 200)
  }
})

/** The queues in the arguments of each worker process; none stands for all of them. */
const workersOf = (supervisor: number) =>
  familyOf(supervisor)
    .map((pid) => commandOf(pid).split('worker.ts')[1]?.trim())
    .filter((queues) => queues !== undefined)
    .sort()

type Running = {
  pid: number
  started_at: string
  api_url: string
  issuer: string
  workers: { queues: string[]; url: string }[]
}

type Product = Awaited<ReturnType<typeof start>>

async function start(...options: string[]) {
  const product = launch(options)
  const { ready } = JSON.parse(await product.says(/"ready"/)) as { ready: Running }
  return { ...product, running: ready, varying: { pid: 0, started_at: '', workers: [] } }
}

function launch(options: string[], env: Record<string, string> = {}) {
  const child = vacancy(['start', '--json', ...options], env)
  started.push(child)
  let out = ''
  let err = ''
  const listeners = new Set<() => void>()
  child.stderr?.on('data', (text) => (err += text))
  child.stdout?.on('data', (text) => {
    out += text
    listeners.forEach((listener) => listener())
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const says = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const line = out.split('\n').find((each) => pattern.test(each))
        if (line) resolve(line)
      }
      listeners.add(look)
      void ended.then((code) => reject(new Error(`it ended with ${code}: ${out}${err}`)))
      look()
    })
  const stop = async () => {
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
  }
  return { child, ended, says, stop }
}

async function run(args: string[]) {
  const child = vacancy(args)
  let out = ''
  let err = ''
  child.stdout?.on('data', (text) => (out += text))
  child.stderr?.on('data', (text) => (err += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out, err }
}

function vacancy(args: string[], given: Record<string, string> = {}) {
  const { DATABASE_URL: _database, REDIS_URL: _redis, CI: _ci, ...env } = process.env
  return spawn(process.execPath, [join(root, 'server', 'bin', 'vacancy.ts'), ...args], {
    env: { ...env, VACANCY_HOME: home, PORT: String(port), METRICS_PORT: '0', ...given },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function ask(url: string, token: string) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(response.status, 200, url)
  return (await response.json()) as Record<string, unknown>
}

/** The process and all its descendants; PostgreSQL has some of its own, which come and go. */
function familyOf(pid: number): number[] {
  const children = readOf(pid, `task/${pid}/children`).trim().split(' ').filter(Boolean)
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))]
}

const commandOf = (pid: number) => readOf(pid, 'cmdline').replaceAll('\0', ' ')

function readOf(pid: number, name: string) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}
