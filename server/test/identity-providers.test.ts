import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { parseEnv } from 'node:util'
import { openApp } from '#app.ts'
import { readConfig } from '#config/config.ts'
import { rolePermissions } from '#http/permissions.ts'
import { changeOrganization } from '#features/tenancy/provisioning/organizations.ts'
import { openResources } from '#resources.ts'
import { imitated, organizationIdAt, type Imitated } from '../../sandbox/src/identity/imitations.ts'
import type { Person } from '../../sandbox/src/identity/people.ts'
import { startIdentity } from '../../sandbox/src/identity/server.ts'
import { callerFor } from './caller.ts'
import { shareWorld } from './share-world.ts'

/** Every provider signs in with the settings of its page in docs/identity-providers. */

const { world } = shareWorld()
const roles = ['owner', 'viewer'] as const

for (const provider of imitated)
  suite(provider, () => {
    const closing = new AsyncDisposableStack()
    const settings = readSettings(provider)
    let url: string
    let issuer: string

    before(async () => {
      const audience = settings['OIDC_AUDIENCE']!
      const identity = await startIdentity({ people, imitates: provider, audience })
      closing.defer(() => identity.close())
      issuer = identity.issuer
      const resources = await openResources(
        readConfig({
          DATABASE_URL: world.databaseUrl,
          SECRET_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
          PORT: '0',
          LOG_LEVEL: 'silent',
          ...settings,
          OIDC_ISSUER: issuer,
        }),
        'api',
      )
      closing.defer(() => resources.close())
      const app = await openApp(resources)
      closing.defer(() => app.close())
      url = await app.listen({ port: 0, host: '127.0.0.1' })
      const identityId = organizationIdAt(provider, world.home.id)
      await changeOrganization(world.config, world.home.id, { identityId })
    })
    after(() => closing.disposeAsync())

    for (const role of roles)
      test(`${role} acts for the organization with the role and the permissions of the token`, async () => {
        const token = await tokenOf(issuer, role)
        const { body } = await callerFor(url, token).get('/api/v1/auth/session')
        assert.deepEqual([body.organization?.name, body.role], ['Home', role], JSON.stringify(body))
        assert.deepEqual(body.permissions, rolePermissions[role])
        assert.equal(body.user.name, provider === 'zitadel' ? null : `The ${role}`)
      })

    test('the console asks for what the page says', async () => {
      const { body } = await callerFor(url, null).get('/console.json')
      assert.deepEqual(
        [body.issuer, body.client_id, body.scope, body.resource],
        [
          issuer,
          settings['OIDC_CLIENT_ID'],
          settings['OIDC_SCOPES'] ?? 'openid profile email offline_access',
          null,
        ],
      )
      const audience = provider === 'auth0' ? settings['OIDC_AUDIENCE'] : undefined
      assert.equal(body.extra_params.audience, audience)
    })
  })

test('the token of an organization that nobody connected is refused', async () => {
  const { status, body } = await world
    .caller(await world.issuer.sign({ sub: 'ana', org_id: 'org_unknown', role: 'owner' }))
    .get('/api/v1/spaces')
  assert.deepEqual([status, body.code], [403, 'forbidden'])
})

/** The variables in the shell block of a page. */
function readSettings(provider: Imitated): Record<string, string> {
  const page = readFileSync(new URL(`../../docs/identity-providers/${provider}.md`, import.meta.url), 'utf8')
  return parseEnv(/```sh\n(.*?)```/s.exec(page)![1]!) as Record<string, string>
}

const people = (): Person[] =>
  roles.map((role) => ({
    ...{ id: `id-of-${role}`, email: `${role}@home.example`, name: `The ${role}`, role },
    ...{ org: 'first', org_name: 'Home', org_id: world.home.id, account_id: world.home.accountId },
  }))

async function tokenOf(issuer: string, role: string): Promise<string> {
  const body = new URLSearchParams({
    ...{ client_id: 'vacancy-cli', grant_type: 'urn:vacancy:development', role, org: 'first' },
  })
  const response = await fetch(`${issuer}/token`, { method: 'POST', body })
  const { access_token } = (await response.json()) as { access_token: string }
  assert.equal(response.status, 200)
  return access_token
}
