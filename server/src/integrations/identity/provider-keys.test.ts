import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test } from 'node:test'
import { SignJWT } from 'jose'
import { startIssuer, type Issuer } from '../../../../sandbox/src/identity/issuer.ts'
import { startFaultProxy } from '#test/fault-proxy.ts'
import { cacheSeconds } from '#features/tenancy/session/authenticate-token.ts'
import { claimSettings } from '#test/claim-settings.ts'
import { until } from '#test/linked-units.ts'
import { ProviderUnavailable, InvalidToken } from './identity.ts'
import { keyCacheTimes, oidcIdentity } from './oidc-identity.ts'

let issuer: Issuer
before(async () => (issuer = await startIssuer()))
after(() => issuer.close())

const options = {
  audience: 'https://api.vacancy.local',
  leewaySeconds: 30,
  requireAccessTokenType: false,
  ...claimSettings(),
}

suite('keys of the provider', () => {
  test('the defaults reject a removed key within 60 s and accept a new one within 5 s', () => {
    assert.ok(keyCacheTimes.maxAgeMs + cacheSeconds * 1_000 < 60_000)
    assert.ok(keyCacheTimes.cooldownMs < 5_000)
  })

  test('a removed key is accepted until the keys are read again', async () => {
    const kid = issuer.addKey()
    const { verify } = oidcIdentity({ ...options, issuer: issuer.issuer, keysMaxAgeMs: 300 })
    const token = await issuer.sign({ sub: 'ana' }, { kid })
    await verify(token)
    issuer.removeKey(kid)
    await sleep(310)
    await assert.rejects(verify(token), InvalidToken)
    await verify(await issuer.sign({ sub: 'ana' }))
  })

  test('a new key is accepted after the cooldown', async () => {
    const { verify } = oidcIdentity({ ...options, issuer: issuer.issuer, cooldownMs: 300 })
    await verify(await issuer.sign({ sub: 'ana' }))
    const token = await issuer.sign({ sub: 'ana' }, { kid: issuer.addKey() })
    await sleep(310)
    await verify(token)
  })

  test('the keys are not read again for each token with an unknown key', async () => {
    const { verify } = oidcIdentity({ ...options, issuer: issuer.issuer, cooldownMs: 600_000 })
    await verify(await issuer.sign({ sub: 'ana' }))
    const before = issuer.requests
    for (let n = 0; n < 50; n++)
      await assert.rejects(
        verify(await issuer.sign({ sub: 'ana' }, { header: { kid: `k${n}` } })),
        InvalidToken,
      )
    assert.equal(issuer.requests, before)
  })
})

