import { Forbidden } from '#errors.ts'
import { isUuid } from '#fields.ts'
import { isRole, type Role } from '#http/permissions.ts'
import type { Claims } from '#outside/identity/identity.ts'
import type { Membership } from './queries.ts'

/** Where a token acts, and as what. */
export interface Place {
  readonly orgId: string
  readonly accountId: string | null
  readonly role: Role
}

/**
 * By the claims of the token, or by our own records when it carries none; the role of a record wins over that of a
 * claim. A removed member acts nowhere, and nobody acts under the e-mail address of somebody else's membership.
 */
export function placeOf(claims: Claims, memberships: readonly Membership[]): Place {
  const here = ownMembership(claims, memberships)
  if (here?.status === 'removed') throw notAMember()
  if (!here) assertAddressIsFree(claims, memberships)
  const orgId = claims.orgId ?? here?.org_id
  if (!orgId || !isUuid(orgId)) throw withoutPlace(claims)
  const role = here?.role ?? claims.role
  if (!isRole(role)) throw new Forbidden('The token names no role that is known here.')
  const accountId = claims.accountId ?? here?.account_id ?? null
  if (accountId && !isUuid(accountId))
    throw new Forbidden('The token names an account that is not known here.')
  return { orgId, accountId, role }
}

/** Active memberships of other identities under the address of a token that would act in their organization. */
export const takenMemberships = (claims: Claims, memberships: readonly Membership[]): Membership[] =>
  ownMembership(claims, memberships)
    ? []
    : ofOthers(claims, memberships).filter((one) => one.is_bound && isActive(one))

export const isActive = ({ status }: Membership) => status === 'active'
export const isOwn = ({ is_own }: Membership) => is_own

function ownMembership({ orgId }: Claims, memberships: readonly Membership[]): Membership | undefined {
  const own = memberships.filter(isOwn)
  return orgId ? own.find(({ org_id }) => org_id === orgId) : (own.find(isActive) ?? own[0])
}

const ofOthers = ({ orgId }: Claims, memberships: readonly Membership[]) =>
  memberships.filter((one) => !one.is_own && (orgId === null || one.org_id === orgId))

/** A token without an organization learns of a member's address only when it is proved to be its own. */
function assertAddressIsFree(claims: Claims, memberships: readonly Membership[]): void {
  const others = ofOthers(claims, memberships)
  if (others.length === 0) return
  if (!claims.isEmailVerified) {
    if (claims.orgId === null) throw withoutPlace(claims)
    throw new Forbidden(
      'A member has the e-mail address of this token, and the identity provider does not state that it is verified (email_verified: true).',
    )
  }
  if (!others.some(isActive)) throw notAMember()
  throw new Forbidden(
    'A member with this e-mail address has signed in with another identity. Ask an owner of your organization to give the membership to this one.',
    'identity-conflict',
  )
}

const notAMember = () => new Forbidden('You are no longer a member of this organization.')

const withoutPlace = ({ email, isEmailVerified }: Claims) =>
  new Forbidden(
    email === null || isEmailVerified
      ? 'The token names no organization, and you are a member of none.'
      : 'The token names no organization, you are a member of none, and your e-mail address counts only when the identity provider states that it is verified (email_verified: true).',
  )
