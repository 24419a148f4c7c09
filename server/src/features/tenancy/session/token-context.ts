import { Forbidden } from '#errors.ts'
import { isUuid } from '#schema/fields.ts'
import { isRole, type Role } from '#http/permissions.ts'
import type { Claims } from '#integrations/identity/identity.ts'
import type { Membership } from './queries.ts'

/** The organization, account and role that a token acts with. */
export interface TokenContext {
  readonly orgId: string
  readonly accountId: string | null
  readonly role: Role
}

/**
 * Takes the context from the claims of the token, or from our own records when it has none; the role of a record overrides
 * that of a claim. A removed member is rejected, and so is a token with the e-mail address of another identity's membership.
 * @throws Forbidden
 */
export function resolveTokenContext(claims: Claims, memberships: readonly Membership[]): TokenContext {
  const here = ownMembership(claims, memberships)
  if (here?.status === 'removed') throw removedMemberError()
  if (!here) assertAddressIsFree(claims, memberships)
  const orgId = claims.orgId ?? here?.org_id
  if (!orgId || !isUuid(orgId)) throw noOrganizationError(claims)
  const role = here?.role ?? claims.role
  if (!isRole(role)) throw new Forbidden('The token has no known role.')
  const accountId = claims.accountId ?? here?.account_id ?? null
  if (accountId && !isUuid(accountId)) throw new Forbidden('The account of the token is unknown.')
  return { orgId, accountId, role }
}

/** Active memberships of other identities with the e-mail address of the token, in the organizations it may act in. */
export const conflictingMemberships = (claims: Claims, memberships: readonly Membership[]): Membership[] =>
  ownMembership(claims, memberships)
    ? []
    : membershipsOfOthers(claims, memberships).filter(
        (membership) => membership.is_bound && isActive(membership),
      )

export const isActive = ({ status }: Membership) => status === 'active'
export const isOwn = ({ is_own }: Membership) => is_own

function ownMembership({ orgId }: Claims, memberships: readonly Membership[]): Membership | undefined {
  const own = memberships.filter(isOwn)
  return orgId ? own.find(({ org_id }) => org_id === orgId) : (own.find(isActive) ?? own[0])
}

const membershipsOfOthers = ({ orgId }: Claims, memberships: readonly Membership[]) =>
  memberships.filter(({ is_own, org_id }) => !is_own && (orgId === null || org_id === orgId))

/**
 * The error reveals to a token without an organization that its address is a member's only when the address is verified.
 * @throws Forbidden
 */
function assertAddressIsFree(claims: Claims, memberships: readonly Membership[]): void {
  const others = membershipsOfOthers(claims, memberships)
  if (others.length === 0) return
  if (!claims.isEmailVerified) {
    if (claims.orgId === null) throw noOrganizationError(claims)
    throw new Forbidden(
      'A member has the e-mail address of this token, and the identity provider does not state that it is verified (email_verified: true).',
    )
  }
  if (!others.some(isActive)) throw removedMemberError()
  throw new Forbidden(
    'A member with this e-mail address has signed in with another identity. Ask an owner of your organization to give the membership to this one.',
    'identity-conflict',
  )
}

const removedMemberError = () => new Forbidden('You are no longer a member of this organization.')

const noOrganizationError = ({ email, isEmailVerified }: Claims) =>
  new Forbidden(
    email === null || isEmailVerified
      ? 'The token has no organization, and you are not a member of any.'
      : 'The token has no organization, you are not a member of any, and your e-mail address is used only when the identity provider states that it is verified (email_verified: true).',
  )
