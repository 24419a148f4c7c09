import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeFolder } from '../../server/test/remove-folder.ts'

const root = resolve(import.meta.dirname, '../..')
const startTimeoutMs = 120_000

export interface Product extends AsyncDisposable {
  home: string
  apiUrl: string
  pmsUrl: string
  paymentsUrl: string
  /** Requests with it are not limited: tests send more in a minute than anybody. */
  internalToken: string
}

/** The whole product as `npm start` runs it, on free ports and in a folder of its own. */
export const startProduct = async ({ seed = 'portfolio' } = {}): Promise<Product> => {
  const home = mkdtempSync(join(tmpdir(), 'vacancy-console-'))
  const { PATH, HOME, TMPDIR, LANG, NODE_COMPILE_CACHE } = process.env
  const inherited = { PATH, HOME, TMPDIR, LANG, NODE_COMPILE_CACHE }
  const env = { ...inherited, VACANCY_HOME: home, PORT: '0', VACANCY_SEED: seed }
  const child = spawn(process.execPath, [join(root, 'server/bin/vacancy.ts'), 'start'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()))
  const ended = once(child, 'exit')

  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await ended
    }
    removeFolder(home)
  }

  try {
    const running = await untilRunning(join(home, 'running.json'), () => child.exitCode !== null)
    return {
      home,
      apiUrl: running.api_url,
      pmsUrl: running.pms_url,
      paymentsUrl: running.payments_url,
      internalToken: readInternalToken(home),
      [Symbol.asyncDispose]: stop,
    }
  } catch (cause) {
    await stop()
    throw new Error(`The product did not start. Its output:\n${output}`, { cause })
  }
}

const readInternalToken = (home: string) =>
  (JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8')) as Record<string, string>)[
    'internal_service_token'
  ]!

/** A new organization, which has nothing yet, and an owner who can sign in. */
export const addOrganization = (product: Product, organization: string, owner: string) => {
  const created = createOrganization(product, organization)
  addPerson(product, {
    ...{ email: 'owner@new.example', name: owner, org: organization, org_name: organization },
    ...{ org_id: created.organization.id, account_id: created.account.id },
  })
}

/** Somebody whose token names an organization that nobody has connected. */
export const addStranger = (product: Product, name: string) =>
  addPerson(product, {
    ...{ email: 'stranger@new.example', name, org: 'strange', org_name: 'Elsewhere' },
    ...{ org_id: crypto.randomUUID() },
  })

/** Somebody of the demonstration whose token lists no permission, as that of a program may. */
export const addProgram = (product: Product, name: string) => {
  const [demonstration] = readPeople(product)
  addPerson(product, {
    ...{ ...demonstration, email: 'program@new.example', name },
    ...{ id: crypto.randomUUID(), role: 'service' },
  })
}

/** An owner of the demonstration and of a new organization, whose token names neither; returns the name of the first. */
export const addOwnerOfTwo = (product: Product, organization: string, name: string): string => {
  const [demonstration] = readPeople(product)
  for (const id of [demonstration!.org_id, createOrganization(product, organization).organization.id])
    addMember(product, id, name, 'owner')
  return demonstration!.org_name
}

/** A manager of the demonstration only; returns how an owner changes the role, removes them, or moves them elsewhere. */
export const addOneMember = (product: Product, name: string) => {
  const id = readPeople(product)[0]!.org_id
  addMember(product, id, name, 'manager')
  const change = (action: string, ...more: string[]) =>
    runVacancy(product, ['member', action, '--org', id, '--email', emailOf(name), ...more])
  return {
    setRole: (role: string) => change('role', '--role', role),
    remove: () => change('remove'),
    moveTo: (organization: string) => {
      addMember(product, createOrganization(product, organization).organization.id, name, 'manager')
      change('remove')
    },
  }
}

const emailOf = (name: string) => `${name.toLowerCase().replace(' ', '.')}@new.example`

const addMember = (product: Product, org: string, name: string, role: string) => {
  const person = ['--email', emailOf(name), '--name', name, '--role', role]
  runVacancy(product, ['member', 'add', '--org', org, ...person])
}

const createOrganization = (product: Product, name: string) =>
  runVacancy(product, ['org', 'create', '--name', name]) as Record<'organization' | 'account', { id: string }>

const runVacancy = ({ home }: Product, args: string[]): unknown => {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, HOME, NODE_COMPILE_CACHE, VACANCY_HOME: home }
  const command = [join(root, 'server/bin/vacancy.ts'), ...args, '--json']
  return JSON.parse(execFileSync(process.execPath, command, { env }).toString())
}

/** The people who can sign in. */
const peoplePath = ({ home }: Product) => join(home, 'people.json')
const readPeople = (product: Product) =>
  JSON.parse(readFileSync(peoplePath(product), 'utf8')) as { org_id: string; org_name: string }[]
const addPerson = (product: Product, person: object) => {
  const added = { id: crypto.randomUUID(), role: 'owner', ...person }
  writeFileSync(peoplePath(product), JSON.stringify([...readPeople(product), added]))
}

const untilRunning = async (path: string, hasEnded: () => boolean) => {
  const deadline = performance.now() + startTimeoutMs
  while (!existsSync(path)) {
    if (hasEnded()) throw new Error('It ended')
    if (performance.now() > deadline) throw new Error('It took too long')
    await sleep(100)
  }
  return JSON.parse(readFileSync(path, 'utf8')) as Record<'api_url' | 'pms_url' | 'payments_url', string>
}
