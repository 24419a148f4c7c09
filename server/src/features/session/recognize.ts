import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Database } from '#db/connect.ts'
import { Forbidden, Unauthenticated, Unavailable } from '#errors.ts'
import { events } from '#events.ts'
import { isUuid } from '#fields.ts'
import { isPermission, rolePermissions } from '#http/permissions.ts'
import type { Caller } from '#http/routes.ts'
import { ProviderAway, TokenRefused, type Claims, type Identity } from '#outside/identity/identity.ts'
import { isActive, isOwn, placeOf, takenMemberships } from './place-of-token.ts'
import { homeOf, whereabouts } from './queries.ts'
import type { ReportIdentityConflicts } from './report-identity-conflict.ts'

/**
 * Tokens that were verified lately. Together with the age of the key set (25 s) an entry's life keeps the
 * promise that a removed key, a removed member and a token signed out elsewhere are refused within 60 s.
 */
export const cacheSeconds = 30

export interface Recognition {
  recognize(token: string): Promise<Caller>
  /** Forgets a token at once; called for every sign-out in any process. */
  forget(tokenHash: string): void
  /** Forgets who belongs to an organization, called for every change of members in any process; or all that was looked up. */
  forgetMembers(orgId?: string): void
}

/** Bearer token → caller: signature and claims, then our own records, in one cached answer. */
export function recognition(
  database: Database,
  identity: Identity,
  report: ReportIdentityConflicts = async () => {},
  /** Whether sign-outs and changes of members elsewhere are heard of; while they are not, each request is looked up. */
  isHearing: () => boolean = () => true,
): Recognition {
  const callers = new LRUCache<string, Caller>({ max: 10_000 })
  /** A client that comes with many requests at once is looked up once, not as many times as the pool is deep. */
  const underway = new Map<string, Promise<Caller>>()
  const lookUpOnce = (token: string) => {
    const begun = underway.get(token)
    if (begun) return begun
    const found = lookUp({ database, identity, report }, token).finally(() => {
      if (underway.get(token) === found) underway.delete(token)
    })
    underway.set(token, found)
    return found
  }
  /** An answer that was begun before the last change of members may be of before it, and is not kept. */
  let memberChanges = 0
  // Kept for longer than a look-up that began before the sign-out may take, and its answer may live.
  const ended = new LRUCache<string, true>({ max: 100_000, ttl: 2 * cacheSeconds * 1_000 })
  const refuseEnded = (caller: Caller) => {
    if (ended.has(caller.token.hash.toString('hex'))) throw signedOut()
    return caller
  }
  return {
    async recognize(token) {
      const known = isHearing() ? callers.get(token) : undefined
      if (known && known.token.expiresAt.getTime() > Date.now()) return refuseEnded(known)
      const changesBefore = memberChanges
      const caller = refuseEnded(await lookUpOnce(token))
      const ttl = Math.min(cacheSeconds * 1_000, caller.token.expiresAt.getTime() - Date.now())
      if (ttl > 0 && changesBefore === memberChanges) callers.set(token, caller, { ttl })
      return caller
    },
    forget: (tokenHash) => void ended.set(tokenHash, true),
    forgetMembers(orgId) {
      memberChanges++
      underway.clear()
      for (const [token, { memberOf }] of callers)
        if (orgId === undefined || memberOf.includes(orgId)) callers.delete(token)
    },
  }
}

const signedOut = () => new Unauthenticated('The token was signed out.')

/**
 * What a token is remembered by. The signature stays out of it: the last character of its text can be changed
 * without changing its bytes, and a token that was signed out would live on under another name.
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
    if (error instanceof TokenRefused) throw new Unauthenticated(error.message)
    if (error instanceof ProviderAway) {
      events.identityTrouble(error.cause)
      throw new Unavailable('The identity provider does not answer, so the token cannot be checked.', error)
    }
    throw error
  })
  const hash = hashOf(token)
  const { revoked, memberships } = await whereabouts(database, { ...claims, hash })
  if (revoked) throw signedOut()
  await report(claims, takenMemberships(claims, memberships))
  const { orgId, accountId, role } = placeOf(claims, memberships)
  const { organization, account } = await homeOf(database, orgId, accountId)
  if (!organization) throw new Forbidden('The token names an organization that is not known here.')
  if (!account) throw new Forbidden('The token names an account that is not known here.')
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

/** An identity is issuer and subject; a subject that is no UUID gets a stable one. */
function userIdOf({ issuer, subject }: Claims): string {
  if (isUuid(subject)) return subject.toLowerCase()
  const hex = createHash('sha256').update(`${issuer} ${subject}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
