import type { Fault } from './fault.ts'

const file = 'server/src/integrations/identity/oidc-identity.ts'
const test = 'server/src/integrations/identity/oidc-identity.test.ts'

/** Tokens that open what they must not open. */
export const tokenFaults: readonly Fault[] = [
  {
    name: 'audience-unchecked',
    means: 'A token that the same provider gave for another product opens this one.',
    file,
    edits: [['          issuer,\n          audience,\n', '          issuer,\n']],
    caughtBy: [{ file: test, test: 'another audience' }],
  },
  {
    name: 'issuer-unchecked',
    means: 'A token of a second tenant of the provider, signed by the same keys, opens this one.',
    file,
    edits: [['          issuer,\n          audience,\n', '          audience,\n']],
    caughtBy: [{ file: test, test: 'another issuer' }],
  },
  {
    name: 'unverified-address-trusted',
    means: 'Whoever claims the e-mail address of an owner, without proof, becomes that owner.',
    file,
    edits: [["payload['email_verified'] === true", "payload['email_verified'] !== false"]],
    caughtBy: [
      {
        file: test,
        test: 'an e-mail address is verified only when the claim is the boolean true',
      },
      {
        file: 'server/src/features/tenancy/session/member-identity.test.ts',
        test: 'does not get the role of its claims when a record has another role for the address',
      },
    ],
  },
  {
    name: 'second-identity-let-in',
    means: 'A second account with the address of a member acts with whatever role its token claims.',
    file: 'server/src/features/tenancy/session/token-context.ts',
    edits: [['  if (!here) assertAddressIsFree(claims, memberships)\n', '']],
    caughtBy: [
      {
        file: 'server/src/features/tenancy/session/member-identity.test.ts',
        test: 'is rejected whatever organization and role its token claims',
      },
    ],
  },
  {
    name: 'last-owner-removed',
    means: 'The last owner who is removed leaves an organization that nobody can act for.',
    file: 'server/src/features/tenancy/provisioning/queries.ts',
    edits: [
      [
        '  if (otherOwners.length > 0) return\n',
        '  if (otherOwners.length > 0) return\n  if (newRole === null) return\n',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/tenancy/provisioning/members.test.ts',
        test: 'the last owner can be neither removed nor demoted',
      },
    ],
  },
  {
    name: 'removed-member-remembered',
    means: 'Who was dismissed goes on working for half a minute, wherever their token was known.',
    file: 'server/src/features/tenancy/session/authenticate-token.ts',
    edits: [
      [
        'if (orgId === undefined || memberOf.includes(orgId)) callers.delete(token)',
        'if (orgId === undefined && memberOf.length === 0) callers.delete(token)',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/tenancy/provisioning/members.test.ts',
        test: 'takes effect immediately in every process that has cached the token',
      },
    ],
  },
  {
    name: 'expiry-unchecked',
    means: 'A token that was found in an old log still opens the door.',
    file,
    edits: [['clockTolerance: leewaySeconds,', 'clockTolerance: 1e9,']],
    caughtBy: [{ file: test, test: 'expired' }],
  },
  {
    name: 'sign-out-forgotten',
    means: 'Who signs out on a borrowed machine leaves the door open behind them.',
    file: 'server/src/features/tenancy/session/queries.ts',
    edits: [['revoked: revoked.length > 0', 'revoked: revoked.length > 1']],
    caughtBy: [
      {
        file: 'server/src/features/tenancy/session/logout.test.ts',
        test: 'a process that starts later rejects it too',
      },
    ],
  },
]
