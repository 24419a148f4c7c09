import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { people } from '#seed/people.ts'
import { openHome, type RunningProduct } from './home.ts'
import { addSandboxPerson, listSandboxPeople, saveSandboxPeople } from './sandbox-people.ts'

suite('people of the sandbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vacancy-people-'))
  const home = openHome(folder)
  const nora = {
    email: 'nora@new.example',
    name: 'Nora',
    role: 'owner',
    org_id: 'new',
    org_name: 'New House',
  }
  const run = (issuer: string) => home.publish({ pid: process.pid, issuer } as RunningProduct, {})
  before(() => {
    home.savePorts({ identity: 4601 })
    run('http://127.0.0.1:4601')
    saveSandboxPeople(home)
  })
  after(() => {
    home.close()
    rmSync(folder, { recursive: true })
  })

  test('an added member signs in, also after the next start', () => {
    const added = addSandboxPerson(home, nora)!
    saveSandboxPeople(home)
    assert.deepEqual(listSandboxPeople(home), [...people, added])
    assert.deepEqual([added.name, added.org_id], ['Nora', 'new'])
  })

  test('a member of another organization chooses one, and is listed once', () => {
    for (let n = 0; n < 2; n++) addSandboxPerson(home, { ...nora, name: null, org_id: 'second' })
    const found = listSandboxPeople(home).filter(({ email }) => email === nora.email)
    assert.deepEqual(
      found.map(({ name, org_id, other_orgs }) => [name, org_id, other_orgs]),
      [['Nora', 'new', [{ org: 'second', org_id: 'second' }]]],
    )
  })

  test('people of the demonstration stay as they are', () => {
    assert.deepEqual(addSandboxPerson(home, { ...nora, email: people[0]!.email }), people[0])
  })

  test('nobody is added for another identity provider', () => {
    run('https://login.example')
    assert.equal(addSandboxPerson(home, nora), undefined)
  })
})