suite('an outage of the provider', () => {
  /** A provider with the given responses. */
  async function provider(answer: (path: string, self: string) => { status?: number; body: string }) {
    const server: Server = createServer((request, response) => {
      const { status = 200, body } = answer(request.url!, self())
      response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' }).end(body)
    })
    const self = () => `http://127.0.0.1:${(server.address() as { port: number }).port}`
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    return { url: self(), [Symbol.asyncDispose]: async () => void server.close() }
  }
  const discovery = (self: string, issuer = self) => JSON.stringify({ issuer, jwks_uri: `${self}/jwks` })
  const isDiscovery = (path: string) => path.startsWith('/.well-known')

  const outages: [string, (path: string, self: string) => { status?: number; body: string }][] = [
    ['discovery fails', () => ({ status: 500, body: '' })],
    ['discovery is not JSON', () => ({ body: '<html>' })],
    ['discovery is of another issuer', (_path, self) => ({ body: discovery(self, 'http://else') })],
    ['discovery redirects', () => ({ status: 302, body: '' })],
    ['discovery names no keys', (_path, self) => ({ body: JSON.stringify({ issuer: self }) })],
    [
      'the keys fail',
      (path, self) => (isDiscovery(path) ? { body: discovery(self) } : { status: 503, body: '' }),
    ],
    ['the keys are not JSON', (path, self) => ({ body: isDiscovery(path) ? discovery(self) : 'x' })],
    [
      'the keys are not a list',
      (path, self) => ({ body: isDiscovery(path) ? discovery(self) : '{"keys":7}' }),
    ],
  ]
  for (const [what, answer] of outages)
    test(what, async () => {
      await using broken = await provider(answer)
      const { verify } = oidcIdentity({ ...options, issuer: broken.url })
      await assert.rejects(verify(await issuer.sign({ sub: 'ana', iss: broken.url })), ProviderUnavailable)
    })

  test('an RSA key without an algorithm is used for RS256 only', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const keys = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k' }] })
    await using open = await provider((path, self) => ({ body: isDiscovery(path) ? discovery(self) : keys }))
    const { verify } = oidcIdentity({ ...options, issuer: open.url })
    const signed = (alg: string) =>
      new SignJWT({ iss: open.url, aud: options.audience, sub: 'ana' })
        .setProtectedHeader({ alg, kid: 'k', typ: 'at+jwt' })
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey)
    await verify(await signed('RS256'))
    for (const alg of ['RS384', 'RS512', 'PS256'])
      await assert.rejects(verify(await signed(alg)), InvalidToken)
  })

  test('a prepared process checks tokens although the provider has gone since', async () => {
    const early = await startIssuer()
    const identity = oidcIdentity({ ...options, issuer: early.issuer })
    const token = await early.sign({ sub: 'ana' })
    await identity.prepare()
    await early.close()
    await identity.verify(token)
    await oidcIdentity({ ...options, issuer: early.issuer }).prepare()
  })

  test('tokens are accepted once the provider responds', async () => {
    const late = await startIssuer()
    const port = Number(new URL(late.issuer).port)
    await late.close()
    const identity = oidcIdentity({ ...options, issuer: late.issuer })
    await assert.rejects(identity.verify(await late.sign({ sub: 'ana' })), ProviderUnavailable)
    const back = await startIssuer({ port })
    try {
      await identity.verify(await back.sign({ sub: 'ana' }))
    } finally {
      await back.close()
    }
  })

  for (const mode of ['refuse', 'blackhole'] as const)
    test(`during an outage (${mode}) known keys are used, and tokens with unknown ones cannot be checked`, async () => {
      await using home = await openProxied()
      const cacheTimes = { keysMaxAgeMs: 200, cooldownMs: 100 }
      const { verify } = oidcIdentity({ ...options, issuer: home.url, ...cacheTimes })
      const sign = (kid?: string) => issuer.sign({ sub: 'ana', iss: home.url }, kid ? { kid } : {})
      await verify(await sign())
      await home.proxy.set({ mode })
      await sleep(210)
      // Only the first call waits for the provider.
      for (let n = 0; n < 20; n++) await verify(await sign())
      await assert.rejects(verify(await sign(issuer.addKey())), ProviderUnavailable)

      const removed = issuer.addKey()
      await home.proxy.set({ mode: 'pass' })
      const token = await sign(removed)
      await until(
        () =>
          verify(token).then(
            () => true,
            () => false,
          ),
        (isKnown) => isKnown,
      )
      issuer.removeKey(removed)
      await sleep(210)
      await assert.rejects(verify(token), InvalidToken)
    })

  test('known keys are used for a limited time', async () => {
    await using home = await openProxied()
    const cacheTimes = { keysMaxAgeMs: 100, cooldownMs: 50, maxStaleKeysMs: 300 }
    const { verify } = oidcIdentity({ ...options, issuer: home.url, ...cacheTimes })
    const token = await issuer.sign({ sub: 'ana', iss: home.url })
    await verify(token)
    await home.proxy.set({ mode: 'refuse' })
    await sleep(310)
    await assert.rejects(verify(token), ProviderUnavailable)
  })

  /** A provider with the keys of the issuer, behind a fault proxy. */
  async function openProxied() {
    const proxies: Awaited<ReturnType<typeof startFaultProxy>>[] = []
    const readKeys = async () => await (await fetch(`${issuer.issuer}/jwks`)).text()
    const server: Server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json')
      if (isDiscovery(request.url!)) return void response.end(discovery(proxies[0]!.url))
      void readKeys().then((keys) => response.end(keys))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as { port: number }
    const proxy = await startFaultProxy(`http://127.0.0.1:${port}`)
    proxies.push(proxy)
    return {
      ...{ url: proxy.url, proxy },
      async [Symbol.asyncDispose]() {
        await proxy[Symbol.asyncDispose]()
        server.close()
      },
    }
  }
})
