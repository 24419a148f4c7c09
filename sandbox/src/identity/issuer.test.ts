import assert from 'node:assert/strict'
import { createHmac, createPublicKey, type JsonWebKey } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { startIssuer, type Issuer } from './issuer.ts'

let issuer: Issuer
before(async () => (issuer = await startIssuer()))
after(() => issuer.close())

/** Verifies as the API does, with freshly fetched keys. */
async function verify(token: string) {
  const found = await fetch(`${issuer.issuer}/.well-known/openid-configuration`)
  const { jwks_uri } = (await found.json()) as { jwks_uri: string }
  return jwtVerify(token, createRemoteJWKSet(new URL(jwks_uri)), {
    issuer: issuer.issuer,
    audience: issuer.audience,
    algorithms: ['RS256', 'ES256'],
    typ: 'at+jwt',
    requiredClaims: ['exp', 'sub'],
  })
}

test('a token is valid and contains its claims', async () => {
  const { payload, protectedHeader } = await verify(await issuer.sign({ sub: 'someone', role: 'owner' }))
  assert.deepEqual([payload.sub, payload.role], ['someone', 'owner'])
  assert.deepEqual(protectedHeader, { alg: 'RS256', typ: 'at+jwt', kid: 'test-1' })
})

test('an added key is used and served at once; a removed one is no longer served', async () => {
  const kid = issuer.addKey('ES256')
  const token = await issuer.sign({ sub: 's' })
  assert.deepEqual(decodeProtectedHeader(token), { alg: 'ES256', typ: 'at+jwt', kid })
  await verify(token)
  await verify(await issuer.sign({ sub: 's' }, { alg: 'RS256' }))
  issuer.removeKey(kid)
  await assert.rejects(verify(token), errors.JWKSNoMatchingKey)
  await assert.rejects(verify(await issuer.sign({ sub: 's' }, { kid })), errors.JWKSNoMatchingKey)
  await verify(await issuer.sign({ sub: 's' }))
})

const bad: [string, () => Promise<string>, new (...args: never[]) => Error][] = [
  ['another issuer', () => issuer.sign({ sub: 's', iss: 'http://else' }), errors.JWTClaimValidationFailed],
  ['another audience', () => issuer.sign({ sub: 's', aud: 'else' }), errors.JWTClaimValidationFailed],
  ['the past', () => issuer.sign({ sub: 's', exp: 1 }), errors.JWTExpired],
  ['no expiry', () => issuer.sign({ sub: 's', exp: undefined }), errors.JWTClaimValidationFailed],
  ['another type', () => issuer.sign({ sub: 's' }, { typ: 'JWT' }), errors.JWTClaimValidationFailed],
  ['no signature', () => issuer.sign({ sub: 's' }, { alg: 'none' }), errors.JOSEAlgNotAllowed],
  ['the public key as a secret', () => issuer.sign({ sub: 's' }, { alg: 'HS256' }), errors.JOSEAlgNotAllowed],
]
for (const [name, token, refusal] of bad) {
  test(`a token with ${name} is signed as asked, and refused`, async () => {
    await assert.rejects(verify(await token()), refusal)
  })
}

test('alg none leaves the signature empty, HS256 signs with the public key', async () => {
  assert.match(await issuer.sign({}, { alg: 'none' }), /^[\w-]+\.[\w-]+\.$/)
  const token = await issuer.sign({}, { alg: 'HS256' })
  const [header, payload, signature] = token.split('.')
  const { keys } = (await (await fetch(`${issuer.issuer}/jwks`)).json()) as { keys: JsonWebKey[] }
  const key = createPublicKey({ key: keys[0] as JsonWebKey, format: 'jwk' })
  const secret = key.export({ type: 'spki', format: 'pem' })
  assert.equal(createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url'), signature)
})

test('a token can name the kid of another key, or none', async () => {
  const other = issuer.addKey()
  issuer.removeKey(other)
  const forged = await issuer.sign({ sub: 's' }, { kid: other, header: { kid: 'test-1' } })
  await assert.rejects(verify(forged), errors.JWSSignatureVerificationFailed)
  assert.equal(decodeProtectedHeader(await issuer.sign({}, { kid: null })).kid, undefined)
  assert.equal(decodeJwt(await issuer.sign({ iat: undefined })).iat, undefined)
})

test('counts the requests for the keys', async () => {
  const before = issuer.requests
  const keys = createRemoteJWKSet(new URL(`${issuer.issuer}/jwks`))
  const token = await issuer.sign()
  await jwtVerify(token, keys)
  await jwtVerify(token, keys)
  assert.equal(issuer.requests, before + 1)
})
