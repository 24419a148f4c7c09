import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { chromium, type Browser, type Page } from '@playwright/test'
import { guests } from '../../test/guests.ts'
import { authorizationAt } from '../../test/visitor.ts'
import { startIdentity } from './server.ts'
import { listen, stopListening } from '../../test/listen.ts'

const executablePath = process.env.TEST_CHROMIUM ?? process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

if (existsSync(executablePath)) describe('in a browser', inBrowser)
else console.error(`NOT TESTED HERE: the sign-in page in Chromium, which is not at ${executablePath}`)

function inBrowser() {
  const site = createServer(
    (_req, res) => void res.setHeader('content-type', 'text/html').end('<h1>Console</h1>'),
  )
  const verifier = 'v'.repeat(43)
  let origin: string
  let identity: Awaited<ReturnType<typeof startIdentity>>
  let browser: Browser
  let page: Page

  before(async () => {
    origin = (await listen(site, {})).replace('127.0.0.1', 'localhost')
    identity = await startIdentity({ people: () => guests, consoleOrigin: origin })
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  })
  after(async () => {
    await browser.close()
    await identity.close()
    await stopListening(site)
  })

  test('the page fits a telephone and passes the rules of accessibility', async () => {
    await page.goto(authorizationAt(identity.issuer, origin, verifier))
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
    await page.evaluate(axe)
    const broken = await page.evaluate<string[]>(
      'axe.run().then(({ violations }) => violations.map(({ id }) => id))',
    )
    assert.deepEqual(broken, [])
  })

  test('one press signs in; signing out returns by itself, and the next sign-in asks again', async () => {
    await page.goto(authorizationAt(identity.issuer, origin, verifier))
    await page.getByRole('button', { name: /Vera.*viewer/ }).click()
    await page.waitForURL(`${origin}/callback?code=*`)
    const fields = {
      grant_type: 'authorization_code',
      client_id: 'vacancy-console',
      code: new URL(page.url()).searchParams.get('code'),
      code_verifier: verifier,
      redirect_uri: `${origin}/callback`,
    }
    // From inside the page, so that the browser's own rules about other origins apply.
    const tokens = await page.evaluate<{ id_token: string }>(
      `fetch('${identity.issuer}/token', { method: 'POST', body: new URLSearchParams(${JSON.stringify(fields)}) }).then((res) => res.json())`,
    )
    const query = new URLSearchParams({
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: `${origin}/`,
    })
    await page.goto(`${identity.issuer}/session/end?${query}`)
    await page.waitForURL(`${origin}/`)
    await page.goto(authorizationAt(identity.issuer, origin, verifier))
    assert.equal(await page.getByRole('button').count(), guests.length)
  })
}
