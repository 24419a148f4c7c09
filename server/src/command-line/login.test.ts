import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Person } from '../../../sandbox/src/identity/people.ts'
import { startIdentity } from '../../../sandbox/src/identity/server.ts'
import { visit, type Jar } from '../../../sandbox/test/visitor.ts'
import { runCommand, followCommand } from '#test/run-command.ts'
import { shareWorld } from '#test/share-world.ts'

let identity: Awaited<ReturnType<typeof startIdentity>>
before(async () => (identity = await startIdentity({ people })))
const { world } = shareWorld(() => ({ env: { OIDC_ISSUER: identity.issuer } }))
after(() => identity.close())

const home = mkdtempSync(join(tmpdir(), 'vacancy-login-'))
after(() => rmSync(home, { recursive: true, force: true }))
const file = join(home, 'credentials.json')

const people = (): Person[] =>
  (['owner', 'viewer'] as const).map((role) => ({
    ...{ id: `${role}-of-home`, name: `The ${role}`, email: `${role}@example.test`, role, org: 'first' },
    ...{ org_id: world.home.id, account_id: world.home.accountId, org_name: 'Home' },
  }))

const env = (more: Record<string, string> = {}) => ({ VACANCY_HOME: home, ...more })
const vacancy = (...args: string[]) => runCommand(args, env())
const stored = () =>
  JSON.parse(readFileSync(file, 'utf8')) as {
    current: string
    profiles: Record<string, { access_token: string; refresh_token: string; expires_at: string }>
  }

/** Chooses a person at the provider, and returns where the browser is sent afterwards. */
async function choose(url: string, person: string) {
  const jar: Jar = new Map()
  const page = await visit(jar, url)
  return await visit(jar, page.url, new URLSearchParams({ person }))
}

async function logInWithBrowser(person: string, ...args: string[]) {
  const command = followCommand(['login', '--url', world.url, '--no-browser', ...args], env())
  const [, url = ''] = await command.written(/^ {2}(http\S+)$/m)
  const { location } = await choose(url, person)
  const callback = new URL(location ?? '')
  const strange = new URL(callback)
  strange.searchParams.set('state', 'another')
  assert.equal((await fetch(strange)).status, 400, 'the code of another sign-in is not taken')
  assert.equal((await fetch(callback)).status, 200)
  return await command.outcome
}

