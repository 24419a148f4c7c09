import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Database } from '#db/connect.ts'
import { Forbidden, OrganizationRequired, Unauthenticated, Unavailable } from '#errors.ts'
import { events } from '#telemetry/log.ts'
import { isUuid } from '#schema/fields.ts'
import { isPermission, rolePermissions, type Role } from '#http/permissions.ts'
import type { Caller } from '#http/routes.ts'
import {
  ProviderUnavailable,
  InvalidToken,
  type Claims,
  type Identity,
} from '#integrations/identity/identity.ts'
import { conflictingMemberships, isActive, isOwn, listContexts, pickContext } from './token-context.ts'
import {
  assertNotMoved,
  loadMemberships,
  loadOrganizationAndAccount,
  loadOrganizationNames,
} from './queries.ts'
import type { ReportIdentityConflicts } from './report-identity-conflict.ts'

/**
 * How long the caller of a verified token is cached. Together with the maximum age of the key set (25 s), a removed key, a
 * removed member and a token that was signed out elsewhere are rejected within 60 s.
 */
export const cacheSeconds = 30

export interface TokenAuthenticator {
  /** Finds the caller, who acts for the organization that the request names. */
  authenticate(token: string, organizationId?: string | null): Promise<Caller>
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
  /** By the token and the organization that the request names. */
  const callers = new LRUCache<string, Caller>({ max: 10_000 })
  /** Lookups in progress: concurrent requests with the same token share one instead of each taking a connection. */
  const pending = new Map<string, Promise<Caller>>()
  const lookUpOnce = (key: string, token: string, organizationId: string | null) => {
    const inProgress = pending.get(key)
    if (inProgress) return inProgress
    const found = lookUp({ database, identity, report }, token, organizationId).finally(() => {
      if (pending.get(key) === found) pending.delete(key)
    })
    pending.set(key, found)
    return found
  }
  /** A lookup that started before the latest change of members may return the previous state, and is not cached. */
  let memberChanges = 0
  /** Entries live longer than a lookup that started before the sign-out and the cache entry it creates. */
  const revoked = new LRUCache<string, true>({
    // With `max` it would reserve 4 MB.
    ...{ maxSize: 100_000, sizeCalculation: () => 1 },
    ttl: 2 * cacheSeconds * 1_000,
  })
  const assertNotRevoked = (caller: Caller) => {
    if (revoked.has(caller.token.hash.toString('hex'))) throw signedOutError()
    return caller
  }
  return {
    async authenticate(token, organizationId = null) {
      const key = `${organizationId ?? ''} ${token}`
      const known = receivesNotifications() ? callers.get(key) : undefined
      if (known && known.token.acceptedUntil.getTime() > Date.now()) return assertNotRevoked(known)
      const changesBefore = memberChanges
      const caller = assertNotRevoked(await lookUpOnce(key, token, organizationId))
      const ttl = Math.min(cacheSeconds * 1_000, caller.token.acceptedUntil.getTime() - Date.now())
      if (ttl > 0 && changesBefore === memberChanges) callers.set(key, caller, { ttl })
      return caller
    },
    forget: (tokenHash) => void revoked.set(tokenHash, true),
    forgetMembers(orgId) {
      memberChanges++
      pending.clear()
      for (const [key, { memberOf }] of callers)
        if (orgId === undefined || memberOf.includes(orgId)) callers.delete(key)
    },
  }
}

const signedOutError = () => new Unauthenticated('The token was signed out.')

/**
 * The hash of a token without its signature. The last character of an encoded signature can be changed without changing
 * its bytes, so with the signature a signed-out token would be accepted again in another spelling.
 */
const hashOf = (token: string) => hash('sha256', token.slice(0, token.lastIndexOf('.')), 'buffer')

interface Sources {
  readonly database: Database
  readonly identity: Identity
  readonly report: ReportIdentityConflicts
}

async function lookUp(
  { database, identity, report }: Sources,
  token: string,
  organizationId: string | null,
): Promise<Caller> {
  const claims = await identity.verify(token).catch((error: unknown) => {
    if (error instanceof InvalidToken) throw new Unauthenticated(error.message)
    if (error instanceof ProviderUnavailable) {
      events.identityProviderError(error.cause)
      throw new Unavailable('The identity provider does not respond, so the token cannot be checked.', error)
    }
    throw error
  })
  const hash = hashOf(token)
  const { isRevoked, memberships, named } = await loadMemberships(database, claims, hash)
  if (isRevoked) throw signedOutError()
  const records = { claims, memberships, named }
  await report(claims, conflictingMemberships(records))
  const contexts = listContexts(records)
  if (!contexts.some(({ orgId }) => organizationId === null || organizationId === orgId)) {
    await assertNotMoved(database, organizationId === null ? claims.organizations : [organizationId])
  }
  const context = pickContext(contexts, organizationId, records)
  if (!context) throw organizationRequired(organizationId, await nameOrganizations(database, contexts))
  const { orgId, accountId, role } = context
  const { organization, account } = await loadOrganizationAndAccount(database, orgId, accountId)
  if (!organization) throw new Forbidden('The organization of the token is unknown.')
  if (!account) throw new Forbidden('The account of the token is unknown.')
  const ownOrganizations = memberships
    .filter(isOwn)
    .filter(isActive)
    .map(({ org_id }) => org_id)
  return {
    userId: userIdOf(claims),
    email: claims.email,
    name: claims.name,
    organization: { id: organization.id, name: organization.name },
    tier: organization.tier,
    account,
    role,
    permissions: new Set(permissionsOf(claims, role)),
    memberOf: [...new Set([...contexts.map(({ orgId }) => orgId), ...ownOrganizations])],
    memberships: contexts.map(({ orgId, role }) => ({ orgId, role })),
    token: { hash, acceptedUntil: claims.acceptedUntil },
  }
}

/** A service has what its token lists as permissions, scopes or roles. The scopes of a person's token grant nothing. */
const permissionsOf = ({ permissions, scopes, roles }: Claims, role: Role): string[] =>
  (role === 'service'
    ? [...(permissions ?? []), ...scopes, ...roles.map(({ name }) => name)]
    : (permissions ?? rolePermissions[role])
  ).filter(isPermission)

const organizationRequired = (requestedId: string | null, memberships: object[]) =>
  new OrganizationRequired(
    requestedId === null
      ? 'You are a member of several organizations. Send the id of one of them in the header X-Organization.'
      : 'Your token may not act for the organization that X-Organization names.',
    memberships,
  )

/** The organizations that a token may act for, as the API returns them. */
export async function nameOrganizations(
  database: Database,
  memberships: Caller['memberships'],
): Promise<{ organization: Caller['organization']; role: Role }[]> {
  const names = await loadOrganizationNames(
    database,
    memberships.map(({ orgId }) => orgId),
  )
  return memberships.flatMap(({ orgId, role }) => {
    const name = names.get(orgId)
    return name === undefined ? [] : { organization: { id: orgId, name }, role }
  })
}

/** The subject when it is a UUID; otherwise a UUID computed from issuer and subject. */
function userIdOf({ issuer, subject }: Claims): string {
  if (isUuid(subject)) return subject.toLowerCase()
  const hex = hash('sha256', `${issuer} ${subject}`, 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
