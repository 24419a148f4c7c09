import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { claimSettings } from '#test/claim-settings.ts'
import { readClaim, readClaims } from './claims.ts'

const read = (claims: object, variables: Record<string, string> = {}) =>
  readClaims(
    { iss: 'https://login.example', sub: 'ana', exp: 2_000_000_000, ...claims },
    claimSettings(variables),
  )

suite('the path of a claim', () => {
  const payload = {
    role: 'owner',
    'https://vacancy.example/role': 'admin',
    'a.b': 'exact',
    a: { b: 'nested', 'b.c/d~e': 'escaped' },
    list: ['first'],
  }
  const paths: [string, unknown][] = [
    ['role', 'owner'],
    ['https://vacancy.example/role', 'admin'],
    ['a.b', 'exact'],
    ['/a/b', 'nested'],
    ['/a/b.c~1d~0e', 'escaped'],
    ['a.missing', undefined],
    ['role.length', undefined],
    ['list.0', undefined],
    ['constructor', undefined],
    ['a.__proto__', undefined],
  ]
  for (const [path, value] of paths)
    test(`${path} is ${String(value)}`, () => assert.equal(readClaim(payload, path), value))
})

suite('organizations', () => {
  const forms: [string, unknown, string[]][] = [
    ['a name', 'acme', ['acme']],
    ['a list', ['acme', 'other', 7, null], ['acme', 'other']],
    ['an object by alias', { acme: { id: '42' }, other: {} }, ['acme', '42', 'other']],
    ['a list of objects', [{ acme: {} }, { other: {} }], ['acme', 'other']],
    ['a number', 7, []],
    ['an empty list', [], []],
  ]
  for (const [what, organization, names] of forms)
    test(`${what} names ${names.join(', ') || 'none'}`, () =>
      assert.deepEqual(read({ organization }, { OIDC_CLAIM_ORG: 'organization' }).organizations, names))

  test('those of the roles when there is no other claim', () => {
    const role = { owner: { '42': 'acme.example' }, viewer: { '42': 'acme.example', '43': 'other.example' } }
    const { organizations, roles } = read({ role })
    assert.deepEqual(organizations, ['42', '43'])
    assert.deepEqual(roles, [
      { name: 'owner', organizations: ['42'] },
      { name: 'viewer', organizations: ['42', '43'] },
    ])
    assert.deepEqual(read({ role, org_id: '43' }).organizations, ['43'])
  })
})

suite('roles', () => {
  const names = (role: unknown, variables = {}) => read({ role }, variables).roles.map(({ name }) => name)

  test('are read in any case, from a name or a list', () => {
    assert.deepEqual(names('Owner'), ['owner'])
    assert.deepEqual(names(['offline_access', 'MANAGER']), ['offline_access', 'manager'])
  })

  test('have their own names at the provider by setting', () => {
    const variables = { OIDC_ROLE_NAMES: 'Hotel%20managers=manager,/front desk=staff' }
    assert.deepEqual(names(['hotel Managers', '/Front Desk', 'owner'], variables), [
      'manager',
      'staff',
      'owner',
    ])
  })
})

suite('programs', () => {
  const machines: [string, object, boolean][] = [
    ['the client is the subject', { sub: 'importer', client_id: 'importer' }, true],
    ['Auth0', { sub: 'importer@clients', azp: 'importer', gty: 'client-credentials' }, true],
    ['Microsoft Entra', { idtyp: 'app' }, true],
    ['a person', { sub: 'ana', client_id: 'vacancy-console' }, false],
    ['a person with the name of a client', { sub: 'importer', azp: 'importer' }, false],
  ]
  for (const [what, claims, isMachine] of machines)
    test(`${what}: ${isMachine}`, () => assert.equal(read(claims).isMachine, isMachine))

  test('scopes are words of scope and scp', () =>
    assert.deepEqual(read({ scope: 'a:read b:read', scp: ['c:read'] }).scopes, [
      'a:read',
      'b:read',
      'c:read',
    ]))
})
