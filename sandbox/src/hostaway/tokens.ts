import { randomBytes } from 'node:crypto'
import type { Received } from '../json-http.ts'
import { Fail, success, type Reply } from './envelope.ts'
import type { Vendor } from './vendor.ts'

/** The vendor asks to wait this long before a new token is used. */
const ripensMs = 1000
/** 24 months. */
const lifetimeMs = 730 * 86_400_000

/** A token for an account id and its key, by the client credentials grant of OAuth 2.0. */
export function issueToken({ records, now }: Vendor, contentType: string, { text }: Received): Reply {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(contentType)) {
    return refused(400, 'invalid_request', 'The request must be form-encoded.')
  }
  const form = new URLSearchParams(text)
  const missing = ['grant_type', 'client_id', 'client_secret', 'scope'].find((name) => !form.get(name))
  if (missing) return refused(400, 'invalid_request', `The parameter "${missing}" is missing.`)
  if (form.get('grant_type') !== 'client_credentials') {
    return refused(400, 'unsupported_grant_type', 'The grant type must be client_credentials.')
  }
  const account = records.find('account', form.get('client_id') ?? '')
  if (!account || account.apiKey !== form.get('client_secret')) {
    return refused(401, 'invalid_client', 'Client authentication failed.')
  }
  if (form.get('scope') !== 'general') return refused(400, 'invalid_scope', 'The scope must be general.')
  const token = randomBytes(48).toString('base64url')
  const validFromMs = now() + ripensMs
  const kept = { token, accountId: account.id, validFromMs, expiresAtMs: now() + lifetimeMs }
  records.save(['token', token, kept])
  const body = { token_type: 'Bearer', expires_in: lifetimeMs / 1000, access_token: token }
  return { status: 200, body, headers: { 'cache-control': 'no-store' } }
}

export function revokeToken({ records }: Vendor, query: URLSearchParams): Reply {
  const token = query.get('token')
  if (!token) throw new Fail(400, 'Parameter "token" is required.')
  records.save(['token', token, null])
  return success([])
}

/** The account a token stands for, good or not. */
export function tokenHolder({ records }: Vendor, authorization: string | undefined): number | undefined {
  return records.find('token', bearer(authorization))?.accountId
}

/** Who calls; a 403 tells the caller to fetch a new token. */
export function admit({ records, now }: Vendor, authorization: string | undefined): number {
  const token = records.find('token', bearer(authorization))
  if (!token || now() < token.validFromMs || now() >= token.expiresAtMs) {
    throw new Fail(403, 'Access denied: the access token is missing or not valid.')
  }
  return token.accountId
}

function bearer(authorization = '') {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
}

/** In the form of RFC 6749, section 5.2. */
function refused(status: number, error: string, error_description: string): Reply {
  return { status, body: { error, error_description } }
}
