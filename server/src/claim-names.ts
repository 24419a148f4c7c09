/** What the issuer calls the claims of a token that are ours. */
export interface ClaimNames {
  readonly orgId: string
  readonly accountId: string
  readonly role: string
  readonly permissions: string
}

type ClaimSetting = 'OIDC_ORG_CLAIM' | 'OIDC_ACCOUNT_CLAIM' | 'OIDC_ROLE_CLAIM' | 'OIDC_PERMISSIONS_CLAIM'

export const readClaimNames = (given: (name: ClaimSetting) => string | null): ClaimNames => ({
  orgId: given('OIDC_ORG_CLAIM') ?? 'org_id',
  accountId: given('OIDC_ACCOUNT_CLAIM') ?? 'account_id',
  role: given('OIDC_ROLE_CLAIM') ?? 'role',
  permissions: given('OIDC_PERMISSIONS_CLAIM') ?? 'permissions',
})
