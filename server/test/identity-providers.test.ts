import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { parseEnv } from 'node:util'
import type { Browser, Page } from '@playwright/test'
import { openApp } from '#app.ts'
import { readConfig } from '#config/config.ts'
import { rolePermissions } from '#http/permissions.ts'
import { changeOrganization } from '#features/tenancy/provisioning/organizations.ts'
import { openResources } from '#resources.ts'
import { buildConsole } from '#start/console-build.ts'
import { expect, isShown, noBrowser, openBrowser, openPage } from '../../console/test/browser.ts'
import { imitated, organizationIdAt, type Imitated } from '../../sandbox/src/identity/imitations.ts'
import type { Person } from '../../sandbox/src/identity/people.ts'
import { startIdentity } from '../../sandbox/src/identity/server.ts'
import { callerFor } from './caller.ts'
import { reservePort } from './reserve-port.ts'
import { shareWorld } from './share-world.ts'

/** Every provider signs in with the settings of its page in docs/identity-providers. */

const root = join(import.meta.dirname, '../..')
const defaultScopes = 'openid profile email offline_access'
const { world } = shareWorld()
const roles = ['owner', 'viewer'] as const
/** Those whose tokens can name several organizations; with the others a person signs in to one. */
const severalAtOnce: readonly Imitated[] = ['keycloak', 'zitadel', 'authentik']
let browser: Browser

before(async () => {
  if (noBrowser) return
  // Before an application is opened, which looks for the pages once.
  const built = await buildConsole(root, join(world.config.home, 'console-build.log'))
  assert.ok(built === 'built' || built === 'current', JSON.stringify(built))
  browser = await openBrowser()
})
after(() => browser?.close())

for (const provider of imitated)
  suite(provider, () => {
    const closing = new AsyncDisposableStack()
    const settings = readSettings(provider)
    let url: string
    let issuer: string

    before(async () => {
      // The provider must know where the console will be, before the console can know the provider.
      const port = await reservePort()
      const identity = await startIdentity({
        ...{ people, imitates: provider, consoleOrigin: `http://127.0.0.1:${port}` },
        ...{ audience: settings['OIDC_AUDIENCE']!, clientId: settings['OIDC_CLIENT_ID']! },
        scopes: settings['OIDC_SCOPES'] ?? defaultScopes,
      })
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
      url = await app.listen({ port, host: '127.0.0.1' })
      for (const { id } of [world.home, world.away])
        await changeOrganization(world.config, id, { identityId: organizationIdAt(provider, id) })
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
        [issuer, settings['OIDC_CLIENT_ID'], settings['OIDC_SCOPES'] ?? defaultScopes, null],
      )
      const audience = provider === 'auth0' ? settings['OIDC_AUDIENCE'] : undefined
      assert.equal(body.extra_params.audience, audience)
    })

    test('a person signs in to the console, and out again', { skip: noBrowser }, async () => {
      const { page, witness } = await openPage(browser, url)
      await signInAs(page, url, 'The viewer')
      await openAccountMenu(page)
      const menu = page.getByRole('menu')
      await expect(menu).toContainText(/viewer/i)
      await expect(menu.getByRole('menuitem', { name: 'Away' })).toHaveCount(0)

      await menu.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      assert.equal(await page.evaluate('Object.keys(sessionStorage).some((key) => /user/.test(key))'), false)
      assert.deepEqual(witness.complaints, [])
      await page.context().close()
    })

    if (severalAtOnce.includes(provider))
      test('a member of two organizations chooses one', { skip: noBrowser }, async () => {
        const { page } = await openPage(browser, url)
        await signInAs(page, url, 'The both')
        for (const organization of ['Away', 'Home']) {
          await openAccountMenu(page)
          const choice = page.getByRole('menuitem', { name: organization })
          // The page is loaded again for the other organization.
          await Promise.all([page.waitForEvent('load'), choice.click()])
          await isShown(page)
          await openAccountMenu(page)
          await expect(choice).toHaveAttribute('aria-current', 'true')
          await page.keyboard.press('Escape')
          await expect(page.getByRole('menu')).toHaveCount(0)
        }
        await page.context().close()
      })
  })

test('the token of an organization that nobody connected is refused', async () => {
  const { status, body } = await world
    .caller(await world.issuer.sign({ sub: 'ana', org_id: 'org_unknown', role: 'owner' }))
    .get('/api/v1/spaces')
  assert.deepEqual([status, body.code], [403, 'forbidden'])
  assert.match(body.detail, /unknown: org_unknown\. The operator of the service connects it/)
})

/** Where a person does, at the provider. */
async function signInAs(page: Page, url: string, name: string) {
  await page.goto(url)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('button[name="person"]', { hasText: name }).click()
  await isShown(page)
}

const openAccountMenu = (page: Page) => page.locator('header [aria-haspopup="menu"]').last().click()

/** The variables in the shell block of a page. */
function readSettings(provider: Imitated): Record<string, string> {
  const page = readFileSync(join(root, 'docs/identity-providers', `${provider}.md`), 'utf8')
  return parseEnv(/```sh\n(.*?)```/s.exec(page)![1]!) as Record<string, string>
}

const person = (id: string, role: Person['role']): Person => ({
  ...{ id: `id-of-${id}`, email: `${id}@home.example`, name: `The ${id}`, role },
  ...{ org: 'first', org_name: 'Home', org_id: world.home.id, account_id: world.home.accountId },
})

const people = (): Person[] => [
  ...roles.map((role) => person(role, role)),
  { ...person('both', 'manager'), other_orgs: [{ org: 'second', org_id: world.away.id }] },
]

async function tokenOf(issuer: string, role: string): Promise<string> {
  const body = new URLSearchParams({
    ...{ client_id: 'vacancy-cli', grant_type: 'urn:vacancy:development', role, org: 'first' },
  })
  const response = await fetch(`${issuer}/token`, { method: 'POST', body })
  const { access_token } = (await response.json()) as { access_token: string }
  assert.equal(response.status, 200)
  return access_token
}
