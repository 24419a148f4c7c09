import { randomBytes } from 'node:crypto'
import { ReplyError } from '../http/request.ts'
import { ApiError, success } from './envelope.ts'
import type { Vendor } from './store.ts'

/** The vendor asks to wait this long before a new token is used. */
const activationMs = 1000
/** 24 months. */
const lifetimeMs = 730 * 86_400_000

/** An error in the form of RFC 6749, section 5.2. */
class OAuthError extends ReplyError {
  constructor(status: number, error: string, description: string) {
    super(status, description, { error, error_description: description })
  }
}

/** A token for an account id and its key, by the client credentials grant of OAuth 2.0. */
export function issueToken({ records, now }: Vendor, contentType: string, body: string) {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(contentType))
    throw new OAuthError(400, 'invalid_request', 'The request must be form-encoded.')
  const form = new URLSearchParams(body)
  const missing = ['grant_type', 'client_id', 'client_secret', 'scope'].find((name) => !form.get(name))
  if (missing) throw new OAuthError(400, 'invalid_request', `The parameter "${missing}" is missing.`)
  if (form.get('grant_type') !== 'client_credentials')
    throw new OAuthError(400, 'unsupported_grant_type', 'The grant type must be client_credentials.')
  const account = records.find('account', form.get('client_id') ?? '')
  if (!account || account.apiKey !== form.get('client_secret'))
    throw new OAuthError(401, 'invalid_client', 'Client authentication failed.')
  if (form.get('scope') !== 'general')
    throw new OAuthError(400, 'invalid_scope', 'The scope must be general.')
  const token = randomBytes(48).toString('base64url')
  const validFromMs = now() + activationMs
  const kept = { token, accountId: account.id, validFromMs, expiresAtMs: now() + lifetimeMs }
  records.save(['token', token, kept])
  return { token_type: 'Bearer', expires_in: lifetimeMs / 1000, access_token: token }
}

export function revokeToken({ records }: Vendor, query: URLSearchParams) {
  const token = query.get('token')
  if (!token) throw new ApiError(400, 'Parameter "token" is required.')
  records.save(['token', token, null])
  return success([])
}

/** The account of a token, valid or not. */
export function tokenHolder({ records }: Vendor, authorization: string | undefined): number | undefined {
  return records.find('token', bearer(authorization))?.accountId
}

/** The account of a valid token. A 403 makes the caller fetch a new one. */
export function admit({ records, now }: Vendor, authorization: string | undefined): number {
  const token = records.find('token', bearer(authorization))
  if (!token || now() < token.validFromMs || now() >= token.expiresAtMs) {
    throw new ApiError(403, 'Access denied: the access token is missing or not valid.')
  }
  return token.accountId
}

function bearer(authorization = '') {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? ''
}
