import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Database } from '#db/connect.ts'
import { Forbidden, Unauthenticated, Unavailable } from '#errors.ts'
import { events } from '#telemetry/log.ts'
import { isUuid } from '#schema/fields.ts'
import { isPermission, rolePermissions } from '#http/permissions.ts'
import type { Caller } from '#http/routes.ts'
import {
  ProviderUnavailable,
  InvalidToken,
  type Claims,
  type Identity,
} from '#integrations/identity/identity.ts'
import { isActive, isOwn, resolveTokenContext, conflictingMemberships } from './token-context.ts'
import { loadOrganizationAndAccount, loadMemberships } from './queries.ts'
import type { ReportIdentityConflicts } from './report-identity-conflict.ts'

/**
 * How long the caller of a verified token is cached. Together with the maximum age of the key set (25 s), a removed key, a
 * removed member and a token that was signed out elsewhere are rejected within 60 s.
 */
export const cacheSeconds = 30

export interface TokenAuthenticator {
  authenticate(token: string): Promise<Caller>
  /** Rejects a token from now on. Called for every sign-out in any process. */
  forget(tokenHash: string): void
  /** Drops the cached callers of an organization, or all of them. Called for every change of members in any process. */
  forgetMembers(orgId?: string): void
}

/** Verifies bearer tokens, loads the memberships of their identities, and caches the result. */
export function openTokenAuthenticator(
  database: Database,
  identity: Identity,
  report: ReportIdentityConflicts = async () => {},
  /** Whether notifications of other processes arrive. While they do not, the cache is not used. */
  receivesNotifications: () => boolean = () => true,
): TokenAuthenticator {
  const callers = new LRUCache<string, Caller>({ max: 10_000 })
  /** Lookups in progress: concurrent requests with the same token share one instead of each taking a connection. */
  const pending = new Map<string, Promise<Caller>>()
  const lookUpOnce = (token: string) => {
    const inProgress = pending.get(token)
    if (inProgress) return inProgress
    const found = lookUp({ database, identity, report }, token).finally(() => {
      if (pending.get(token) === found) pending.delete(token)
    })
    pending.set(token, found)
    return found
  }
  /** A lookup that started before the latest change of members may return the previous state, and is not cached. */
  let memberChanges = 0
  /** Entries live longer than a lookup that started before the sign-out and the cache entry it creates. */
  const revoked = new LRUCache<string, true>({ max: 100_000, ttl: 2 * cacheSeconds * 1_000 })
  const assertNotRevoked = (caller: Caller) => {
    if (revoked.has(caller.token.hash.toString('hex'))) throw signedOutError()
    return caller
  }
  return {
    async authenticate(token) {
      const known = receivesNotifications() ? callers.get(token) : undefined
      if (known && known.token.expiresAt.getTime() > Date.now()) return assertNotRevoked(known)
      const changesBefore = memberChanges
      const caller = assertNotRevoked(await lookUpOnce(token))
      const ttl = Math.min(cacheSeconds * 1_000, caller.token.expiresAt.getTime() - Date.now())
      if (ttl > 0 && changesBefore === memberChanges) callers.set(token, caller, { ttl })
      return caller
    },
    forget: (tokenHash) => void revoked.set(tokenHash, true),
    forgetMembers(orgId) {
      memberChanges++
      pending.clear()
      for (const [token, { memberOf }] of callers)
        if (orgId === undefined || memberOf.includes(orgId)) callers.delete(token)
    },
  }
}

const signedOutError = () => new Unauthenticated('The token was signed out.')

/**
 * The hash of a token without its signature. The last character of an encoded signature can be changed without changing
 * its bytes, so with the signature a signed-out token would be accepted again in another spelling.
 */
const hashOf = (token: string) =>
  createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')))
    .digest()

interface Sources {
  readonly database: Database
  readonly identity: Identity
  readonly report: ReportIdentityConflicts
}

async function lookUp({ database, identity, report }: Sources, token: string): Promise<Caller> {
  const claims = await identity.verify(token).catch((error: unknown) => {
    if (error instanceof InvalidToken) throw new Unauthenticated(error.message)
    if (error instanceof ProviderUnavailable) {
      events.identityProviderError(error.cause)
      throw new Unavailable('The identity provider does not respond, so the token cannot be checked.', error)
    }
    throw error
  })
  const hash = hashOf(token)
  const { revoked, memberships } = await loadMemberships(database, { ...claims, hash })
  if (revoked) throw signedOutError()
  await report(claims, conflictingMemberships(claims, memberships))
  const { orgId, accountId, role } = resolveTokenContext(claims, memberships)
  const { organization, account } = await loadOrganizationAndAccount(database, orgId, accountId)
  if (!organization) throw new Forbidden('The organization of the token is unknown.')
  if (!account) throw new Forbidden('The account of the token is unknown.')
  return {
    userId: userIdOf(claims),
    email: claims.email,
    name: claims.name,
    organization: { id: organization.id, name: organization.name },
    tier: organization.tier,
    account,
    role,
    permissions: new Set((claims.permissions ?? rolePermissions[role]).filter(isPermission)),
    memberOf: [
      ...new Set([
        orgId,
        ...memberships
          .filter(isOwn)
          .filter(isActive)
          .map(({ org_id }) => org_id),
      ]),
    ],
    token: { hash, expiresAt: claims.expiresAt },
  }
}

/** The subject when it is a UUID; otherwise a UUID computed from issuer and subject. */
function userIdOf({ issuer, subject }: Claims): string {
  if (isUuid(subject)) return subject.toLowerCase()
  const hex = createHash('sha256').update(`${issuer} ${subject}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
