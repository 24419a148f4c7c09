import type { Fault } from './fault.ts'

const file = 'server/src/outside/identity/oidc-identity.ts'
const test = 'server/src/outside/identity/oidc-identity.test.ts'

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
        test: 'an e-mail address is verified when the provider says true, and by nothing like it',
      },
      {
        file: 'server/src/features/session/member-identity.test.ts',
        test: 'does not get the role of its claims where our records name another for the address',
      },
    ],
  },
  {
    name: 'second-identity-let-in',
    means: 'A second account with the address of a member acts with whatever role its token claims.',
    file: 'server/src/features/session/place-of-token.ts',
    edits: [['  if (!here) assertAddressIsFree(claims, memberships)\n', '']],
    caughtBy: [
      {
        file: 'server/src/features/session/member-identity.test.ts',
        test: 'is refused whatever organization and role its token claims',
      },
    ],
  },
  {
    name: 'last-owner-removed',
    means: 'The last owner who is removed leaves an organization that nobody can act for.',
    file: 'server/src/features/provisioning/member-rules.ts',
    edits: [
      [
        '  if (await hasOtherOwner(connection, member)) return\n',
        '  if (await hasOtherOwner(connection, member)) return\n  if (role === null) return\n',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/provisioning/members.test.ts',
        test: 'the last owner can be neither removed nor demoted, in whatever way',
      },
    ],
  },
  {
    name: 'removed-member-remembered',
    means: 'Who was dismissed goes on working for half a minute, wherever their token was known.',
    file: 'server/src/features/session/recognize.ts',
    edits: [
      [
        'if (orgId === undefined || memberOf.includes(orgId)) callers.delete(token)',
        'if (orgId === undefined && memberOf.length === 0) callers.delete(token)',
      ],
    ],
    caughtBy: [
      {
        file: 'server/src/features/provisioning/members.test.ts',
        test: 'holds at once in every process that knew the token',
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
    file: 'server/src/features/session/queries.ts',
    edits: [['revoked: revoked!.length > 0', 'revoked: revoked!.length > 1']],
    caughtBy: [
      {
        file: 'server/src/features/session/logout.test.ts',
        test: 'a process that starts later refuses it as well',
      },
    ],
  },
]
