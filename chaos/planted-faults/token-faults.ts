import type { Fault } from './fault.ts'

const session = 'server/src/features/tenancy/session/'
const provisioning = 'server/src/features/tenancy/provisioning/'
const identity = 'server/src/integrations/identity/oidc-identity.ts'
const identityTests = 'server/src/integrations/identity/oidc-identity.test.ts'

/** Tokens that are accepted although they must not be. */
export const tokenFaults: readonly Fault[] = [
  {
    name: 'audience-unchecked',
    means: 'A token that the same provider issued for another product is accepted.',
    code: [{ file: identity, function: 'verify', property: 'audience', becomes: '' }],
    caughtBy: [identityTests],
  },
  {
    name: 'issuer-unchecked',
    means: 'A token of another tenant of the provider, signed by the same keys, is accepted.',
    code: [{ file: identity, function: 'verify', property: 'issuer', becomes: '' }],
    caughtBy: [identityTests],
  },
  {
    name: 'unverified-address-trusted',
    means: 'Whoever claims the e-mail address of an owner, without proof, becomes that owner.',
    code: [
      {
        ...{ file: 'server/src/integrations/identity/claims.ts', function: 'readClaims' },
        ...{ property: 'isEmailVerified', becomes: "at('emailVerified') !== false" },
      },
    ],
    caughtBy: [identityTests, `${session}member-identity.test.ts`],
  },
  {
    name: 'second-identity-accepted',
    means: 'A second account with the address of a member acts with whatever role its token claims.',
    code: [
      {
        ...{ file: `${session}token-context.ts`, function: 'listContexts' },
        ...{ conditional: 'own', becomes: 'own !== undefined && !isActive(own)' },
      },
    ],
    caughtBy: [`${session}member-identity.test.ts`],
  },
  {
    name: 'last-owner-removed',
    means: 'The last owner is removed, and nobody can act for the organization.',
    code: [
      {
        ...{ file: `${provisioning}queries.ts`, function: 'assertOwnerStays', condition: 'otherOwners' },
        becomes: 'otherOwners.length > 0 || newRole === null',
      },
    ],
    caughtBy: [`${provisioning}members.test.ts`],
  },
  {
    name: 'removed-member-cached',
    means: 'A removed member keeps working for half a minute in every process that has cached the token.',
    code: [
      {
        ...{ file: `${session}authenticate-token.ts`, function: 'forgetMembers', condition: 'memberOf' },
        becomes: 'orgId === undefined && memberOf.length === 0',
      },
    ],
    caughtBy: [`${provisioning}members.test.ts`],
  },
  {
    name: 'expiry-unchecked',
    means: 'A token from an old log is accepted.',
    code: [{ file: identity, function: 'verify', property: 'clockTolerance', becomes: '1e9' }],
    caughtBy: [identityTests],
  },
  {
    name: 'sign-out-ignored',
    means: 'A token is accepted after its owner has signed out.',
    code: [
      {
        ...{ file: `${session}queries.ts`, function: 'loadMemberships' },
        ...{ property: 'isRevoked', becomes: 'revoked.length > 1' },
      },
    ],
    caughtBy: [`${session}logout.test.ts`],
  },
]