suite('vacancy login', () => {
  test('signs in through a browser, and commands then need no token', async () => {
    const { code, out, err } = await logInWithBrowser('owner-of-home')
    assert.equal(code, 0, err)
    assert.match(out, /^User +The owner, owner@example.test$/m)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.match((await vacancy('whoami')).out, /^Role +owner$/m)
    assert.equal((await vacancy('post', 'spaces', 'name=Casa')).code, 0)
    const { profiles, current } = stored()
    for (const { access_token, refresh_token } of Object.values(profiles))
      for (const secret of [access_token, refresh_token]) assert.ok(!`${out}${err}`.includes(secret))
    assert.equal(current, new URL(world.url).host)
  })

  test('signs in on another device', async () => {
    const command = followCommand(['login', '--url', world.url, '--device', '--profile', 'viewer'], env())
    const [, url = ''] = await command.written(/^ {2}(http\S+)$/m)
    const jar: Jar = new Map()
    const { html, url: page } = await visit(jar, url)
    const form = (text: string) =>
      new Map(
        [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
          ([, ...pair]) => pair as [string, string],
        ),
      )
    const confirmation = await visit(jar, page.replace(/\?.*/, ''), new URLSearchParams([...form(html)]))
    const { url: people } = await visit(
      jar,
      page.replace(/\?.*/, ''),
      new URLSearchParams([...form(confirmation.html)]),
    )
    await visit(jar, people, new URLSearchParams({ person: 'viewer-of-home' }))
    const { code, out, err } = await command.outcome
    assert.equal(code, 0, err)
    assert.match(out, /^Role +viewer$/m)
  })

  test('keeps several sign-ins by name', async () => {
    assert.match((await vacancy('whoami', '--profile', 'viewer')).out, /^Role +viewer$/m)
    const host = new URL(world.url).host
    assert.equal((await vacancy('profiles', 'use', host)).code, 0)
    assert.match((await vacancy('whoami')).out, /^Role +owner$/m)
    assert.match((await vacancy('profiles')).out, new RegExp(`^\\* +${host} +${world.url}$`, 'm'))
    assert.match((await runCommand(['whoami'], env({ VACANCY_PROFILE: 'viewer' }))).out, /^Role +viewer$/m)
    const elsewhere = await vacancy('whoami', '--profile', 'viewer', '--url', 'http://elsewhere.example')
    assert.equal(elsewhere.code, 2, 'a token is never sent to another host')
    assert.equal((await vacancy('whoami', '--profile', 'nobody')).code, 4)
  })

  test('acts for the profile or the role that is named, whatever the environment has', async () => {
    const { profiles } = stored()
    const { access_token } = profiles[new URL(world.url).host]!
    const variables = env({ VACANCY_URL: 'http://elsewhere.example', VACANCY_TOKEN: access_token })
    assert.match((await runCommand(['whoami', '--profile', 'viewer'], variables)).out, /^Role +viewer$/m)
    const { code, err } = await runCommand(['whoami', '--as', 'viewer'], variables)
    assert.equal(code, 1)
    assert.match(err, /^Nothing runs in /, 'a role is one of the product that runs here')
    assert.equal((await vacancy('whoami', '--profile', 'viewer', '--token', access_token)).code, 2)
  })

  test('replaces an expired token once, also for commands that run at the same time', async () => {
    const before = stored()
    const host = new URL(world.url).host
    before.profiles[host]!.expires_at = new Date(0).toISOString()
    writeFileSync(file, JSON.stringify(before))
    const all = await Promise.all([vacancy('whoami'), vacancy('get', 'units'), vacancy('get', 'spaces')])
    assert.deepEqual(
      all.map(({ code }) => code),
      [0, 0, 0],
    )
    const { access_token, refresh_token } = stored().profiles[host]!
    assert.notEqual(access_token, before.profiles[host]!.access_token)
    assert.notEqual(refresh_token, before.profiles[host]!.refresh_token)
  })

  test('says that a sign-in has ended, also while it follows events', async () => {
    const before = stored()
    const host = new URL(world.url).host
    const profile = before.profiles[host]!
    const tail = followCommand(['events', 'tail'], env())
    await tail.written(/^Waiting/m)
    const ended = { ...profile, refresh_token: 'ended', expires_at: new Date(0).toISOString() }
    writeFileSync(file, JSON.stringify({ ...before, profiles: { ...before.profiles, [host]: ended } }))
    await fetch(`${world.url}/api/v1/spaces`, {
      method: 'POST',
      headers: { authorization: `Bearer ${profile.access_token}`, 'content-type': 'application/json' },
      body: '{"name":"Casa Nova"}',
    })
    const outcomes = [await vacancy('whoami'), await tail.outcome]
    writeFileSync(file, JSON.stringify(before))
    for (const { code, err } of outcomes) {
      assert.match(
        err,
        new RegExp(`^The sign-in of ${host} has ended: run vacancy login --profile ${host}.$`, 'm'),
      )
      assert.equal(code, 4)
    }
  })

  test('reports a refusal of the provider', async () => {
    const command = followCommand(['login', '--url', world.url, '--no-browser'], env())
    const [, url = ''] = await command.written(/^ {2}(http\S+)$/m)
    const { searchParams } = new URL(url)
    const callback = new URL(searchParams.get('redirect_uri')!)
    const answer = { state: searchParams.get('state')!, error: 'access_denied' }
    await fetch(`${callback.href}?${new URLSearchParams(answer).toString()}`)
    const { code, err } = await command.outcome
    assert.equal(code, 4)
    assert.match(err, /refuses: access_denied\.$/m)
  })

  test('says what is wrong with an address that is not that of Vacancy', async () => {
    const { code, err } = await vacancy('login', '--url', identity.issuer, '--no-browser')
    assert.deepEqual([code, err], [1, `${identity.issuer} is not the address of Vacancy.\n`])
  })
})

suite('vacancy logout', () => {
  test('ends the sign-in: its tokens are accepted nowhere', async () => {
    const { access_token, refresh_token } = stored().profiles['viewer']!
    assert.match((await vacancy('logout', '--profile', 'viewer')).out, /^Signed out of /)
    assert.equal((await world.caller(access_token).get('/api/v1/units')).status, 401)
    const refreshed = await fetch(`${identity.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'vacancy-cli', refresh_token }),
    })
    assert.equal(refreshed.status, 400)
    assert.equal((await vacancy('whoami', '--profile', 'viewer')).code, 4)
    assert.equal((await vacancy('logout', '--profile', 'viewer')).code, 5)
  })
})
