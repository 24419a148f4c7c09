import { LRUCache } from 'lru-cache'
import type { Database } from '#db/connect.ts'
import { atomically, type Outbox, type Scope } from '#db/scope.ts'
import { events } from '#events.ts'
import type { Claims } from '#outside/identity/identity.ts'
import { raiseAlerts } from '../alerts/queries.ts'
import { findMember, type Membership } from './queries.ts'

/** One identity that tries again and again is reported this often. */
const repeatedAfterMs = 10 * 60_000

/** Reports that an identity has the e-mail address of members who belong to other identities. Never fails. */
export type ReportIdentityConflicts = (claims: Claims, taken: readonly Membership[]) => Promise<void>

/** Raises an alert in each organization concerned; the owners are mailed. */
export function identityConflictReports(database: Database, outbox: Outbox): ReportIdentityConflicts {
  const reported = new LRUCache<string, true>({ max: 10_000, ttl: repeatedAfterMs })
  return async (claims, taken) => {
    for (const { org_id: orgId, member_id: memberId } of taken) {
      const key = JSON.stringify([memberId, claims.issuer, claims.subject, claims.isEmailVerified])
      if (reported.has(key)) continue
      reported.set(key, true)
      const actor = { type: 'system', id: 'session', name: 'Vacancy' } as const
      const scope = { orgId, accountId: null, actor, traceparent: null, database, outbox }
      await report(scope, memberId, claims).catch((error: unknown) => {
        reported.delete(key)
        events.identityConflictUnsaved({ orgId, error })
      })
    }
  }
}

const report = (scope: Scope, memberId: string, claims: Claims): Promise<void> =>
  atomically(scope, async (transaction) => {
    const member = await findMember(transaction, memberId)
    if (!member) return
    const { issuer, subject, isEmailVerified } = claims
    const name = member.name ? `${member.name} (${member.email})` : member.email
    await raiseAlerts(transaction, [
      {
        account_id: null,
        kind: 'member.identity_conflict',
        message: `Another identity tried to sign in with the e-mail address of ${name}, ${member.role}, and was refused: subject ${subject} at ${issuer}.`,
        hint: `If it is the same person with a new account, give the membership to it: vacancy member add --org ${scope.orgId} --email ${member.email} --role ${member.role} --subject <subject>. If not, have that account closed at the identity provider.`,
        details: { member_id: memberId, issuer, subject, email_verified: isEmailVerified },
        // Each of them is another case; one whose address proves nothing is only counted, so that nobody can
        // have the owners mailed again and again.
        isNews: isEmailVerified,
      },
    ])
  })
