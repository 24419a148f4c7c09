import { Forbidden } from '#errors.ts'
import { isUuid } from '#schema/fields.ts'
import { isRole, roles, type Role } from '#http/permissions.ts'
import type { Claims } from '#integrations/identity/identity.ts'
import type { Membership, TokenOrganization } from './queries.ts'

/** An organization that a token may act for, and how. */
export interface TokenContext {
  readonly orgId: string
  readonly accountId: string | null
  readonly role: Role
}

/** The claims of a token, and what our own records say about it. */
export interface TokenRecords {
  readonly claims: Claims
  readonly memberships: readonly Membership[]
  /** The organizations that the claims name, as far as they exist here. */
  readonly named: readonly TokenOrganization[]
}

/**
 * Every organization that a token may act for: those that it names, or those of our own records when it names none. The role
 * of a record overrides that of a claim. Nobody acts for an organization that removed them, or with the e-mail address of
 * another identity's membership.
 */
export function listContexts(token: TokenRecords): TokenContext[] {
  const { claims, memberships, named } = token
  if (claims.organizations.length === 0) {
    const own = memberships.filter(isOwn).filter(isActive)
    return own.flatMap(({ org_id, account_id, role }) =>
      isRole(role) ? { orgId: org_id, role, accountId: accountOf(claims, own.length, account_id) } : [],
    )
  }
  return named.flatMap((organization) => {
    const orgId = organization.org_id
    const here = memberships.filter((membership) => membership.org_id === orgId)
    const own = here.find(isOwn)
    const role = own?.role ?? claimedRole(claims, organization)
    if (!isRole(role) || (own ? !isActive(own) : here.length > 0)) return []
    return { orgId, role, accountId: accountOf(claims, named.length, own?.account_id ?? null) }
  })
}

/** The claim does not say which of several organizations the account belongs to. */
const accountOf = ({ accountId }: Claims, organizations: number, recorded: string | null) =>
  (organizations === 1 ? accountId : null) ?? recorded

/** The highest of the roles that the token has in the organization. */
function claimedRole(claims: Claims, { org_id, identity_id }: TokenOrganization): Role | undefined {
  const names = claims.roles
    .filter(
      ({ organizations }) => organizations?.some((name) => name === org_id || name === identity_id) ?? true,
    )
    .map(({ name }) => name)
  return roles.find((role) => names.includes(role)) ?? (claims.isMachine ? 'service' : undefined)
}

/**
 * Picks the one that the request names, or the only one; null when the request has to name one of them.
 * @throws Forbidden when there is none
 */
export function pickContext(
  contexts: readonly TokenContext[],
  requestedId: string | null,
  token: TokenRecords,
): TokenContext | null {
  if (contexts.length === 0) throw refusalOf(token)
  const allowed = contexts.filter(({ orgId }) => requestedId === null || orgId === requestedId)
  const context = allowed.length === 1 ? allowed[0]! : null
  if (context?.accountId && !isUuid(context.accountId))
    throw new Forbidden('The account of the token is unknown.')
  return context
}

/** Active memberships of other identities with the e-mail address of the token, in the organizations it may act in. */
export function conflictingMemberships({ claims, memberships, named }: TokenRecords): Membership[] {
  const owned = memberships.filter(isOwn).map(({ org_id }) => org_id)
  const isTaken =
    claims.organizations.length === 0
      ? () => owned.length === 0
      : (orgId: string) => !owned.includes(orgId) && named.some(({ org_id }) => org_id === orgId)
  return memberships.filter(
    (membership) =>
      !membership.is_own && membership.is_bound && isActive(membership) && isTaken(membership.org_id),
  )
}

export const isActive = ({ status }: Membership) => status === 'active'
export const isOwn = ({ is_own }: Membership) => is_own

/**
 * Why the token may not act. It reveals to a token without an organization that its address is a member's only when the
 * address is verified.
 */
function refusalOf({ claims, memberships, named }: TokenRecords): Forbidden {
  const namesNone = claims.organizations.length === 0
  if (!namesNone && named.length === 0) return unknownOrganization(claims)
  const concerned = memberships.filter(
    ({ org_id }) => namesNone || named.some((organization) => organization.org_id === org_id),
  )
  const [own, others] = [concerned.filter(isOwn), concerned.filter((membership) => !isOwn(membership))]
  if (own.some((membership) => !isActive(membership))) return removedMember()
  if (own.length === 0 && others.length > 0 && (claims.isEmailVerified || !namesNone))
    return addressConflict(claims, others)
  return namesNone ? noOrganization(claims) : new Forbidden('The token has no known role.')
}

function addressConflict({ isEmailVerified }: Claims, others: readonly Membership[]): Forbidden {
  if (!isEmailVerified)
    return new Forbidden(
      'A member has the e-mail address of this token, and the identity provider does not state that it is verified (email_verified: true).',
    )
  if (!others.some(isActive)) return removedMember()
  return new Forbidden(
    'A member with this e-mail address has signed in with another identity. Ask an owner of your organization to give the membership to this one.',
    'identity-conflict',
  )
}

const unknownOrganization = ({ organizations: [name = ''] }: Claims) =>
  new Forbidden(
    `The organization of the token is unknown: ${name.slice(0, 100)}. The operator of the service connects it with vacancy org set <org> --identity-id <this id>.`,
  )

const removedMember = () => new Forbidden('You are no longer a member of this organization.')

const noOrganization = ({ email, isEmailVerified }: Claims) =>
  new Forbidden(
    email === null || isEmailVerified
      ? 'The token has no organization, and you are not a member of any.'
      : 'The token has no organization, you are not a member of any, and your e-mail address is used only when the identity provider states that it is verified (email_verified: true).',
  )
