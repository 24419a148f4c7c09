import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test } from 'node:test'
import { SignJWT } from 'jose'
import { startIssuer, type Issuer } from '../../../../sandbox/src/issuer.ts'
import { startFaultProxy } from '../../../test/fault-proxy.ts'
import { cacheSeconds } from '#features/session/recognize.ts'
import { until } from '../../../test/stock.ts'
import { ProviderAway, TokenRefused } from './identity.ts'
import { keysBounds, oidcIdentity } from './oidc-identity.ts'

let issuer: Issuer
before(async () => (issuer = await startIssuer()))
after(() => issuer.close())

const options = { audience: 'https://api.vacancy.local', leewaySeconds: 30, requireAccessTokenType: false }

suite('keys of the provider', () => {
  test('the bounds of the product: removed keys are out within 60 s, new ones in within 5 s', () => {
    assert.ok(keysBounds.maxAgeMs + cacheSeconds * 1_000 < 60_000)
    assert.ok(keysBounds.cooldownMs < 5_000)
  })

  test('a removed key is used until the set is read again, then refused', async () => {
    const kid = issuer.addKey()
    const { verify } = oidcIdentity({ ...options, issuer: issuer.issuer, keysMaxAgeMs: 300 })
    const token = await issuer.sign({ sub: 'ana' }, { kid })
    await verify(token)
    issuer.removeKey(kid)
    await sleep(310)
    await assert.rejects(verify(token), TokenRefused)
    await verify(await issuer.sign({ sub: 'ana' }))
  })

  test('a new key is accepted after the pause between two reads', async () => {
    const { verify } = oidcIdentity({ ...options, issuer: issuer.issuer, cooldownMs: 300 })
    await verify(await issuer.sign({ sub: 'ana' }))
    const token = await issuer.sign({ sub: 'ana' }, { kid: issuer.addKey() })
    await sleep(310)
    await verify(token)
  })

  test('tokens with unknown keys do not make us call the provider for each of them', async () => {
    const { verify } = oidcIdentity({ ...options, issuer: issuer.issuer })
    await verify(await issuer.sign({ sub: 'ana' }))
    const before = issuer.requests
    for (let n = 0; n < 50; n++)
      await assert.rejects(
        verify(await issuer.sign({ sub: 'ana' }, { header: { kid: `k${n}` } })),
        TokenRefused,
      )
    assert.equal(issuer.requests, before)
  })
})

suite('a provider in trouble', () => {
  /** A provider whose answers the test decides. */
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

  const troubles: [string, (path: string, self: string) => { status?: number; body: string }][] = [
    ['discovery fails', () => ({ status: 500, body: '' })],
    ['discovery is no JSON', () => ({ body: '<html>' })],
    ['discovery is of another issuer', (_path, self) => ({ body: discovery(self, 'http://else') })],
    ['discovery redirects', () => ({ status: 302, body: '' })],
    ['discovery names no keys', (_path, self) => ({ body: JSON.stringify({ issuer: self }) })],
    [
      'the keys fail',
      (path, self) => (isDiscovery(path) ? { body: discovery(self) } : { status: 503, body: '' }),
    ],
    ['the keys are no JSON', (path, self) => ({ body: isDiscovery(path) ? discovery(self) : 'x' })],
    ['the keys are no keys', (path, self) => ({ body: isDiscovery(path) ? discovery(self) : '{"keys":7}' })],
  ]
  for (const [what, answer] of troubles)
    test(what, async () => {
      await using trouble = await provider(answer)
      const { verify } = oidcIdentity({ ...options, issuer: trouble.url })
      await assert.rejects(verify(await issuer.sign({ sub: 'ana', iss: trouble.url })), ProviderAway)
    })

  test('a key that names no algorithm is good for RS256 only', async () => {
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
      await assert.rejects(verify(await signed(alg)), TokenRefused)
  })

  test('nobody answers; and once somebody does, tokens are accepted', async () => {
    const late = await startIssuer()
    const port = Number(new URL(late.issuer).port)
    await late.close()
    const identity = oidcIdentity({ ...options, issuer: late.issuer })
    await assert.rejects(identity.verify(await late.sign({ sub: 'ana' })), ProviderAway)
    assert.equal(await identity.reachable(), false)
    const back = await startIssuer({ port })
    try {
      await identity.verify(await back.sign({ sub: 'ana' }))
      assert.equal(await identity.reachable(), true)
    } finally {
      await back.close()
    }
  })

  for (const mode of ['refuse', 'blackhole'] as const)
    test(`that goes away (${mode}): known keys go on, unknown ones cannot be checked`, async () => {
      await using home = await distant()
      const bounds = { keysMaxAgeMs: 200, cooldownMs: 100 }
      const { verify } = oidcIdentity({ ...options, issuer: home.url, ...bounds })
      const sign = (kid?: string) => issuer.sign({ sub: 'ana', iss: home.url }, kid ? { kid } : {})
      await verify(await sign())
      await home.way.set({ mode })
      await sleep(210)
      // The first waits for the provider in vain, those after it do not.
      for (let n = 0; n < 20; n++) await verify(await sign())
      await assert.rejects(verify(await sign(issuer.addKey())), ProviderAway)

      const removed = issuer.addKey()
      await home.way.set({ mode: 'pass' })
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
      await assert.rejects(verify(token), TokenRefused)
    })

  test('known keys do not go on for ever', async () => {
    await using home = await distant()
    const bounds = { keysMaxAgeMs: 100, cooldownMs: 50, keysOutliveMs: 300 }
    const { verify } = oidcIdentity({ ...options, issuer: home.url, ...bounds })
    const token = await issuer.sign({ sub: 'ana', iss: home.url })
    await verify(token)
    await home.way.set({ mode: 'refuse' })
    await sleep(310)
    await assert.rejects(verify(token), ProviderAway)
  })

  /** A provider with the keys of the issuer, at the end of a way that can be disturbed. */
  async function distant() {
    const ways: Awaited<ReturnType<typeof startFaultProxy>>[] = []
    const set = async () => await (await fetch(`${issuer.issuer}/jwks`)).text()
    const server: Server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json')
      if (isDiscovery(request.url!)) return void response.end(discovery(ways[0]!.url))
      void set().then((keys) => response.end(keys))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as { port: number }
    const way = await startFaultProxy(`http://127.0.0.1:${port}`)
    ways.push(way)
    return {
      ...{ url: way.url, way },
      async [Symbol.asyncDispose]() {
        await way[Symbol.asyncDispose]()
        server.close()
      },
    }
  }
})
